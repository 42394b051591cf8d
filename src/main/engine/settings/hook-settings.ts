import { applyEdits, findNodeAtLocation, modify, type Node } from 'jsonc-parser';
import { HookEvent, type HookSetting, type ListedHook } from '../../../shared/hooks';
import { nearestName } from '../../../shared/nearest-name';
import type { RuleSource } from '../../../shared/permission';
import { err, fault, ok, type Result } from '../../../shared/result';
import { mayBeTool, ruleDoubt } from '../permissions/rule-doubts';
import {
  canonicalName,
  isKnownTool,
  KNOWN_TOOLS,
  OLD_AGENT,
  presentName,
  readRule,
} from '../permissions/rules';
import { ADDITIONS, HANDLERS, type Handler } from './hook-handlers';
import { layoutOf, plainValue, propertiesOf, readJson, readRoot, withoutItem } from './json-text';
import { unknownAmong } from './known-keys';
import { meansKnownType, namesGuard, saysWhatRuns } from './lost-hooks';
import { GUARD_EVENTS, holdsHooks, isSwitchedOff, meansGuard } from './restricting-keys';

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

/** Returns the hooks of a definition of an agent or a skill; a bad one costs only itself and is told. */
export function hooksOfDefinition(
  value: unknown,
  { source, file }: { readonly source: string; readonly file: string },
  tell: (field: string, message: string) => void,
): readonly HookSetting[] {
  if (value === undefined || value === null) return [];
  if (typeof value !== 'object' || Array.isArray(value)) {
    tell('hooks', 'an object of events is expected');
    return [];
  }
  const { root } = readJson(JSON.stringify(value));
  return readHooks(root as Node, {
    source: source === 'project' ? 'projectSettings' : 'userSettings',
    file,
    lineOf: () => 1,
    problem: (_, field, message) => tell('hooks', `${field.replace(/^hooks\./, '')}: ${message}`),
  });
}

