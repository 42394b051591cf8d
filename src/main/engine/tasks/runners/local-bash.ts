import { ok } from '../../../../shared/result';
import { UnheardEnd, unheardEndPath } from '../../../../shared/terminal';
import type { TerminalExit, TerminalProgress } from '../../ports';
import { createOutputReader, plainText } from '../output-reader';
import {
  NOTHING_KILLED,
  type RunningTask,
  type TaskEnd,
  type TaskHost,
  type TaskRunner,
} from '../task-runner';
import { withUnsaved } from '../unsaved-output';

/** Columns and rows of a command's terminal: room for tables and progress bars. A viewer may resize it. */
const COLUMNS = 160;
const ROWS = 40;

/** A shell command and where it runs. */
export interface CommandSpec {
  readonly terminalId: string;
  readonly project: string;
  /** Shown to people; `argv` is what runs. */
  readonly command: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Hears the id of the process as soon as there is one. */
  readonly onStarted?: (pid: number) => void;
}

/** Commands in a terminal of their own. */
export const localBash: TaskRunner<CommandSpec> = {
  type: 'local_bash',
  idPrefix: 'b',
  kind: 'Background command',
  start: async (spec, host) => {
    const { terminalId, project, command, argv, cwd, env } = spec;
    const spawned = await host.terminals.spawn({
      id: terminalId,
      kind: 'command',
      sessionId: host.sessionId,
      project,
      ...(host.callId === undefined ? {} : { callId: host.callId }),
      taskId: host.taskId,
      title: host.title,
      command,
      argv,
      cwd,
      env,
      cols: COLUMNS,
      rows: ROWS,
      outputFile: host.outputFile,
      ...(host.isBackgrounded ? { outlives: true } : {}),
    });
    if (!spawned.ok) return spawned;
    spec.onStarted?.(spawned.value.pid);
    return ok(followTerminal(terminalId, host));
  },
  resume: async ({ terminalId, sessionId }, _memo, host) => {
    const terminals = await host.terminals.list();
    const found = terminals.find((info) => info.id === terminalId && info.sessionId === sessionId);
    if (found !== undefined) return followTerminal(found.id, host, found.endedAt);
    const ended = await endedUnheard(host);
    if (ended !== null || terminalId === undefined) return ended;
    if (!(await host.terminals.mayRun(terminalId))) return null;
    return { ...followTerminal(terminalId, host), note: NO_ANSWER };
  },
};

const NO_ANSWER = 'The terminal host does not answer, so it is not known whether this still runs.';

function followTerminal(terminalId: string, host: TaskHost, endedAt?: number): RunningTask {
  const { terminals, files } = host;
  let heard = 0;
  const output = withUnsaved(createOutputReader(files, host.outputFile, host.readTo));
  const tell = ({ tail, unsaved: why, ...progress }: TerminalProgress) => {
    heard = progress.bytes;
    const unsaved = why === undefined ? {} : { unsaved: { tail, why } };
    const told = { ...progress, tail: plainText(tail), ...unsaved };
    output.heard(told);
    host.progress(told);
  };
  const unfollow = terminals.onProgress(terminalId, tell);
  return {
    terminalId,
    output,
    settled: terminals.exited(terminalId).then((exit) => {
      unfollow();
      const { bytes, lines, output, tail = output, unsaved } = exit;
      const last = unsaved === undefined ? {} : { unsaved };
      // A quick command is over before its progress is asked for.
      if (lines !== undefined && tail !== undefined && (bytes !== heard || unsaved !== undefined))
        tell({ bytes, lines, tail, ...last });
      return { ...endOf(exit), ...(endedAt === undefined ? {} : { endedAt }) };
    }),
    endedBefore: endedAt !== undefined,
    stop: (graceMs) => terminals.kill(terminalId, graceMs),
  };
}

/** An end is a few numbers and a sentence. Bytes. */
const MAX_END_BYTES = 10_000;

/** Returns work that ended while no Lathe was there to hear it; null when nobody wrote its end down. */
async function endedUnheard({ files, outputFile, readTo }: TaskHost): Promise<RunningTask | null> {
  const read = await files.read(unheardEndPath(outputFile), MAX_END_BYTES);
  const parsed = read.ok ? UnheardEnd.safeParse(jsonOf(read.value)) : null;
  if (!parsed?.success) return null;
  const { endedAt, ...exit } = parsed.data;
  return {
    output: createOutputReader(files, outputFile, readTo),
    endedBefore: true,
    settled: Promise.resolve({ ...endOf(exit), endedAt }),
    stop: async () => NOTHING_KILLED,
  };
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}

/** Returns how a terminal's end counts as the end of a task, when nobody asked for it. */
export function endOf({
  exitCode,
  signal,
  bytes,
  output,
  lost,
  note,
  stopped,
}: TerminalExit): TaskEnd {
  const shared = {
    bytes,
    ...(output === undefined ? {} : { output }),
    result: {
      code: exitCode,
      ...(signal === undefined ? {} : { signal }),
      interrupted: stopped !== undefined,
    },
  };
  if (stopped !== undefined) return { ...shared, status: 'killed', note: stopped };
  if (lost !== undefined) return { ...shared, status: 'failed', lost, note: `Lost: ${lost}` };
  const remark = note === undefined ? {} : { note };
  return { ...shared, status: exitCode === 0 ? 'completed' : 'failed', ...remark };
}
