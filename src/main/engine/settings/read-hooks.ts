import { findNodeAtLocation, type Node } from 'jsonc-parser';
import { HookEvent, type HookSetting } from '../../../shared/hooks';
import type { RuleSource } from '../../../shared/permission';
import { readRule } from '../permissions/rules';
import { HANDLERS, type Handler, UNSUPPORTED_EVENTS, UNSUPPORTED_TYPES } from './hook-handlers';
import { readMatcher } from './hook-matcher';
import { plainValue, propertiesOf } from './json-tree';

/** Where hooks are read from, and who is told what cannot be used: a node, the field's name, and what is wrong. */
export interface HookPlace {
  readonly source: RuleSource;
  readonly file: string;
  lineOf(offset: number): number;
  problem(node: Node, field: string, message: string): void;
}

/** A hook and where in its file's tree it stands: the list it is in, its number there, and the same of its group. */
export interface FoundHook {
  readonly hook: HookSetting;
  readonly list: Node;
  readonly index: number;
  readonly groups: Node;
  readonly groupIndex: number;
}

/** All hooks of one settings file. A bad one costs only itself and is reported by file, field and line. */
export const readHooks = (hooks: Node | undefined, place: HookPlace): HookSetting[] =>
  findHooks(hooks, place).map(({ hook }) => hook);

/** The same with their places, for who wants to change them. */
export function findHooks(hooks: Node | undefined, place: HookPlace): FoundHook[] {
  return propertiesOf(hooks).flatMap(({ name, value }) => {
    const event = HookEvent.safeParse(name);
    const field = `hooks.${name}`;
    if (!event.success) {
      place.problem(value, field, unknownEvent(name));
      return [];
    }
    return itemsOf(value, field, place).flatMap((group, groupIndex) =>
      readGroup(group, event.data, `${field}[${groupIndex}]`, place).map((found) => ({
        ...found,
        groups: value,
        groupIndex,
      })),
    );
  });
}

const unknownEvent = (name: string): string =>
  UNSUPPORTED_EVENTS.has(name)
    ? 'this version of Lathe has no such moment, so these hooks never run'
    : `there is no such event; the events are ${HookEvent.options.join(', ')}`;

function readGroup(
  group: Node,
  event: HookEvent,
  field: string,
  place: HookPlace,
): readonly Pick<FoundHook, 'hook' | 'list' | 'index'>[] {
  if (group.type !== 'object') {
    place.problem(group, field, 'an object with "matcher" and "hooks" is expected');
    return [];
  }
  const matcherNode = findNodeAtLocation(group, ['matcher']);
  const matcher = matcherNode ? plainValue(matcherNode) : '';
  if (matcherNode && typeof matcher !== 'string') {
    place.problem(matcherNode, `${field}.matcher`, 'a text in quotes is expected');
    return [];
  }
  const text = String(matcher);
  const read = readMatcher(text, event);
  if (!read.ok) {
    place.problem(
      matcherNode ?? group,
      `${field}.matcher`,
      `${read.error}; its hooks are not used`,
    );
    return [];
  }
  const list = findNodeAtLocation(group, ['hooks']);
  if (!list) {
    place.problem(group, `${field}.hooks`, 'a list of hooks is missing');
    return [];
  }
  return itemsOf(list, `${field}.hooks`, place).flatMap((node, index) => {
    const handler = readHandler(node, event, `${field}.hooks[${index}]`, place);
    if (handler === null) return [];
    const { source, file } = place;
    const line = place.lineOf(node.offset);
    const hook = { event, matcher: text.trim(), ...handler, source, file, line, off: null };
    return [{ hook, list, index }];
  });
}

function itemsOf(list: Node, field: string, place: HookPlace): readonly Node[] {
  if (list.type === 'array') return list.children ?? [];
  place.problem(list, field, 'a list is expected');
  return [];
}

function readHandler(
  node: Node,
  event: HookEvent,
  field: string,
  place: HookPlace,
): Handler | null {
  const typeNode = findNodeAtLocation(node, ['type']);
  const type = typeNode ? plainValue(typeNode) : undefined;
  const kind = typeof type === 'string' && Object.hasOwn(HANDLERS, type) ? type : null;
  if (kind === null) {
    const known = typeof type === 'string' && UNSUPPORTED_TYPES.has(type);
    const message = known
      ? `hooks of the type "${type}" are not supported by this version of Lathe; this one is not used`
      : 'one of "command", "http", "prompt" is expected; this hook is not used';
    place.problem(typeNode ?? node, `${field}.type`, message);
    return null;
  }
  const { schema, expected } = HANDLERS[kind as keyof typeof HANDLERS];
  const parsed = schema.safeParse(plainValue(node));
  if (!parsed.success) {
    const path = (parsed.error.issues[0]?.path ?? []).map((part) =>
      typeof part === 'number' ? part : String(part),
    );
    const name = String(path[0] ?? '');
    const at = findNodeAtLocation(node, path) ?? findNodeAtLocation(node, path.slice(0, 1)) ?? node;
    const wanted = expected[name] ?? 'something else';
    place.problem(at, `${field}.${name}`, `${wanted} is expected; this hook is not used`);
    return null;
  }
  return checkCondition(parsed.data, node, event, field, place);
}

/** A condition that cannot be read must not silence a guard: it is widened as a deny rule would be. */
function checkCondition(
  handler: Handler,
  node: Node,
  event: HookEvent,
  field: string,
  place: HookPlace,
): Handler | null {
  if (handler.if === undefined) return handler;
  const at = findNodeAtLocation(node, ['if']) ?? node;
  if (!TOOL_EVENTS.has(event)) {
    const message = `a condition only fits the events of tools, not ${event}; this hook is not used`;
    place.problem(at, `${field}.if`, message);
    return null;
  }
  const { parsed, problem } = readRule({
    behavior: 'deny',
    text: handler.if,
    source: place.source,
  });
  if (problem) place.problem(at, `${field}.if`, problem.message);
  return parsed === null ? null : handler;
}

/** The events that are about a call. */
const TOOL_EVENTS: ReadonlySet<HookEvent> = new Set<HookEvent>([
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'PostToolUseFailure',
  'PermissionDenied',
]);
