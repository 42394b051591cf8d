import { err, fault, ok, type Result } from '../../../../shared/result';
import type { SettledStatus } from '../../../../shared/task';
import { createOutputReader } from '../output-reader';
import { NOTHING_KILLED, STOP_GRACE_MS, type TaskRunner } from '../task-runner';

/** A sub-agent at work, as a background task sees it. */
export interface AgentWork {
  /** Calls back with a line about each thing it does; returns a function that ends it. */
  onLine(listener: (line: string) => void): () => void;
  /** Resolves with its end and its report. Never rejects. */
  readonly ended: Promise<{ readonly status: SettledStatus; readonly text: string }>;
  stop(why: 'stopped' | 'ending'): void;
  /** Gives it a further message; an error when it no longer works. */
  message(text: string): Result<null>;
}

/** Sub-agents that nobody waits for. Their output is a line for each call, and the report. docs/spec.md G6. */
export const localAgent: TaskRunner<AgentWork> = {
  type: 'local_agent',
  idPrefix: 'a',
  kind: 'Sub-agent',
  start: async (work, host) => {
    const opened = await host.files.openAppend(host.outputFile);
    if (!opened.ok) return err(fault(opened.error.code, opened.error.message));
    const file = opened.value;
    let bytes = 0;
    let lines = 0;
    let truncated = false;
    let writing = Promise.resolve();
    const write = (text: string) => {
      writing = writing.then(async () => {
        const written = await file.append(text);
        if (!written.ok) truncated = true;
        else {
          bytes += Buffer.byteLength(text);
          lines += text.split('\n').length - 1;
        }
        host.progress({ bytes, lines, tail: text });
      });
    };
    const unfollow = work.onLine((line) => write(`${line}\n`));
    const finish = async () => {
      const { status, text } = await work.ended;
      unfollow();
      write(`\n${text}\n`);
      await writing;
      await file.close();
      return {
        status,
        result: { code: null, interrupted: status === 'killed' },
        bytes,
        report: text,
        ...(truncated ? { note: 'Some of its output could not be written.' } : {}),
      };
    };
    const settled = finish();
    return ok({
      output: createOutputReader(host.files, host.outputFile),
      settled,
      stop: async (graceMs) => {
        work.stop(graceMs < STOP_GRACE_MS ? 'ending' : 'stopped');
        return NOTHING_KILLED;
      },
      message: async (text) => work.message(text),
    });
  },
};
