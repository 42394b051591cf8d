import { applyEdits, findNodeAtLocation, modify, type Node } from 'jsonc-parser';
import { z } from 'zod';
import { type PermissionMode, RuleBehavior, type RuleSuggestion } from '../../../shared/permission';
import { ok, type Result } from '../../../shared/result';
import { readRule } from '../permissions/rules';
import { layoutOf, plainValue, readRoot, refuse, withoutItem } from './json-text';
import { ModeSetting } from './schema';

/** The place where a change of permissions holds: this session, or a settings file too. */
export const UpdateDestination = z.enum([
  'session',
  'localSettings',
  'projectSettings',
  'userSettings',
]);
export type UpdateDestination = z.infer<typeof UpdateDestination>;

/** Lists of a reply are no longer than this. */
const MAX_ITEMS = 200;
const Text = z.string().min(1).max(4_000);

/** A change of permissions that comes with an answer (docs/hooks.md). */
export const PermissionUpdate = z.discriminatedUnion('type', [
  z.object({
    type: z.enum(['addRules', 'replaceRules', 'removeRules']),
    rules: z
      .array(z.object({ toolName: Text, ruleContent: z.string().max(10_000).optional() }))
      .max(MAX_ITEMS),
    behavior: RuleBehavior,
    destination: UpdateDestination,
  }),
  z.object({ type: z.literal('setMode'), mode: ModeSetting, destination: UpdateDestination }),
  z.object({
    type: z.enum(['addDirectories', 'removeDirectories']),
    directories: z.array(Text).max(MAX_ITEMS),
    destination: UpdateDestination,
  }),
]);
export type PermissionUpdate = z.infer<typeof PermissionUpdate>;

/** The change of rules among them. */
export type RulesUpdate = Extract<PermissionUpdate, { readonly rules: unknown }>;

