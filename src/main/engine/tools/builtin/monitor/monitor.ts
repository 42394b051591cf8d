import { z } from 'zod';
import { COMMAND_LIMITS, type CommandLimits } from '../../../settings/environment';
import { defineTool } from '../../tool';
import { type BashInput, type BashOutput, bashReport, bashView, firstLine } from '../bash/bash-io';
import { runCommand } from '../bash/run-command';
import { commandNeeds, decidedPlacement } from '../bash/sandbox-placement';
import { impossibleCommand } from '../bash/wrapper';

const DEFAULT_TIME_MS = 300_000;
const MAX_TIME_MS = 3_600_000;

const Input = z.strictObject({
  command: z.string().min(1).describe('The command whose output is watched.'),
  description: z.string().min(1).max(200).describe('What is watched for, in a few words.'),
  pattern: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe('Only lines that match this regular expression are told.'),
  timeout_ms: z
    .int()
    .min(1000)
    .max(MAX_TIME_MS)
    .optional()
    .describe(`When it ends by itself (default ${DEFAULT_TIME_MS}, at most ${MAX_TIME_MS}).`),
  persistent: z
    .boolean()
    .optional()
    .describe('True: it goes on until TaskStop or the session ends it.'),
});
type Input = z.infer<typeof Input>;

const DESCRIPTION = `Watches a command in the background and tells you of the lines it prints, as they come: logs, a build, a deployment, a file that changes.

- Each notification costs a request: let only lines through that you will act on, with pattern or with the command itself (grep --line-buffered).
- Lines that come together are told together. For one end to wait for, use Bash with run_in_background instead.
- TaskStop ends it.`;

/** Creates the tool that turns lines of a command's output into notifications. docs/spec.md G7. */
export function createMonitorTool(limits: CommandLimits = COMMAND_LIMITS) {
  const commandOf = ({ command, description }: Input): BashInput => ({
    command,
    description,
    run_in_background: true,
  });
  return defineTool<Input, BashOutput>({
    name: 'Monitor',
    seldom: true,
    description: DESCRIPTION,
    input: Input,
    editable: 'command',
    validateInput: async ({ command, pattern }) =>
      impossibleCommand(command) ?? (pattern === undefined ? null : badPattern(pattern)),
    needs: commandNeeds('Monitor'),
    subject: async ({ command, description }, env) => ({
      kind: 'command',
      command,
      cwd: env.agent.cwd.get(),
      description,
      background: true,
      asks: [],
    }),
    title: ({ description, command = '' }) => ({
      verb: 'Monitor',
      target: description ?? firstLine(command),
    }),
    execute: async function* (input, context) {
      const monitor = {
        pattern: input.pattern ?? null,
        timeoutMs: input.persistent ? null : (input.timeout_ms ?? DEFAULT_TIME_MS),
      };
      const surroundings = { limits, analyze: context.services.parser.analyze, monitor };
      const place = await decidedPlacement(context);
      return yield* runCommand(commandOf(input), place, context, surroundings);
    },
    toModel: (output) => [{ type: 'text', text: bashReport(output) }],
    view: (input, output) => bashView(commandOf(input), output),
  });
}

function badPattern(pattern: string): string | null {
  try {
    new RegExp(pattern, 'u');
    return null;
  } catch (error) {
    return `The pattern is no regular expression: ${error instanceof Error ? error.message : String(error)}`;
  }
}
