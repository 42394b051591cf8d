import { type DurableEvent, LOG_VERSION } from '../../../shared/agent-event';
import type { ResultContent, UserBlock } from '../../../shared/message';
import type { CallStatus } from '../../../shared/tool-call';
import { LOST_RESULT } from '../messages/repair';
import { titleFromPrompt } from './list';
import type { LogLine } from './load';
import type { OtherStep, OtherSteps } from './other-steps';

/**
 * Returns the log of a session that begins as a copy of another agent's: `notice` says so behind it. Times lie between those
 * of the steps and `now`, epoch milliseconds. What it cost is not known and counts as nothing. Pure.
 */
export function eventsOf(
  { steps, title }: Pick<OtherSteps, 'steps' | 'title'>,
  cwd: string,
  notice: string,
  now: number,
): readonly LogLine[] {
  const copy = createCopy();
  const lines: LogLine[] = [];
  let at = steps.find((step) => step.at > 0)?.at ?? now;
  const add = (...events: readonly DurableEvent[]) => {
    for (const event of events) lines.push({ at, event });
  };
  add({ type: 'session_started', version: LOG_VERSION, cwd, createdAt: now });
  const named = title || titleFromPrompt(firstPrompt(steps));
  if (named !== '') add({ type: 'title_changed', title: named });
  for (const [n, step] of steps.entries()) {
    at = Math.min(now, Math.max(at, step.at));
    add(...copy.take(step, step.id ?? `copied_${n}`, at));
  }
  add(...copy.lost(), ...copy.end(at));
  at = now;
  add({ type: 'notice', level: 'info', code: 'copied_session', text: notice });
  return lines;
}

const firstPrompt = (steps: readonly OtherStep[]): readonly UserBlock[] =>
  steps.flatMap((step) => (step.kind === 'prompt' && !step.synthetic ? [step.content] : []))[0] ??
  [];

/** A call whose result has not come yet. */
interface OpenCall {
  readonly name: string;
  readonly target: string;
}

/** A query that has begun: a prompt of a user begins one. */
interface OpenQuery {
  readonly id: string;
  readonly since: number;
  turns: number;
  /** Its last words. */
  text: string;
}

/** Turns the steps of a session into its events, one after the other. */
function createCopy() {
  /** The blocks so far of each answer since the last prompt. */
  const blocks = new Map<string, number>();
  let prompts = 0;
  const calls = new Map<string, OpenCall>();
  /** Messages since the last summary. */
  const messages = new Set<string>();
  let query: OpenQuery | null = null;

  const end = (at: number): readonly DurableEvent[] => {
    if (query === null) return [];
    const { id, since, turns, text } = query;
    query = null;
    return [finished(id, turns, text, at - since)];
  };

  const take = (step: OtherStep, id: string, at: number): readonly DurableEvent[] => {
    switch (step.kind) {
      case 'prompt': {
        const content = [...step.content];
        messages.add(id);
        if (step.synthetic) return [{ type: 'user_message', id, content, synthetic: true }];
        const ended = end(at);
        blocks.clear();
        prompts += 1;
        query = { id: `${id}_query`, since: at, turns: 0, text: '' };
        const start = { type: 'query_started', queryId: query.id } as const;
        return [...ended, start, { type: 'user_message', id, content }];
      }
      case 'answer': {
        const { model, block } = step;
        // An id is one of the answers to one prompt.
        const messageId = step.id ?? `${step.messageId}_${prompts}`;
        const index = blocks.get(messageId) ?? 0;
        blocks.set(messageId, index + 1);
        messages.add(messageId);
        if (query !== null && index === 0) query.turns += 1;
        if (query !== null && block.type === 'text') query.text = block.text;
        if (block.type === 'tool_use')
          calls.set(block.id, { name: block.name, target: targetOf(block.input) });
        return [{ type: 'block_finished', messageId, model, index, block }];
      }
      case 'result': {
        const call = calls.get(step.callId);
        if (call === undefined) return [];
        calls.delete(step.callId);
        return [settled(step.callId, call, step.content, step.isError ? 'failed' : 'done')];
      }
      case 'summary': {
        const removed = [...messages];
        messages.clear();
        const sizes = { tokensBefore: 0, tokensAfter: 0 };
        return [{ type: 'compacted', id, summary: step.text, removed, ...sizes }];
      }
    }
  };

  /** Gives the calls that have no result one that says so. */
  const lost = (): readonly DurableEvent[] =>
    [...calls].map(([callId, call]) =>
      settled(callId, call, [{ type: 'text', text: LOST_RESULT }], 'cancelled'),
    );

  return { take, lost, end };
}

const settled = (
  callId: string,
  { name, target }: OpenCall,
  content: readonly ResultContent[],
  status: CallStatus,
): DurableEvent => ({
  ...{ type: 'call_settled' as const, callId, tool: name, title: { verb: name, target } },
  ...{ status, content: [...content], isError: status !== 'done', view: null, durationMs: 0 },
});

const finished = (
  queryId: string,
  turns: number,
  text: string,
  durationMs: number,
): DurableEvent => ({
  ...{ type: 'query_finished' as const, queryId, terminal: 'completed' as const, text, turns },
  ...{ costUsd: 0, durationMs, apiMs: 0, denials: [], stopReason: null },
  usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
});

/** The fields of an input that say what a call is about, the plainest first. */
const TARGETS = ['file_path', 'path', 'command', 'pattern', 'url', 'query', 'description'];
/** The longest target of a call in its title. Characters. */
const MAX_TARGET = 200;

/** Returns what a call is about, for its title. */
function targetOf(input: Readonly<Record<string, unknown>>): string {
  const values = [...TARGETS.map((name) => input[name]), ...Object.values(input)];
  const text = values.find((value) => typeof value === 'string') ?? '';
  return text.split('\n', 1)[0]?.slice(0, MAX_TARGET) ?? '';
}
