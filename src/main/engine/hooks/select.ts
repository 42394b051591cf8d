import type { HookSetting } from '../../../shared/hooks';
import { readMatcher } from '../settings/hook-settings';
import type { HookRequest } from './hook-request';

/** Returns the hooks that fit a request, in the order of the settings, each command once (docs/hooks.md). */
export async function hooksFor(
  hooks: readonly HookSetting[],
  request: HookRequest,
): Promise<readonly HookSetting[]> {
  const fitting = hooks.filter((hook) => fits(hook, request));
  const wanted = await Promise.all(
    fitting.map((hook) => hook.if === undefined || (request.covers?.(hook.if) ?? false)),
  );
  return distinct(fitting.filter((_, i) => wanted[i]));
}

function fits(hook: HookSetting, { event, subject }: HookRequest): boolean {
  if (hook.off !== null || hook.event !== event) return false;
  if (WITHOUT_SUBJECT.has(event)) return true;
  const matcher = readMatcher(hook.matcher, event);
  return matcher.ok && matcher.value(subject);
}

/** Events at which a matcher has nothing to look at; it is ignored there. */
const WITHOUT_SUBJECT: ReadonlySet<string> = new Set([
  'UserPromptSubmit',
  'PostToolBatch',
  'Stop',
  'CwdChanged',
]);

/** The same hook from two places or two matchers runs once. */
function distinct(hooks: readonly HookSetting[]): readonly HookSetting[] {
  const seen = new Set<string>();
  return hooks.filter(({ type, run, args, shell, headers, model, async }) => {
    const key = JSON.stringify([type, run, args, shell, headers, model, async]);
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}
