import path from 'node:path';
import { err, ok, type Result } from '../../../../../shared/result';
import type { ShellAnalysis } from '../../../permissions/request';
import type { TerminalExit } from '../../../ports';
import type { SandboxedCommand, SandboxViolation } from '../../../ports-sandbox';
import type { CommandLimits } from '../../../settings/environment';
import { newTaskId } from '../../../tasks/lifecycle';
import { plainText } from '../../../tasks/plain-text';
import type { ToolContext, ToolOutcome, ToolProgress } from '../../tool';
import {
  type BashInput,
  type BashOutput,
  bashReport,
  bashView,
  firstLine,
  tailOf,
  timeSpan,
  unansweredNote,
} from './bash-io';
import { readOutput } from './captured-output';
import { exitMeaning } from './exit-meaning';
import type { Place } from './sandbox-place';
import { watchCommand } from './watch-command';
import { adoptWorkingDirectory } from './working-directory';
import { COMMAND_ENVIRONMENT, shellArguments } from './wrapper';

/** Room for tables and progress bars; a viewer may resize it. */
const COLUMNS = 160;
const ROWS = 40;

/** SPEC G4: how long processes get to come down, and how long when the app or a headless run ends. */
const KILL_GRACE_MS = 2000;
const ENDING_GRACE_MS = 500;

/** How long a killed command's end may take to be reported. */
const END_REPORT_MS = 5000;

type Outcome = ToolOutcome<BashOutput>;

/** A command in its terminal. */
interface RunningCommand {
  readonly input: BashInput;
  /** What the model gets of its output. Characters. */
  readonly outputChars: number;
  readonly context: ToolContext;
  readonly taskId: string;
  readonly terminalId: string;
  readonly outputFile: string;
  folderFile: string;
  readonly place: Place;
  /** Set when it runs in the sandbox. */
  inside: SandboxedCommand | null;
  readonly monitor: CommandWorld['monitor'];
  lines: number;
}

/** What running needs besides the call. */
export interface CommandWorld {
  readonly limits: CommandLimits;
  /** Tells what an exit code means. */
  readonly analyze: (command: string) => Promise<ShellAnalysis>;
  /** The command is a monitor, which always runs in the background. */
  readonly monitor?:
    | { readonly pattern: RegExp | null; readonly timeoutMs: number | null }
    | undefined;
}

/** Runs one command to its end, or until it goes to the background; `place` is where it was allowed to run. */
export async function* runCommand(
  input: BashInput,
  place: Place,
  context: ToolContext,
  { limits, analyze, monitor }: CommandWorld,
): AsyncGenerator<ToolProgress, Outcome> {
  const timeoutMs = input.timeout ?? limits.timeoutMs;
  const started = await start(input, place, context, { limits, analyze, monitor });
  if (!started.ok) return { ok: false, message: started.error };
  const command = started.value;
  if (input.run_in_background) return toBackground(command, 'It runs in the background');
  const watching = watchCommand(command.terminalId, timeoutMs, context);
  let step = await watching.next();
  while (!step.done) {
    command.lines = step.value.lines;
    const text = tailOf(plainText(step.value.tail));
    yield { view: bashView(input, outputOf(command, { text, note: null })) };
    step = await watching.next();
  }
  const end = step.value;
  switch (end.kind) {
    case 'exited':
      return conclude(command, end.exit, analyze);
    case 'background':
      return toBackground(command, 'It was moved to the background and goes on');
    case 'timeout':
      return cutShort(command, `Ended after its time limit of ${timeSpan(timeoutMs)}.`);
    case 'aborted':
      return cutShort(command, 'Interrupted before it finished.');
  }
}

async function start(
  input: BashInput,
  place: Place,
  context: ToolContext,
  { limits, monitor }: CommandWorld,
): Promise<Result<RunningCommand, string>> {
  const cwd = context.cwd.get();
  const taskFolder = path.join(context.sessionFolder, 'tasks');
  const taskId = newTaskId(monitor ? 'monitor' : 'local_bash', context.ids);
  const command: RunningCommand = {
    input,
    outputChars: limits.outputChars,
    context,
    taskId,
    terminalId: context.ids.next('trm'),
    outputFile: path.join(taskFolder, `${taskId}.output`),
    folderFile: path.join(taskFolder, `${taskId}.cwd`),
    place,
    inside: null,
    monitor,
    lines: 0,
  };
  const argv = await argumentsOf(command);
  if (!argv.ok)
    return err(`The sandbox could not be set up, so nothing ran: ${argv.error.message}`);
  const spawned = await spawn(command, argv.value, cwd);
  if (spawned.ok) {
    command.inside?.started(spawned.value.pid);
    return ok(command);
  }
  await command.inside?.ended();
  if (spawned.error.code !== 'no_folder')
    return err(`The command could not be started: ${spawned.error.message}`);
  context.cwd.set(context.project);
  return err(
    `The working directory ${cwd} is gone. It was set back to ${context.project}; nothing ran. Try again if the command fits there.`,
  );
}

