import { whatGitRuns } from '../../../permissions/git-programs';
import type { PermissionRequest, ShellAnalysis } from '../../../permissions/request';
import { COMMAND_LIMITS, type CommandLimits } from '../../../settings/environment';
import type { ToolContext, ToolEnvironment } from '../../tool';
import type { BashInput } from './bash-io';
import { type CommandSurroundings, runCommand } from './run-command';
import { type Place, placeOf } from './sandbox-place';

/** What running commands needs from outside. */
export interface CommandRunnerOptions {
  /** Default: {@link COMMAND_LIMITS}. */
  readonly limits?: CommandLimits;
  /** Takes a shell line apart; never rejects. */
  readonly analyze: (command: string) => Promise<ShellAnalysis>;
  /** Where the paths named in a line really lead, as `PermissionRequest.realPaths` wants it. */
  readonly lookUpPaths: (
    analysis: ShellAnalysis,
    env: ToolEnvironment,
  ) => Promise<Readonly<Record<string, readonly string[]>>>;
}

/** Runs shell lines where they were allowed to run, whichever tool they are for. */
export interface CommandRunner {
  /** The permission a line needs. Rules for Bash hold, whoever runs it. */
  needs(input: BashInput, env: ToolEnvironment): Promise<PermissionRequest>;
  run(
    input: BashInput,
    context: ToolContext,
    monitor?: CommandSurroundings['monitor'],
  ): ReturnType<typeof runCommand>;
}

/** Creates a runner. It remembers by input object where a line was allowed to run. */
export function createCommandRunner({
  limits = COMMAND_LIMITS,
  analyze,
  lookUpPaths,
}: CommandRunnerOptions): CommandRunner {
  const places = new WeakMap<BashInput, Place>();
  const lookUpPlace = async (input: BashInput, env: ToolEnvironment): Promise<Place> =>
    placeOf(input, await analyze(input.command), await env.sandbox.terms());
  return {
    needs: async (input, env) => {
      const { command } = input;
      const analysis = await analyze(command);
      const place = await lookUpPlace(input, env);
      places.set(input, place);
      const realPaths = await lookUpPaths(analysis, env);
      const cwd = env.cwd.get();
      const sandbox = place.decision === undefined ? {} : { sandbox: place.decision };
      const harm = env.trusted() ? null : await whatGitRuns(analysis, cwd, env.files);
      const gitRuns = harm === null ? {} : { gitRuns: harm };
      return {
        kind: 'shell',
        tool: 'Bash',
        command,
        cwd,
        analysis,
        realPaths,
        ...sandbox,
        ...gitRuns,
      };
    },
    run: async function* (input, context, monitor) {
      // Where it was allowed to run is where it runs, whatever settings say by now.
      const place = places.get(input) ?? (await lookUpPlace(input, context));
      return yield* runCommand(input, place, context, { limits, analyze, monitor });
    },
  };
}
