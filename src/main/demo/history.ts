import type { DemoBlock, DemoMessage, DemoRequest } from './messages-api';

/** The outcome of a call, as far as its result tells. `said` is what the user wrote when refusing it. */
interface Outcome {
  readonly kind: 'ok' | 'denied' | 'interrupted' | 'failed';
  readonly text: string;
  readonly said?: string;
}

export interface PastCall {
  readonly kind: 'call';
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly outcome: Outcome;
}

/** The conversation as the script sees it: what people said, what it said, what was done. */
export type Entry =
  | { readonly kind: 'prompt'; readonly text: string }
  | { readonly kind: 'said'; readonly text: string }
  | PastCall;

/** Flattens a request's messages. Reminders written by Lathe are left out; calls carry their results. */
export function readHistory(messages: readonly DemoMessage[]): readonly Entry[] {
  const results = new Map<string, Outcome>();
  for (const block of messages.flatMap((m) => m.content))
    if (block.type === 'tool_result') results.set(block.callId, readOutcome(block));
  return messages.flatMap((m) => m.content.flatMap((b) => readEntry(m.role, b, results)));
}

function readEntry(
  role: DemoMessage['role'],
  block: DemoBlock,
  results: ReadonlyMap<string, Outcome>,
): Entry[] {
  if (block.type === 'tool_use') {
    const outcome = results.get(block.id) ?? { kind: 'interrupted', text: '' };
    return [{ kind: 'call', name: block.name, input: block.input, outcome }];
  }
  if (block.type !== 'text') return [];
  if (role === 'assistant') return [{ kind: 'said', text: block.text }];
  const text = withoutReminders(block.text);
  return text === '' ? [] : [{ kind: 'prompt', text }];
}

const withoutReminders = (text: string): string =>
  text
    .replace(/<(system-reminder|task-notification)>[\s\S]*?<\/\1>/g, '')
    .replace(/^\[?(?:request )?interrupted by (?:the )?user\b.*$/gim, '')
    .trim();

function readOutcome(result: { readonly text: string; readonly isError: boolean }): Outcome {
  const text = result.text.replace(/^<tool_use_error>|<\/tool_use_error>\s*$/g, '');
  if (!result.isError) return { kind: 'ok', text };
  const said = /^The user denied this call and said:\s*([\s\S]*?)\s*$/.exec(text)?.[1];
  if (said) return { kind: 'denied', text, said };
  if (/^(?:Permission denied:|The user denied this call)/.test(text))
    return { kind: 'denied', text };
  if (INTERRUPTED.some((pattern) => pattern.test(text))) return { kind: 'interrupted', text };
  return { kind: 'failed', text };
}

/**
 * The words with which tools and the engine report a call that was cut short. Programs may print them too, but not
 * there.
 */
const INTERRUPTED: readonly RegExp[] = [
  /^Interrupted\b/,
  /^This call was interrupted\b/,
  /^Lathe stopped while this ran\b/,
  /\n\nInterrupted before it finished\.[^\n]*$/,
];

/** Finds the working directory named in a request's reminders or system prompt, or null. */
export function findWorkingDirectory(request: DemoRequest): string | null {
  const users = request.messages.filter((m) => m.role === 'user').flatMap((m) => m.content);
  const texts = [...users.map((b) => (b.type === 'text' ? b.text : '')), request.system];
  for (const text of texts) {
    // Memory files come before the facts and may use the same words: the last mention is the fact.
    const path = [...text.matchAll(NAMED)].at(-1)?.slice(1).find(Boolean);
    if (path !== undefined) return path;
  }
  return null;
}

const NAMED =
  /(?<!further )(?:working directory|\bcwd):\s*(?:[`"']((?:\/|[A-Z]:\\)[^\n`"']*)[`"']|((?:\/|[A-Z]:\\)[^\n]*?)\s*$)/gim;

/** The counts a test run printed at its end. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
}

/** One `npm test` and what has been seen of it. */
export interface TestRun {
  readonly outcome: PastCall['outcome']['kind'];
  /** Set when it runs (or ran) in the background. */
  readonly taskId?: string;
  /** The number of times its output was asked for. */
  readonly looks: number;
  /** Looking further shows nothing new: it has ended, or the last look went wrong. */
  readonly over: boolean;
  /** Null while its result has not been seen. */
  readonly counts: TestCounts | null;
}

/** Puts together what the calls tell about the test run that `call` started. `later` are the calls after it. */
export function readTestRun(call: PastCall, later: readonly PastCall[]): TestRun {
  const { kind, text } = call.outcome;
  const taskId = kind === 'ok' ? findTaskId(text) : null;
  const looks = later.filter((c) => c.name === 'TaskOutput' && c.input['task_id'] === taskId);
  const seen = [text, ...looks.map((look) => look.outcome.text)].join('\n');
  const counts = kind === 'ok' || kind === 'failed' ? readTestCounts(seen) : null;
  const last = looks.at(-1)?.outcome;
  const lookFailed = last?.kind === 'failed' || last?.kind === 'denied';
  return {
    outcome: kind,
    ...(taskId === null ? {} : { taskId }),
    looks: looks.length,
    over: counts !== null || lookFailed || SETTLED.test(last?.text ?? ''),
    counts,
  };
}

/** The words with which TaskOutput reports that a task has ended. */
const SETTLED = /^Task \S+ is (?:completed|failed|killed)\b/m;

const findTaskId = (text: string): string | null => /\bb_[\w-]+/.exec(text)?.[0] ?? null;

/** Finds the counts that Node's test runner prints last, colours or not. */
export function readTestCounts(output: string): TestCounts | null {
  const passed = lastCount(output, 'pass');
  const failed = lastCount(output, 'fail');
  return passed === null || failed === null ? null : { passed, failed };
}

function lastCount(output: string, word: string): number | null {
  const pattern = new RegExp(`(?:ℹ|#|i)\\s+${word} (\\d+)(?:\\x1b\\[\\d*m)*\\s*$`, 'gm');
  const last = [...output.matchAll(pattern)].at(-1)?.[1];
  return last === undefined ? null : Number(last);
}
