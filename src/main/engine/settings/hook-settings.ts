import { applyEdits, findNodeAtLocation, modify, type Node } from 'jsonc-parser';
import { HookEvent, type HookSetting, type ListedHook } from '../../../shared/hooks';
import { nearestName } from '../../../shared/nearest-name';
import type { RuleSource } from '../../../shared/permission';
import { err, fault, ok, type Result } from '../../../shared/result';
import { mayBeTool, ruleDoubt } from '../permissions/rule-doubts';
import { readRule } from '../permissions/rules';
import { ADDITIONS, HANDLERS, type Handler } from './hook-handlers';
import { matcherOf, TOOL_EVENTS } from './hook-matchers';
import { allNamed, layoutOf, plainValue, propertiesOf, readRoot, withoutItem } from './json-text';
import { unknownAmong } from './known-keys';
import { isUnawaited, mayBeType, namesGuard, saysWhatRuns } from './lost-hooks';
import {
  GUARD_EVENTS,
  holdsHooks,
  isSwitchedOff,
  meansGuard,
  meansHooks,
} from './restricting-keys';

/**
 * The file hooks are read from, and the report of what cannot be used: a node, the field's name,
 * and what is wrong.
 */
export interface HookPlace {
  readonly source: RuleSource;
  readonly file: string;
  lineOf(offset: number): number;
  problem(node: Node, field: string, message: string): void;
  /** Reports what may be a guard and cannot be read; absent where that holds nothing up. */
  lose?(node: Node, field: string, message: string): void;
}

/** A hook and where in its file's tree it stands: the list it is in, its number there, and the same of its group. */
export interface FoundHook {
  readonly hook: HookSetting;
  readonly list: Node;
  readonly index: number;
  readonly groups: Node;
  readonly groupIndex: number;
}

/**
 * Returns all hooks of one settings file. A bad one costs only itself and is reported by file,
 * field and line.
 */
export const readHooks = (hooks: Node, place: HookPlace): HookSetting[] =>
  findHooks(hooks, place).map(({ hook }) => hook);

/** Finds all hooks with their places, for callers that change them. */
function findHooks(hooks: Node, place: HookPlace): FoundHook[] {
  if (hooks.type !== 'object') {
    const tell = (namesGuard(hooks) && place.lose) || place.problem;
    tell(hooks, 'hooks', 'an object of events is expected');
    return [];
  }
  return propertiesOf(hooks).flatMap(({ name, value }) => {
    const event = HookEvent.safeParse(name);
    const field = `hooks.${name}`;
    if (!event.success) {
      lostBy(name, place)(value, field, unknownEvent(name));
      return [];
    }
    const lost = lostBy(event.data, place);
    return itemsOf(value, field, lost).flatMap((group, groupIndex) =>
      readGroup(group, event.data, `${field}[${groupIndex}]`, place).map((found) => ({
        ...found,
        groups: value,
        groupIndex,
      })),
    );
  });
}

/** Says what is wrong with a name that is no event's, and what may be meant. */
function unknownEvent(name: string): string {
  if (meansHooks(name)) return 'the name of an event is expected directly below "hooks"';
  const near = nearestName(name, HookEvent.options);
  return near === null
    ? `there is no such event; the events are ${HookEvent.options.join(', ')}`
    : `there is no such event (did you mean "${near}"?)`;
}

function readGroup(
  group: Node,
  event: HookEvent,
  field: string,
  place: HookPlace,
): readonly Pick<FoundHook, 'hook' | 'list' | 'index'>[] {
  const lost = lostBy(event, place);
  if (group.type !== 'object') {
    lost(group, field, 'an object with "matcher" and "hooks" is expected');
    return [];
  }
  tellUnknown(group, GROUP_FIELDS, field, place);
  const read = matcherOf(group, event, `${field}.matcher`, place.problem);
  if (read === null) return [];
  const lists = allNamed(group, 'hooks');
  const holdsMore = propertiesOf(group).some(
    ({ name }) => !GROUP_FIELDS.has(name) && !isSwitchedOff(name, 'hooks'),
  );
  const missing = holdsMore ? lost : place.problem;
  if (lists.length === 0) missing(group, `${field}.hooks`, 'a list of hooks is missing');
  return lists.flatMap((list) =>
    itemsOf(list, `${field}.hooks`, lost).flatMap((node, index) => {
      const handler = readHandler(node, event, `${field}.hooks[${index}]`, place);
      if (handler === null) return [];
      const { source, file } = place;
      const line = place.lineOf(node.offset);
      const hook = { event, ...read, ...handler, source, file, line, off: null };
      return [{ hook, list, index }];
    }),
  );
}

/** The fields of a group of hooks. */
const GROUP_FIELDS: ReadonlySet<string> = new Set(['matcher', 'hooks', 'description']);

/** Tells of the fields of a group or a hook that nobody reads. */
function tellUnknown(
  node: Node,
  known: ReadonlySet<string>,
  prefix: string,
  place: HookPlace,
): void {
  const properties = propertiesOf(node);
  for (const { at, field, message } of unknownAmong(properties, known, `${prefix}.`)) {
    const property = properties.find((each) => each.at === at);
    if (property !== undefined) place.problem(property.value, field, message);
  }
}

function itemsOf(list: Node, field: string, lost: HookPlace['problem']): readonly Node[] {
  if (list.type === 'array') return list.children ?? [];
  lost(list, field, 'a list is expected');
  return [];
}

