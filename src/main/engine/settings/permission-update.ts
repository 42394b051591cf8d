import { z } from 'zod';
import { type PermissionMode, RuleBehavior, type RuleSuggestion } from '../../../shared/permission';
import { ok, type Result } from '../../../shared/result';
import { readRule } from '../permissions/rules';
import { listed, withListed, withMode, withoutListed } from './permission-lists';
import { ModeSetting } from './schema';

/** Where a change of permissions holds: in this session, or in a settings file too. */
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

/** A change of permissions that comes with an answer (CONVENTIONS 4). */
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

/** A rule as settings write it. */
export const ruleText = ({ toolName, ruleContent }: RulesUpdate['rules'][number]): string =>
  ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`;

/** What "always allow" in the dialog would do, in the form a hook can send back. */
export const asUpdate = ({ rule, destination }: RuleSuggestion): RulesUpdate => {
  const [, toolName = rule, ruleContent] = /^([^(]+)\((.*)\)$/s.exec(rule) ?? [];
  return {
    type: 'addRules',
    rules: [{ toolName, ...(ruleContent === undefined ? {} : { ruleContent }) }],
    behavior: 'allow',
    destination,
  };
};

/** Modes that only a person chooses. */
const PERSONAL: readonly PermissionMode[] = ['bypassPermissions', 'auto'];

/**
 * Why a change that did not come from the person is not made; null when it may be. What is denied or asked stays so:
 * such rules can be added, never taken back. Pure.
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

/** The text of a settings file with a change made, comments and layout kept. For one that is not refused. Pure. */
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

/** Without the rules that others take the place of; deny and ask rules all stay. */
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

/** A change in a few words: "allow Bash(npm test)". Pure. */
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
