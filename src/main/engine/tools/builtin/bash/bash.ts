import { onlyReads } from '../../../permissions/shell-paths';
import { COMMAND_LIMITS, type CommandLimits } from '../../../settings/environment';
import { READS_EVERYTHING } from '../../resource-access';
import { defineTool } from '../../tool';
import {
  type BashInput,
  type BashOutput,
  bashInput,
  bashReport,
  bashView,
  firstLine,
  timeSpan,
} from './bash-io';
import { runCommand } from './run-command';
import { commandNeeds, decidedPlacement } from './sandbox-placement';
import { impossibleCommand } from './wrapper';

const describe = (
  limits: CommandLimits,
): string => `Runs a shell command in a terminal and returns what it printed and its exit code.

- The working directory stays from call to call, as long as it is inside the project; other shell state (variables, functions) does not. Prefer absolute paths to cd.
- For reading, finding, searching and changing files use Read, Glob, Grep, Edit and Write instead of cat, find, grep, sed and echo.
- Quote paths that contain spaces. Join commands that depend on each other with &&; send independent ones as separate calls in one answer.
- Nobody answers questions: use flags such as --yes, and no pagers, editors or other interactive programs.
- ${limitRule(limits)} For servers, watchers and long builds set run_in_background instead of writing &: you get a task id at once, TaskOutput reads its output, TaskStop ends it, and you are told when it ends. Do not wait with sleep.
- Long output is shortened in the middle; all of it is in a file that Read and Grep can open.
- Where a sandbox is on, commands run in it: they can write in the working directories and $TMPDIR and reach only allowed hosts. The result says what it did not allow. dangerouslyDisableSandbox runs a command outside and asks the user each time: use it only when the sandbox stopped what has to be done.`;

const limitRule = ({ timeoutMs, maxTimeoutMs, autoBackground }: CommandLimits): string => {
  const limit = `timeout (${timeSpan(timeoutMs)} unless said otherwise, at most ${timeSpan(maxTimeoutMs)})`;
  return autoBackground
    ? `A command that is not done after ${limit} goes on in the background, as with run_in_background; one that waits for input is ended.`
    : `A command is ended after ${limit}.`;
};

/** Creates the tool that runs shell commands. */
export function createBashTool(limits: CommandLimits = COMMAND_LIMITS) {
  return defineTool<BashInput, BashOutput>({
    name: 'Bash',
    isRepeatable: true,
    description: describe(limits),
    input: bashInput(limits),
    failureCancelsSiblings: true,
    editable: 'command',
    describedBy: 'description',
    maxResultChars: limits.outputChars + 5000,
    // A command that moves the working directory runs alone: where the others run must not depend on who is faster.
    access: async ({ command, run_in_background = false }, { services: { parser } }) => {
      const analysis = await parser.analyze(command);
      const moves = !analysis.ok || (analysis.changesDirectory && !run_in_background);
      return !moves && onlyReads(analysis) ? READS_EVERYTHING : 'alone';
    },
    validateInput: async ({ command }) => impossibleCommand(command),
    needs: commandNeeds('Bash'),
    subject: async ({ command, description, run_in_background }, env) => ({
      kind: 'command',
      command,
      cwd: env.agent.cwd.get(),
      ...(description === undefined ? {} : { description }),
      background: run_in_background ?? false,
      asks: [],
    }),
    title: ({ command = '' }) => ({ verb: 'Bash', target: firstLine(command) }),
    execute: async function* (input, context) {
      const surroundings = { limits, analyze: context.services.parser.analyze };
      return yield* runCommand(input, await decidedPlacement(context), context, surroundings);
    },
    toModel: (output) => [{ type: 'text', text: bashReport(output) }],
    view: bashView,
  });
}
