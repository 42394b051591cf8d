import path from 'node:path';
import { err, ok, type Result } from '../../../../../shared/result';
import { isSettled } from '../../../../../shared/task';
import { livesOn } from '../../../../../shared/terminal';
import { createWaker } from '../../../../../shared/waker';
import type { ShellAnalysis } from '../../../permissions/request';
import type { SandboxedCommand, SandboxViolation } from '../../../ports-sandbox';
import type { CommandLimits } from '../../../settings/environment';
import { type CommandSpec, localBash } from '../../../tasks/runners/local-bash';
import { monitor } from '../../../tasks/runners/monitor';
import type { StartedTask, TaskEnd, TaskProgress } from '../../../tasks/task-runner';
import type { ToolContext } from '../../environment';
import type { ToolOutcome, ToolProgress } from '../../tool';
import { asksSomething, isWorthKeeping } from './auto-background';
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
import type { SandboxPlacement } from './sandbox-placement';
import { adoptWorkingDirectory, COMMAND_ENVIRONMENT, shellArguments } from './wrapper';

/** The time processes get to come down, and the time when the app or a headless run ends. docs/spec.md G4. */
const KILL_GRACE_MS = 2000;
const ENDING_GRACE_MS = 500;

/** After this long a command is shown even when it has printed nothing, with its time limit. Milliseconds. */
const SHOWN_AFTER_MS = 1000;

type Outcome = ToolOutcome<BashOutput>;

/** The parts that run a command besides its call. */
export interface CommandSurroundings {
  readonly limits: CommandLimits;
  /** Tells what an exit code means. */
  readonly analyze: (command: string) => Promise<ShellAnalysis>;
  /** Makes the command a monitor, which always runs in the background. */
  readonly monitor?:
    | { readonly pattern: string | null; readonly timeoutMs: number | null }
    | undefined;
}

/** A command in its terminal. */
interface ShellRun {
  readonly input: BashInput;
  readonly context: ToolContext;
  readonly placement: SandboxPlacement;
  readonly surroundings: CommandSurroundings;
  readonly terminalId: string;
  readonly folderFile: string;
  /** Set when it runs in the sandbox. */
  readonly inside: SandboxedCommand | null;
  readonly task: StartedTask;
  progress: TaskProgress;
  waitsForInput: boolean;
  /** At its time limit it goes on in the background; null while that was not looked at. */
  movesAtLimit: boolean | null;
}

/** Runs one command to its end, or until it goes to the background; `placement` is where it was allowed to run. */
export async function* runCommand(
  input: BashInput,
  placement: SandboxPlacement,
  context: ToolContext,
  surroundings: CommandSurroundings,
): AsyncGenerator<ToolProgress, Outcome> {
  const timeoutMs = timeLimit(input, surroundings);
  const started = await start(input, placement, context, surroundings);
  if (!started.ok) return { ok: false, message: started.error };
  const command = started.value;
  if (surroundings.monitor) return monitoring(command);
  if (input.run_in_background) return inBackground(command, 'It runs in the background');
  const watching = watch(command, timeoutMs);
  let step = await watching.next();
  while (!step.done) {
    yield { view: bashView(input, outputOf(command, { text: tailOf(command.progress.tail) })) };
    step = await watching.next();
  }
  const outcome = await concluded(command, step.value, timeoutMs);
  command.task.cleanup();
  return outcome;
}

const timeLimit = ({ timeout }: BashInput, { limits }: CommandSurroundings): number =>
  timeout ?? limits.timeoutMs;

/** The reason a command is no longer watched. */
type WatchEnd =
  | { readonly kind: 'ended'; readonly end: TaskEnd }
  | { readonly kind: 'background' | 'timeout' | 'aborted' };

function concluded(command: ShellRun, why: WatchEnd, timeoutMs: number): Promise<Outcome> {
  switch (why.kind) {
    case 'ended':
      return conclude(command, why.end);
    case 'background':
      return toBackground(command, 'It was moved to the background and goes on');
    case 'timeout':
      return atLimit(command, timeSpan(timeoutMs));
    case 'aborted':
      return cutShort(command, 'Interrupted before it finished.');
  }
}

/**
 * Decides what becomes of a command whose time is over. What waits for an answer is not worth keeping, unless the
 * user is there and answers.
 */
async function atLimit(command: ShellRun, limit: string): Promise<Outcome> {
  const isAnswered = command.progress.typed === true || !asksSomething(command.progress.tail);
  const moves = (await movesAtLimit(command)) && isAnswered;
  return moves
    ? toBackground(command, `It reached its time limit of ${limit} and goes on in the background`)
    : cutShort(command, `Ended after its time limit of ${limit}.`);
}

async function movesAtLimit(command: ShellRun): Promise<boolean> {
  const { limits, analyze } = command.surroundings;
  command.movesAtLimit ??=
    limits.autoBackground && isWorthKeeping(await analyze(command.input.command));
  return command.movesAtLimit;
}

