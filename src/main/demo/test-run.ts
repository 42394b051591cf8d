import type { PastCall } from './history';

/** What a test run printed at its end. */
export interface Verdict {
  readonly passed: number;
  readonly failed: number;
}

/** One `npm test` and what has been seen of it. */
export interface TestRun {
  readonly outcome: PastCall['outcome']['kind'];
  /** Set when it runs (or ran) in the background. */
  readonly taskId?: string;
  /** How often its output was asked for. */
  readonly looks: number;
  /** Looking further shows nothing new: it has ended, or the last look went wrong. */
  readonly over: boolean;
  /** Null while its result has not been seen. */
  readonly verdict: Verdict | null;
}

/** Puts together what the calls tell about the test run that `call` started. `later` are the calls after it. */
export function readTestRun(call: PastCall, later: readonly PastCall[]): TestRun {
  const { kind, text } = call.outcome;
  const taskId = kind === 'ok' ? findTaskId(text) : null;
  const looks = later.filter((c) => c.name === 'TaskOutput' && c.input['task_id'] === taskId);
  const seen = [text, ...looks.map((look) => look.outcome.text)].join('\n');
  const verdict = kind === 'ok' || kind === 'failed' ? readVerdict(seen) : null;
  const last = looks.at(-1)?.outcome;
  const lookFailed = last?.kind === 'failed' || last?.kind === 'denied';
  return {
    outcome: kind,
    ...(taskId === null ? {} : { taskId }),
    looks: looks.length,
    over: verdict !== null || lookFailed || SETTLED.test(last?.text ?? ''),
    verdict,
  };
}

/** How TaskOutput says that a task has ended. */
const SETTLED = /^Task \S+ is (?:completed|failed|killed)\b/m;

const findTaskId = (text: string): string | null => /\bb_[\w-]+/.exec(text)?.[0] ?? null;

/** Finds the counts that Node's test runner prints last, colours or not. */
export function readVerdict(output: string): Verdict | null {
  const passed = lastCount(output, 'pass');
  const failed = lastCount(output, 'fail');
  return passed === null || failed === null ? null : { passed, failed };
}

function lastCount(output: string, word: string): number | null {
  const pattern = new RegExp(`(?:ℹ|#|i)\\s+${word} (\\d+)(?:\\x1b\\[\\d*m)*\\s*$`, 'gm');
  const last = [...output.matchAll(pattern)].at(-1)?.[1];
  return last === undefined ? null : Number(last);
}
