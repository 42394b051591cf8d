import type { Decision, PermissionMode } from '../../../shared/permission';
import type { DecisionContext, PermissionRequest } from './request';
import type { ParsedRule } from './rules';
import type { ShellCase } from './shell-case';
import { commandGrants, wholeLineRule } from './shell-grants';
import { touchesOf } from './shell-paths';
import { restrictions } from './shell-restrictions';
import { hardChecks, softChecks } from './shell-safety';
import { suggestForShell } from './suggest';
import { allowed, asked, byRule, denied } from './verdict';

type ShellRequest = Extract<PermissionRequest, { kind: 'shell' }>;

/** Decides on a shell line: every command in it, every redirection, every path it names. */
export function decideShell(
  request: ShellRequest,
  rules: readonly ParsedRule[],
  mode: PermissionMode,
  context: DecisionContext,
): Decision {
  const here: DecisionContext = { ...context, cwd: request.cwd };
  const shell: ShellCase = {
    request,
    rules,
    mode,
    context: here,
    touches: request.analysis.commands.map((command) => touchesOf(command, here)),
  };
  const deny = restrictions(shell, 'deny');
  if (deny.sure.length > 0) return denied(deny.sure);
  const ask = restrictions(shell, 'ask');
  if (ask.sure.length > 0) return asked(ask.sure, []);
  const hard = [...hardChecks(shell), ...deny.perhaps, ...ask.perhaps];
  if (request.sandbox === 'left') hard.push({ reason: 'it is to run outside the sandbox' });
  if (hard.length > 0) return asked(hard, []);
  if (mode === 'bypassPermissions') return allowed([{ reason: 'permissions are bypassed' }]);

  if (request.sandbox === 'vouches' && mode !== 'plan')
    return allowed([{ reason: 'it runs in the sandbox, and such commands are not asked about' }]);

  const whole = mode === 'plan' ? null : wholeLineRule(shell);
  if (whole) return allowed([byRule(whole.rule, 'an allow rule names exactly this')]);
  const { granted, missing } = commandGrants(shell);
  const soft = softChecks(shell);
  if (soft.length === 0 && missing.length === 0) return allowed(granted);
  const grounds = [...soft, ...missing.map(({ ground }) => ground)];
  const suggestions = mode === 'plan' ? [] : suggestForShell(shell, missing, soft.length > 0);
  return asked(grounds, suggestions);
}
