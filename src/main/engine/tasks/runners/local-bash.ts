import { ok } from '../../../../shared/result';
import type { TerminalExit } from '../../ports';
import { createOutputReader } from '../output-reader';
import { plainText } from '../plain-text';
import type { RunningTask, TaskEnd, TaskHost, TaskRunner } from '../task-runner';

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
    });
    if (!spawned.ok) return spawned;
    spec.onStarted?.(spawned.value.pid);
    return ok(followTerminal(terminalId, host));
  },
  resume: async ({ terminalId, sessionId }, _memo, host) => {
    const terminals = await host.terminals.list();
    const found = terminals.find((info) => info.id === terminalId && info.sessionId === sessionId);
    if (found === undefined) return null;
    return { ...followTerminal(found.id, host), endedBefore: found.endedAt !== undefined };
  },
};

function followTerminal(terminalId: string, host: TaskHost): RunningTask {
  const { terminals, files } = host;
  const unfollow = terminals.onProgress(terminalId, ({ bytes, lines, tail }) =>
    host.progress({ bytes, lines, tail: plainText(tail) }),
  );
  return {
    terminalId,
    output: createOutputReader(files, host.outputFile, host.readTo),
    settled: terminals.exited(terminalId).then((exit) => {
      unfollow();
      return endOf(exit);
    }),
    stop: (graceMs) => terminals.kill(terminalId, graceMs),
  };
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