/** Returns how to tell of hooks of an event that stand in no list that is read: among them may be guards. */
const lostBy =
  (event: string, place: HookPlace): HookPlace['problem'] =>
  (node, field, message) => {
    const isLost =
      (meansGuard(event) && holdsHooks(node)) || (meansHooks(event) && namesGuard(node));
    if (isLost && place.lose) place.lose(node, field, message);
    else place.problem(node, field, message);
  };

function readHandler(
  node: Node,
  event: HookEvent,
  field: string,
  place: HookPlace,
): Handler | null {
  const isLost = GUARD_EVENTS.has(event) && saysWhatRuns(node) && !isUnawaited(node);
  const dropped = (isLost && place.lose) || place.problem;
  const typeNode = findNodeAtLocation(node, ['type']);
  const type = typeNode ? plainValue(typeNode) : undefined;
  const kind = typeof type === 'string' && Object.hasOwn(HANDLERS, type) ? type : null;
  if (kind === null) {
    const message = `one of ${HOOK_TYPES} is expected; this hook is not used`;
    const tell = mayBeType(typeNode) ? dropped : place.problem;
    tell(typeNode ?? node, `${field}.type`, message);
    return null;
  }
  const { schema, fields, expected } = HANDLERS[kind as keyof typeof HANDLERS];
  tellUnknown(node, fields, field, place);
  let value = plainValue(node);
  let hasLostCondition = false;
  for (;;) {
    const parsed = schema.safeParse(value);
    if (parsed.success) {
      const handler = checkCondition(parsed.data, node, event, field, place);
      return handler && hasLostCondition ? { ...handler, widened: true } : handler;
    }
    const path = (parsed.error.issues[0]?.path ?? []).map((part) =>
      typeof part === 'number' ? part : String(part),
    );
    const name = String(path[0] ?? '');
    const at = findNodeAtLocation(node, path) ?? findNodeAtLocation(node, path.slice(0, 1)) ?? node;
    const isSpared = ADDITIONS.has(name) || (name === 'if' && GUARD_EVENTS.has(event));
    const end = !isSpared
      ? 'this hook is not used'
      : name === 'onFailure'
        ? 'it counts as "block"'
        : 'it is left out';
    const tell = isSpared ? place.problem : dropped;
    tell(at, `${field}.${name}`, `${expected[name] ?? 'something else'} is expected; ${end}`);
    if (!isSpared) return null;
    hasLostCondition ||= name === 'if';
    const rest = Object.entries(Object(value)).filter(([key]) => key !== name);
    value = {
      ...Object.fromEntries(rest),
      ...(name === 'onFailure' ? { onFailure: 'block' } : {}),
    };
  }
}

/**
 * Checks a hook's condition; one that cannot be read must not silence a guard: it is widened as a
 * deny rule would be.
 */
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
  const rule = { behavior: 'deny', text: handler.if, source: place.source } as const;
  const { parsed, problem } = readRule(rule);
  const isRead = parsed !== null && mayBeTool(parsed.tool);
  const doubt = problem?.message.replace(/; it is not used$/, '') ?? (parsed && ruleDoubt(parsed));
  const isUsed = isRead || GUARD_EVENTS.has(event);
  const end = isUsed
    ? 'until it is corrected this hook runs for all that its matcher fits'
    : 'this hook is not used';
  if (doubt !== null) place.problem(at, `${field}.if`, isRead ? doubt : `${doubt}; ${end}`);
  if (!isUsed) return null;
  return doubt === null ? handler : { ...handler, widened: true };
}

const HOOK_TYPES = Object.keys(HANDLERS)
  .map((name) => `"${name}"`)
  .join(', ');

/**
 * Returns the text of a settings file without one hook, and without its group when nothing else is
 * in it; comments and layout stay. A hook that no longer stands where it was seen is an error.
 * Pure.
 */
export function withoutHook(text: string, hook: ListedHook): Result<string> {
  const read = readRoot(text, hook.file);
  if (!read.ok) return read;
  const { bom, body, root, tree } = read.value;
  const { source, file } = hook;
  const place = { source, file, lineOf: tree.lineOf, problem: () => {} };
  const found = allNamed(root, 'hooks')
    .flatMap((hooks) => findHooks(hooks, place))
    .find((one) => isSame(one.hook, hook));
  if (found === undefined) return err(GONE);
  return ok(bom + cutOut(body, found));
}

function cutOut(body: string, { list, index, groups, groupIndex }: FoundHook): string {
  const group = groups.children?.[groupIndex] ?? null;
  const alone = allNamed(group, 'hooks').flatMap(({ children = [] }) => children).length === 1;
  return alone ? withoutItem(body, groups, groupIndex) : withoutItem(body, list, index);
}

/** Returns the text of a settings file with `disableAllHooks` set. Pure. */
export function withHooksSwitch(text: string, file: string, disabled: boolean): Result<string> {
  const read = readRoot(text, file);
  if (!read.ok) return read;
  const { bom, body } = read.value;
  const formattingOptions = layoutOf(body);
  return ok(
    bom + applyEdits(body, modify(body, ['disableAllHooks'], disabled, { formattingOptions })),
  );
}

/** Tells whether two hooks are the same one in the same place. */
const isSame = (a: ListedHook, b: ListedHook): boolean =>
  a.line === b.line && a.event === b.event && a.matcher === b.matcher && a.run === b.run;

const GONE = fault(
  'gone',
  'That hook is no longer where it was. Nothing was changed.',
  'Look at the list again.',
);