/** Finds all hooks with their places, for callers that change them. */
function findHooks(hooks: Node, place: HookPlace): FoundHook[] {
  if (hooks.type === 'array' && namesGuard(hooks))
    place.lose?.(hooks, 'hooks', 'its hooks stand under no event, so none of them is used');
  return propertiesOf(hooks).flatMap(({ name, value }) => {
    const event = HookEvent.safeParse(name);
    const field = `hooks.${name}`;
    if (!event.success) {
      lostBy(name, place)(value, field, UNKNOWN_EVENT);
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

const UNKNOWN_EVENT = `there is no such event; the events are ${HookEvent.options.join(', ')}`;

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
  const read = matcherOf(group, event, `${field}.matcher`, place);
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

/**
 * Reads the matcher of a group of hooks. One that cannot be read must not silence a guard: there it fits everything. Null
 * where the group is not used. Tells what is wrong.
 */
function matcherOf(
  group: Node,
  event: HookEvent,
  field: string,
  place: HookPlace,
): Pick<HookSetting, 'matcher' | 'widened'> | null {
  const node = allNamed(group, 'matcher').at(-1);
  if (node === undefined) return { matcher: '' };
  const value = plainValue(node);
  const text = typeof value === 'string' ? value.trim() : null;
  const isGuard = GUARD_EVENTS.has(event);
  const ruled = canonicalName(/^(\w+)\s*\(.*\)$/.exec(text ?? '')?.[1] ?? '');
  if (isGuard && isKnownTool(ruled)) {
    place.problem(node, field, `a matcher only names tools, so its hooks run for all of ${ruled}`);
    return { matcher: ruled, widened: true };
  }
  const read = text === null ? err('a text in quotes is expected') : readMatcher(text, event);
  if (!read.ok) {
    const end = isGuard ? 'until it is corrected its hooks run for all' : 'its hooks are not used';
    place.problem(node, field, `${read.error}; ${end}`);
    return isGuard ? { matcher: '', widened: true } : null;
  }
  const doubt = TOOL_EVENTS.has(event) ? matcherDoubt(text ?? '') : null;
  if (doubt !== null) place.problem(node, field, doubt);
  return { matcher: text ?? '' };
}

/** Returns the values of all properties of one name: of hooks that stand twice, any may be a guard. */
export const allNamed = (node: Node | null, name: string): readonly Node[] =>
  propertiesOf(node).flatMap((one) => (one.name === name ? one.value : []));

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

/** Returns why a matcher of tools fits none; null when it may fit one. Pure. */
function matcherDoubt(text: string): string | null {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed === '*' || !NAMES_ONLY.test(trimmed)) return null;
  const names = trimmed.split(/[|,]/).map((name) => name.trim());
  if (names.some((name) => isKnownTool(presentName(name)) || name.startsWith('mcp__'))) return null;
  const spelt = names.find((name) => isKnownTool(canonicalName(name)));
  if (spelt !== undefined)
    return `there is no tool ${spelt}; it is taken for ${canonicalName(spelt)}`;
  const meant = nearestName(names[0] ?? '', KNOWN_TOOLS);
  const advice = meant === null ? '' : `; “${meant}” may be meant`;
  return `there is no tool ${names.join(', ')}, so its hooks never run${advice}`;
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
    const isLost = meansGuard(event) && holdsHooks(node);
    if (isLost && place.lose) place.lose(node, field, message);
    else place.problem(node, field, message);
  };

function readHandler(
  node: Node,
  event: HookEvent,
  field: string,
  place: HookPlace,
): Handler | null {
  const isLost = GUARD_EVENTS.has(event) && saysWhatRuns(node);
  const dropped = (isLost && place.lose) || place.problem;
  const typeNode = findNodeAtLocation(node, ['type']);
  const type = typeNode ? plainValue(typeNode) : undefined;
  const kind = typeof type === 'string' && Object.hasOwn(HANDLERS, type) ? type : null;
  if (kind === null) {
    const message = `one of ${HOOK_TYPES} is expected; this hook is not used`;
    const tell = meansKnownType(node, typeNode) ? dropped : place.problem;
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

/** The events that are about a call. */
const TOOL_EVENTS: ReadonlySet<HookEvent> = new Set<HookEvent>([
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'PostToolUseFailure',
  'PermissionDenied',
]);

/** A test of whether a hook is for a subject: a tool's name, a trigger, a kind of notification. */
export type Matcher = (subject: string) => boolean;

/** Longer patterns are a mistake, or an attack on matching. UTF-16 units. */
const MAX_LENGTH = 1_000;
/** Names are shorter; what comes after this is not looked at, so that no pattern can run for long. UTF-16 units. */
const MAX_SUBJECT = 256;

/** docs/hooks.md: a text of only these is a list of exact names. */
const NAMES_ONLY = /^[A-Za-z0-9_\-, |]*$/;
/** The form of a matcher of kinds of failure: only `|` separates, and fewer characters make a name. */
const FAILURES_ONLY = /^[A-Za-z0-9_|]*$/;
/** A repeated group that repeats or chooses inside itself: matching one can take for ever. */
const ENDLESS = /\((?:[^()\\]|\\.)*(?:[*+|]|\{\d+,\d*\})(?:[^()\\]|\\.)*\)(?:[*+]|\{\d+,\d*\})/;

/**
 * Reads a matcher: exact names separated by `|` or `,`; any other text is a regular expression that may fit
 * anywhere; empty and `*` mean all. The error says what is wrong with it. Pure.
 */
export function readMatcher(text: string, event?: HookEvent): Result<Matcher, string> {
  const trimmed = text.trim();
  const isOfTools = event !== undefined && TOOL_EVENTS.has(event);
  if (trimmed === '' || trimmed === '*') return ok(() => true);
  if (trimmed.length > MAX_LENGTH) {
    return err(`the matcher is longer than ${MAX_LENGTH} characters`);
  }
  if ((event === 'StopFailure' ? FAILURES_ONLY : NAMES_ONLY).test(trimmed)) {
    const listed = trimmed.split(/[|,]/).map((name) => name.trim());
    const meant = isOfTools ? listed.map((name) => presentName(canonicalName(name))) : [];
    const names = new Set([...listed, ...meant]);
    return ok((subject) => names.has(subject));
  }
  if (ENDLESS.test(trimmed)) {
    return err(
      'the matcher repeats a group that itself repeats or chooses, which could take for ever',
    );
  }
  try {
    const pattern = new RegExp(trimmed);
    return ok(
      (subject) =>
        pattern.test(subject.slice(0, MAX_SUBJECT)) ||
        (isOfTools && subject === presentName(OLD_AGENT) && pattern.test(OLD_AGENT)),
    );
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return err(`the matcher is no regular expression (${why})`);
  }
}

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
