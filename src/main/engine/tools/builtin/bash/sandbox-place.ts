import type { ShellAnalysis } from '../../../permissions/request';
import { allowsCommand } from '../../../permissions/rule-match';
import { readRule } from '../../../permissions/rules';
import type { SandboxTerms } from '../../tool';
import type { BashInput } from './bash-io';

/** Where a command runs. `vouches` and `left` are what the decision is told of it. */
export interface Place {
  readonly inside: boolean;
  readonly decision?: 'vouches' | 'left';
  readonly mayLeave: boolean;
}

const OUTSIDE: Place = { inside: false, mayLeave: false };

/** Where a command is to run under these terms. Pure. */
export function placeOf(
  input: BashInput,
  analysis: ShellAnalysis,
  terms: SandboxTerms | null,
): Place {
  if (terms === null) return OUTSIDE;
  if (input.dangerouslyDisableSandbox && terms.allowUnsandboxed) {
    return { ...OUTSIDE, decision: 'left' };
  }
  if (terms.excludedCommands.some((pattern) => excludes(pattern, analysis))) return OUTSIDE;
  return {
    inside: true,
    mayLeave: terms.allowUnsandboxed,
    ...(terms.autoAllow ? { decision: 'vouches' as const } : {}),
  };
}

/** Whether a pattern (a command, with or without arguments) names one of the commands of a line. */
function excludes(pattern: string, analysis: ShellAnalysis): boolean {
  const texts = /[*:]/.test(pattern) ? [pattern] : [pattern, `${pattern} *`];
  const rules = texts.flatMap((text) => {
    const { parsed } = readRule({ behavior: 'allow', text: `Bash(${text})`, source: 'session' });
    return parsed ? [parsed] : [];
  });
  return analysis.commands.some((command) =>
    rules.some((rule) => allowsCommand(rule, command) !== 'none'),
  );
}