async function start(
  input: BashInput,
  placement: SandboxPlacement,
  context: ToolContext,
  surroundings: CommandSurroundings,
): Promise<Result<ShellRun, string>> {
  const cwd = context.agent.cwd.get();
  const terminalId = context.services.ids.next('trm');
  const prepared = await prepare(input, placement, context, terminalId);
  if (!prepared.ok)
    return err(`The sandbox could not be set up, so nothing ran: ${prepared.error.message}`);
  const { argv, env, folderFile, inside } = prepared.value;
  const spec: CommandSpec = {
    terminalId,
    project: context.session.project,
    command: input.command,
    argv,
    cwd,
    env,
    onStarted: (pid) => inside?.started(pid),
  };
  const about = {
    callId: context.callId,
    title: input.description ?? firstLine(input.command),
    command: input.command,
    background: input.run_in_background === true,
  };
  const task = surroundings.monitor
    ? context.agent.tasks.start(monitor, { ...spec, ...surroundings.monitor }, about)
    : context.agent.tasks.start(localBash, spec, about);
  const running = await task.running;
  if (running.ok) {
    const progress = { bytes: 0, lines: 0, tail: '' };
    return ok({
      ...{ input, context, placement, surroundings, terminalId, folderFile, inside },
      ...{ task, progress, waitsForInput: false, movesAtLimit: null },
    });
  }
  task.cleanup();
  await inside?.ended();
  if (running.error.code !== 'no_folder')
    return err(`The command could not be started: ${running.error.message}`);
  const home = context.agent.worktree.get() ?? context.session.project;
  if (cwd === home) return err(`The folder ${cwd} is gone, so nothing ran.`);
  context.agent.cwd.set(home);
  return err(
    `The working directory ${cwd} is gone. It was set back to ${home}; nothing ran. Try again if the command fits there.`,
  );
}

/** A shell command ready to start; `folderFile` is where it leaves its last folder. */
interface Prepared {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly folderFile: string;
  readonly inside: SandboxedCommand | null;
}

/** Puts a command into the sandbox when it belongs there. */
async function prepare(
  input: BashInput,
  placement: SandboxPlacement,
  context: ToolContext,
  terminalId: string,
): Promise<Result<Prepared>> {
  const keepsFolder = input.run_in_background !== true;
  const shellWith = (file: string) =>
    shellArguments(context.services.shell, input.command, keepsFolder ? file : null);
  const name = `${terminalId}.cwd`;
  let folderFile = path.join(context.session.folder, 'tasks', name);
  const env = { ...(await context.session.shellEnv()), ...COMMAND_ENVIRONMENT };
  if (!placement.inside) return ok({ argv: shellWith(folderFile), env, folderFile, inside: null });
  const entered = await context.session.sandbox.enter(
    {
      callId: context.callId,
      text: input.command,
      env,
      argv: (temp) => {
        folderFile = path.join(temp, name);
        return shellWith(folderFile);
      },
    },
    context.signal,
  );
  if (!entered.ok) return entered;
  const { value } = entered;
  return ok({ argv: value.argv, env: value.env, folderFile, inside: value });
}

/** Notes a command's progress as it comes (the newest only, when it comes too fast), and returns why that ended. */
async function* watch(command: ShellRun, timeoutMs: number): AsyncGenerator<void, WatchEnd> {
  const { context, task } = command;
  const { clock } = context.services;
  const over = new AbortController();
  const waker = createWaker();
  const unfollow = context.agent.tasks.onProgress(
    task.taskId,
    ({ status, waitsForInput }, news) => {
      if (isSettled(status)) return;
      command.waitsForInput = waitsForInput === true;
      command.progress = news;
      waker.wake();
    },
  );
  const atLimit = async (): Promise<WatchEnd> => {
    const endsAt = clock.now() + timeoutMs;
    await clock.sleep(Math.min(SHOWN_AFTER_MS, timeoutMs), over.signal);
    if (!over.signal.aborted) {
      await movesAtLimit(command);
      waker.wake();
    }
    const leftMs = endsAt - clock.now();
    if (leftMs > 0) await clock.sleep(leftMs, over.signal);
    return { kind: 'timeout' };
  };
  const limit = atLimit();
  const aborted = Promise.withResolvers<WatchEnd>();
  const onAbort = () => aborted.resolve({ kind: 'aborted' });
  if (context.signal.aborted) onAbort();
  else context.signal.addEventListener('abort', onAbort, { once: true });
  const end = Promise.race<WatchEnd>([
    task.settled.then((ended) => ({ kind: 'ended', end: ended })),
    context.backgroundRequested.then(() => ({ kind: 'background' })),
    limit,
    aborted.promise,
  ]).finally(waker.close);
  try {
    while (await waker.wait()) yield;
    return await end;
  } finally {
    unfollow();
    context.signal.removeEventListener('abort', onAbort);
    // With a reason, because making one up costs a stack trace.
    over.abort('over');
    await limit;
  }
}