/** What the shell is started with; in the sandbox by way of it. */
async function argumentsOf(command: RunningCommand): Promise<Result<readonly string[]>> {
  const { input, context } = command;
  const keepsFolder = input.run_in_background !== true;
  const shellWith = (folderFile: string) =>
    shellArguments(context.shell, input.command, keepsFolder ? folderFile : null);
  if (!command.place.inside) return ok(shellWith(command.folderFile));
  const entered = await context.sandbox.enter(
    {
      callId: context.callId,
      text: input.command,
      argv: (temp) => {
        command.folderFile = path.join(temp, path.basename(command.folderFile));
        return shellWith(command.folderFile);
      },
    },
    context.signal,
  );
  if (!entered.ok) return entered;
  command.inside = entered.value;
  return ok(entered.value.argv);
}

async function spawn(command: RunningCommand, argv: readonly string[], cwd: string) {
  const { input, context } = command;
  return context.terminals.spawn({
    id: command.terminalId,
    kind: 'command',
    sessionId: context.sessionId,
    project: context.project,
    callId: context.callId,
    taskId: command.taskId,
    title: titleOf(input),
    command: input.command,
    argv,
    cwd,
    env: { ...(await context.shellEnv()), ...COMMAND_ENVIRONMENT },
    cols: COLUMNS,
    rows: ROWS,
    outputFile: command.outputFile,
  });
}

const titleOf = (input: BashInput): string => input.description ?? firstLine(input.command);

/** The command ended by itself (or its terminal was lost). */
async function conclude(
  command: RunningCommand,
  exit: TerminalExit,
  analyze: (command: string) => Promise<ShellAnalysis>,
): Promise<Outcome> {
  const { input, context } = command;
  const [{ text }, folderNote, blocked] = await Promise.all([
    readOutput(command.outputFile, command.outputChars, context.files, exit.output),
    exit.lost === undefined ? adoptWorkingDirectory(command.folderFile, context) : null,
    command.inside?.ended(),
  ]);
  if (exit.lost !== undefined) {
    const note = `The terminal host was lost while this ran (${exit.lost}); what it did until then is done.`;
    return failedWith(outputOf(command, { text, note }));
  }
  const meaning =
    exit.exitCode === 0
      ? { failed: false }
      : exitMeaning(input.command, await analyze(input.command), exit, text);
  const output = {
    ...outputOf(command, { text, note: exit.note ?? meaning.note ?? null }),
    exitCode: exit.exitCode,
    folderNote,
    sandbox: sandboxOf(command, blocked, meaning.failed),
  };
  return meaning.failed ? failedWith(output) : { ok: true, output };
}

/** Ends the command's whole process tree and reports what it printed until then. */
async function cutShort(command: RunningCommand, reason: string): Promise<Outcome> {
  const { terminals, clock, files, signal } = command.context;
  const grace = signal.reason === 'ending' ? ENDING_GRACE_MS : KILL_GRACE_MS;
  const { survivors } = await terminals.kill(command.terminalId, grace);
  const reported = new AbortController();
  await Promise.race([
    terminals.exited(command.terminalId),
    clock.sleep(END_REPORT_MS, reported.signal),
  ]);
  reported.abort();
  await files.remove(command.folderFile);
  const { text } = await readOutput(command.outputFile, command.outputChars, files);
  const blocked = await command.inside?.ended();
  const left =
    survivors.length === 0 ? '' : ` These processes would not end: ${survivors.join(', ')}.`;
  const asked = signal.aborted ? '' : unansweredNote(text);
  const output = outputOf(command, { text, note: reason + asked + left });
  return failedWith({ ...output, sandbox: sandboxOf(command, blocked, false) });
}

/** The command goes on as a task; what it printed so far is given now. */
async function toBackground(command: RunningCommand, how: string): Promise<Outcome> {
  const { input, context, taskId, terminalId, outputFile } = command;
  context.tasks.adoptTerminal({
    taskId,
    callId: context.callId,
    terminalId,
    title: titleOf(input),
    command: input.command,
    outputFile,
    ...(command.monitor ? { monitor: command.monitor } : {}),
  });
  if (command.inside) {
    context.sandbox.follow(command.inside, context.terminals.exited(terminalId));
  }
  if (command.monitor) return monitoring(command);
  const { text } = await context.tasks.readNewOutput(taskId);
  const note = `${how} as task ${taskId}. Its output goes to ${outputFile}; TaskOutput reads what is new. You will be told when it ends.`;
  return { ok: true, output: { ...outputOf(command, { text: text.trimEnd(), note }), taskId } };
}

/** What a monitor prints is told later, so nothing of it is read now. */
function monitoring(command: RunningCommand): Outcome {
  const { taskId, outputFile } = command;
  const note = `It runs as monitor ${taskId}; you are told of its lines as they come, and when it ends. Everything it prints goes to ${outputFile}.`;
  return { ok: true, output: { ...outputOf(command, { text: '', note }), taskId } };
}

const outputOf = (
  command: RunningCommand,
  known: { readonly text: string; readonly note: string | null },
): BashOutput => ({
  ...known,
  totalLines: Math.max(command.lines, known.text === '' ? 0 : known.text.split('\n').length),
  exitCode: null,
  folderNote: null,
  terminalId: command.terminalId,
  outputFile: command.outputFile,
  taskId: null,
  sandbox: sandboxOf(command, undefined, false),
});

const sandboxOf = (
  { inside, place }: RunningCommand,
  violations: readonly SandboxViolation[] | undefined,
  failed: boolean,
): BashOutput['sandbox'] =>
  inside === null ? null : { violations: violations ?? [], failed, mayLeave: place.mayLeave };

const failedWith = (output: BashOutput): Outcome => ({
  ok: false,
  message: bashReport(output),
  output,
});
