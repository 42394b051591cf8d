import { byRule, type Cause } from './decision';
import { writeUse } from './file-commands';
import { isInWorkingDirectories } from './paths';
import { NO_COMMAND, type ShellCommand } from './request';
import { allowableTexts, allowsCommand, coversFile } from './rule-match';
import { coversTool, type ParsedRule } from './rules';
import { variableRisk } from './shell-analysis/variables';
import { realPathsOf, type ShellContext } from './shell-paths';

/** A command nothing allows yet. `onlyWrites`: the command itself is allowed, its redirections are not. */
export interface Missing {
  readonly command: ShellCommand;
  readonly cause: Cause;
  readonly onlyWrites: boolean;
}

/** Returns the allow rule that names the whole line word for word, if there is one. */
export function wholeLineRule(shell: ShellContext): ParsedRule | null {
  const line = shell.request.command.trim();
  const whole = { ...NO_COMMAND, words: [line], text: line };
  return rulesFor(shell, whole).find((rule) => allowsCommand(rule, whole) === 'exact') ?? null;
}

/** Returns the allow rules that may name a command, in their order. */
const rulesFor = (shell: ShellContext, command: ShellCommand): readonly ParsedRule[] =>
  shell.rules
    .select('allow', () => ({ texts: allowableTexts(command) }))
    .filter((rule) => coversTool(rule.tool, shell.request.tool));

/** Returns for every command of the line what allows it, or that nothing does. */
export function commandGrants(shell: ShellContext): {
  readonly granted: Cause[];
  readonly missing: Missing[];
} {
  const granted: Cause[] = [];
  const missing: Missing[] = [];
  shell.request.analysis.commands.forEach((command, index) => {
    if (command.role !== 'inner' && command.role !== 'wrapper') {
      const cause = grantFor(shell, command, index);
      if (cause) granted.push(cause);
      else {
        const reason =
          shell.mode === 'plan'
            ? `plan mode only reads, and “${shorten(command.text)}” is not known to only read`
            : `no rule allows “${shorten(command.text)}”`;
        missing.push({ command, cause: { reason, part: command }, onlyWrites: false });
        return;
      }
    }
    const write = ungrantedWrite(shell, command, index);
    if (write)
      missing.push({
        command,
        cause: { reason: `it writes ${write}, and nothing allows that`, part: command },
        onlyWrites: true,
      });
  });
  return { granted, missing };
}

function grantFor(shell: ShellContext, command: ShellCommand, index: number): Cause | null {
  const quoted = `“${shorten(command.text)}”`;
  if (shell.mode === 'acceptEdits' && writeUse(command)?.acceptable && quiet(command))
    return { reason: `${quoted} edits inside the working directories, which is accepted` };
  if (shell.mode !== 'plan') {
    const rule = rulesFor(shell, command).find((candidate) => {
      const match = allowsCommand(candidate, command);
      return match === 'exact' || match === 'whole' || (match === 'pattern' && !command.role);
    });
    if (rule) return byRule(rule.rule, `an allow rule covers ${quoted}`);
  }
  return shell.request.touches[index]?.use === 'reads' ? { reason: `${quoted} only reads` } : null;
}

const quiet = (command: ShellCommand): boolean =>
  command.assignments.every((text) => variableRisk(text) === 'harmless') &&
  command.role === undefined;

/** Returns the first redirection target that neither the mode nor an Edit rule allows. */
function ungrantedWrite(shell: ShellContext, command: ShellCommand, index: number): string | null {
  if (command.writes.length === 0) return null;
  if (command.writes.includes(null)) return 'a file that is only known at run time';
  const touches = shell.request.touches[index]?.touches ?? [];
  const targets = touches.filter((touch) => touch.access === 'edit' && touch.redirection);
  const refused = targets.find((touch) => {
    const real = realPathsOf(shell, touch);
    if (real === null || touch.glob) return true;
    return ![touch.path, ...real].every(
      (end) =>
        (shell.mode === 'acceptEdits' && isInWorkingDirectories(end, shell.context)) ||
        (shell.mode !== 'plan' && hasEditRule(shell, end)),
    );
  });
  return refused?.path ?? null;
}

const hasEditRule = (shell: ShellContext, end: string): boolean =>
  shell.rules
    .select('allow', () => ({ paths: [end] }))
    .some((rule) => rule.tool === 'Edit' && coversFile(rule, end, false, shell.context));

const shorten = (text: string): string => (text.length > 100 ? `${text.slice(0, 97)}…` : text);