/** Returns a rule as settings write it. */
export const ruleText = ({ toolName, ruleContent }: RulesUpdate['rules'][number]): string =>
  ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`;

/** Returns what "always allow" in the dialog would do, in the form a hook can send back. */
export const asUpdate = ({ rule, destination }: RuleSuggestion): RulesUpdate => {
  const [, toolName = rule, ruleContent] = /^([^(]+)\((.*)\)$/s.exec(rule) ?? [];
  return {
    type: 'addRules',
    rules: [{ toolName, ...(ruleContent === undefined ? {} : { ruleContent }) }],
    behavior: 'allow',
    destination,
  };
};

/** Modes that only the user chooses. */
const PERSONAL: readonly PermissionMode[] = ['bypassPermissions', 'auto'];

/**
 * Returns why a change that did not come from the user is not made; null when it may be. What is
 * denied or asked stays so: such rules can be added, never taken back. Pure.
 */
export function refusalOf(update: PermissionUpdate): string | null {
  if (update.type === 'setMode') {
    return PERSONAL.includes(update.mode) ? `only you can choose the mode ${update.mode}` : null;
  }
  if (!('rules' in update)) return null;
  const { type, behavior } = update;
  if (type === 'removeRules') {
    return behavior === 'allow' ? null : `only you can take ${behavior} rules back`;
  }
  const problems = update.rules.map(
    (rule) => readRule({ behavior, text: ruleText(rule), source: 'session' }).problem,
  );
  const [bad] = problems.flatMap((problem) => problem?.message ?? []);
  return bad ?? null;
}

/**
 * Returns the text of a settings file with a change made, comments and layout kept. For one that is
 * not refused. Pure.
 */
export function withUpdate(text: string, file: string, update: PermissionUpdate): Result<string> {
  switch (update.type) {
    case 'setMode':
      return withMode(text, file, update.mode);
    case 'addDirectories':
      return each(text, update.directories, (t, item) =>
        withListed(t, file, 'additionalDirectories', item),
      );
    case 'removeDirectories':
      return each(text, update.directories, (t, item) =>
        withoutListed(t, file, 'additionalDirectories', item),
      );
    case 'removeRules':
      return each(text, update.rules.map(ruleText), (t, item) =>
        withoutListed(t, file, update.behavior, item),
      );
    case 'addRules':
    case 'replaceRules': {
      const cleared = update.type === 'replaceRules' ? replaced(text, file, update) : ok(text);
      if (!cleared.ok) return cleared;
      return each(cleared.value, update.rules.map(ruleText), (t, item) =>
        withListed(t, file, update.behavior, item),
      );
    }
  }
}

/** Removes the allow rules that others replace; deny and ask rules all stay. */
function replaced(text: string, file: string, { behavior, rules }: RulesUpdate): Result<string> {
  if (behavior !== 'allow') return ok(text);
  const before = listed(text, file, behavior);
  if (!before.ok) return before;
  const stays = new Set(rules.map(ruleText));
  const gone = before.value.filter((rule) => !stays.has(rule));
  return each(text, gone, (t, item) => withoutListed(t, file, behavior, item));
}

const each = (
  text: string,
  items: readonly string[],
  change: (text: string, item: string) => Result<string>,
): Result<string> =>
  items.reduce<Result<string>>(
    (done, item) => (done.ok ? change(done.value, item) : done),
    ok(text),
  );

/** Describes a change in a few words: "allow Bash(npm test)". Pure. */
export function updateWords(update: PermissionUpdate): string {
  switch (update.type) {
    case 'setMode':
      return `the mode ${update.mode}`;
    case 'addDirectories':
      return `the folders ${update.directories.join(', ')}`;
    case 'removeDirectories':
      return `no longer the folders ${update.directories.join(', ')}`;
    case 'removeRules':
      return `no longer ${update.behavior} ${rulesIn(update)}`;
    case 'replaceRules':
      return `${update.behavior === 'allow' ? 'only ' : ''}${update.behavior} ${rulesIn(update)}`;
    case 'addRules':
      return `${update.behavior} ${rulesIn(update)}`;
  }
}

const rulesIn = ({ rules }: RulesUpdate): string => rules.map(ruleText).join(', ');

/** A list of texts in `permissions`: the rules of one behavior, or folders. */
export type PermissionList = RuleBehavior | 'additionalDirectories';

/** A list in a settings file, or why the file cannot be changed. */
interface FoundList {
  readonly bom: string;
  /** The text without its byte order mark. */
  readonly body: string;
  /** Absent when the file has no such list. */
  readonly node: Node | undefined;
}

function readList(text: string, file: string, list: PermissionList): Result<FoundList> {
  const read = readRoot(text, file);
  if (!read.ok) return read;
  const { bom, body, root, tree } = read.value;
  const permissions = findNodeAtLocation(root, ['permissions']);
  if (permissions && permissions.type !== 'object')
    return refuse(file, 'permissions is not an object', tree.lineOf(permissions.offset));
  const node = findNodeAtLocation(root, ['permissions', list]);
  if (node && node.type !== 'array')
    return refuse(file, `permissions.${list} is not a list`, tree.lineOf(node.offset));
  return ok({ bom, body, node });
}

const placesOf = (list: Node | undefined, item: string): number[] =>
  (list?.children ?? []).flatMap((node, at) => (plainValue(node) === item ? [at] : []));

/**
 * Returns the text of a settings file with one more item in a list; the same text when it has it.
 * Pure.
 */
export function withListed(
  text: string,
  file: string,
  list: PermissionList,
  item: string,
): Result<string> {
  const read = readList(text, file, list);
  if (!read.ok) return read;
  const { bom, body, node } = read.value;
  if (placesOf(node, item).length > 0) return ok(text);
  const formattingOptions = layoutOf(body);
  const edits = node
    ? modify(body, ['permissions', list, -1], item, { formattingOptions, isArrayInsertion: true })
    : modify(body, ['permissions', list], [item], { formattingOptions });
  return ok(bom + ended(applyEdits(body, edits), formattingOptions.eol));
}

/**
 * Returns the text of a settings file without an item of a list, however often it stands there.
 * Pure.
 */
export function withoutListed(
  text: string,
  file: string,
  list: PermissionList,
  item: string,
): Result<string> {
  const read = readList(text, file, list);
  if (!read.ok) return read;
  const { bom, body, node } = read.value;
  const [place] = placesOf(node, item);
  if (node === undefined || place === undefined) return ok(text);
  return withoutListed(bom + withoutItem(body, node, place), file, list, item);
}

/** Returns the texts in a list of a settings file. Pure. */
function listed(text: string, file: string, list: PermissionList): Result<string[]> {
  const read = readList(text, file, list);
  if (!read.ok) return read;
  const items = (read.value.node?.children ?? []).map(plainValue);
  return ok(items.filter((item) => typeof item === 'string'));
}

/** Returns the text of a settings file with the mode that sessions begin in. Pure. */
function withMode(text: string, file: string, mode: string): Result<string> {
  const read = readList(text, file, 'allow');
  if (!read.ok) return read;
  const { bom, body } = read.value;
  const formattingOptions = layoutOf(body);
  const edits = modify(body, ['permissions', 'defaultMode'], mode, { formattingOptions });
  return ok(bom + ended(applyEdits(body, edits), formattingOptions.eol));
}

const ended = (text: string, eol = '\n'): string => (text.endsWith('\n') ? text : `${text}${eol}`);