/** Reports a command that ended by itself, or whose terminal was lost. */
async function conclude(command: ShellRun, end: TaskEnd): Promise<Outcome> {
  const { input, context, surroundings } = command;
  const { analyze, limits } = surroundings;
  const { code, signal } = end.result;
  const [{ text }, folderNote, blocked] = await Promise.all([
    readOutput(command.task.outputFile, limits.outputChars, context.services.files, end.output),
    end.lost === undefined ? adoptWorkingDirectory(command.folderFile, context) : null,
    command.inside?.ended(),
  ]);
  const totalBytes = end.bytes;
  if (end.lost !== undefined) {
    const note = `The terminal host was lost while this ran (${end.lost}); what it did until then is done.`;
    return failedWith({ ...outputOf(command, { text, note }), totalBytes });
  }
  const exit = { exitCode: code, ...(signal === undefined ? {} : { signal }) };
  const meaning =
    code === 0
      ? { failed: false }
      : exitMeaning(input.command, await analyze(input.command), exit, text);
  const note = end.note ?? meaning.note ?? null;
  const output = {
    ...outputOf(command, { text, note }),
    totalBytes,
    exitCode: code,
    folderNote,
    sandbox: sandboxOf(command, blocked, meaning.failed),
  };
  return meaning.failed ? failedWith(output) : { ok: true, output };
}

/** Ends the command's whole process tree and reports what it printed until then. */
async function cutShort(command: ShellRun, reason: string): Promise<Outcome> {
  const { signal, services, agent } = command.context;
  const { files } = services;
  const { tasks } = agent;
  const { taskId, outputFile } = command.task;
  const graceMs = signal.reason === 'ending' ? ENDING_GRACE_MS : KILL_GRACE_MS;
  const left = livesOn((await tasks.stop(taskId, reason, graceMs)).report);
  await files.remove(command.folderFile);
  // Known where it has ended: a full disk keeps less of a long output.
  const end = await Promise.race([command.task.settled, null]);
  const { outputChars } = command.surroundings.limits;
  const { text } = await readOutput(outputFile, outputChars, files, end?.output);
  const blocked = await command.inside?.ended();
  const asked = signal.aborted ? '' : unansweredNote(text);
  const note = [reason + asked, left].join(' ').trim();
  const output = outputOf(command, { text, note });
  return failedWith({ ...output, sandbox: sandboxOf(command, blocked, false) });
}

/** Lets the command go on without its call. One that has just ended is reported as such. */
async function toBackground(command: ShellRun, how: string): Promise<Outcome> {
  const moved = command.context.agent.tasks.moveToBackground(command.task.taskId);
  return !moved ? conclude(command, await command.task.settled) : inBackground(command, how);
}

/** Reports a command that goes on as a background task, with what it printed so far. */
async function inBackground(command: ShellRun, how: string): Promise<Outcome> {
  const { tasks } = command.context.agent;
  const { taskId, outputFile } = command.task;
  followInside(command);
  const { text, readTo } = await tasks.readNewOutput(taskId);
  const note = `${how} as task ${taskId}. Its output goes to ${outputFile}; TaskOutput reads what is new. You will be told when it ends.`;
  const output = outputOf(command, { text: text.trimEnd(), note });
  return { ok: true, output: { ...output, background: true, readTo } };
}

/** Reports a monitor; what it prints is told later, so nothing of it is read now. */
function monitoring(command: ShellRun): Outcome {
  const { taskId, outputFile } = command.task;
  followInside(command);
  const note = `It runs as monitor ${taskId}; you are told of its lines as they come, and when it ends. Everything it prints goes to ${outputFile}.`;
  return { ok: true, output: { ...outputOf(command, { text: '', note }), background: true } };
}

function followInside({ inside, context, terminalId }: ShellRun): void {
  if (inside) context.session.sandbox.follow(inside, context.services.terminals.exited(terminalId));
}

const outputOf = (
  command: ShellRun,
  { text, note = null }: { readonly text: string; readonly note?: string | null },
): BashOutput => ({
  text,
  note,
  totalLines: Math.max(command.progress.lines, text === '' ? 0 : text.split('\n').length),
  totalBytes: command.progress.bytes,
  exitCode: null,
  folderNote: null,
  terminalId: command.terminalId,
  taskId: command.task.taskId,
  background: false,
  timeoutMs: timeLimit(command.input, command.surroundings),
  movesAtLimit: command.movesAtLimit === true,
  waitsForInput: command.waitsForInput,
  sandbox: sandboxOf(command, undefined, false),
});

const sandboxOf = (
  { inside, placement }: ShellRun,
  violations: readonly SandboxViolation[] | undefined,
  failed: boolean,
): BashOutput['sandbox'] =>
  inside === null ? null : { violations: violations ?? [], failed, mayLeave: placement.mayLeave };

const failedWith = (output: BashOutput): Outcome => ({
  ok: false,
  message: bashReport(output),
  output,
});
