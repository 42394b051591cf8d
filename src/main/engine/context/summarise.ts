import type { AgentEvent } from '../../../shared/agent-event';
import type { Message } from '../../../shared/message';
import { withoutThinking } from '../messages/projection';
import { summaryIn } from '../model/api-compaction';
import type { ModelClient, ModelRequest } from '../model/model-client';
import { sideCall, textOf } from '../model/side-call';
import type { Clock, Ids } from '../ports';
import { messageTokens, prefixTokens } from './tokens';

/** The dependencies of a summary. */
export interface SummaryDeps {
  readonly model: ModelClient;
  /** Builds the same requests as the loop does: their prefix is in the API's cache. */
  readonly buildRequest: (
    history: readonly Message[],
    signal: AbortSignal,
  ) => Promise<ModelRequest>;
  /** Returns the most output tokens that may be asked of a model. */
  readonly maxOutput: (model: string) => number;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Returns the ids of messages that a user wants kept word for word. */
  readonly pinned: () => ReadonlySet<string>;
  /** The name of its request in the list of costs. Default: `compaction`. */
  readonly purpose?: string;
}

/** The room for a summary. Tokens. */
export const SUMMARY_TOKENS = 20_000;
/** The number of times that a history too long to be summarised loses its oldest half. */
const MAX_SHRINKS = 4;

/** A summary, and the tokens that stand before the messages of its request. */
export interface WrittenSummary {
  readonly text: string;
  readonly prefix: number;
  /** The API's own block of it, to be sent back as it is. */
  readonly block?: Readonly<Record<string, unknown>>;
}

/** The outcome of a request for a summary. */
type Written =
  | (WrittenSummary & { readonly kind: 'summary' })
  | { readonly kind: 'aborted' }
  | { readonly kind: 'failed' | 'too_long'; readonly why: string };

/**
 * Has the model write a summary of `head`; when that is itself too long, of its newer half, and so on. Yields the events
 * to be recorded: retries and the cost.
 */
export async function* summarise(
  head: readonly Message[],
  focus: string | undefined,
  deps: SummaryDeps,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, Written> {
  let part = head;
  for (let shrinks = 0; ; shrinks += 1) {
    const words = summaryRequest(focus);
    const question = summaryQuestion(deps.ids.next('msg'), words);
    const request = await deps.buildRequest([...part, question], signal);
    const maxTokens = Math.min(SUMMARY_TOKENS, deps.maxOutput(request.model));
    const answer = yield* ask({ ...request, maxTokens, summarise: words }, deps, signal);
    if (answer.kind !== 'too_long' || shrinks >= MAX_SHRINKS) return answer;
    const smaller = withoutOldestHalf(part);
    if (smaller.length === 0) return answer;
    // The thinking that is left was made behind the part that goes.
    part = smaller.map(withoutThinking);
  }
}

const summaryQuestion = (id: string, text: string): Message => ({
  role: 'user',
  id,
  content: [{ type: 'text', text }],
  synthetic: true,
});

/** Sends the request; its cost is recorded, its retries are visible. */
async function* ask(
  request: ModelRequest,
  deps: SummaryDeps,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, Written> {
  const answer = yield* sideCall(request, deps.purpose ?? 'compaction', deps, signal);
  if (answer.kind === 'aborted') return answer;
  if (answer.kind === 'failed') {
    const { kind, message } = answer.error;
    return { kind: kind === 'prompt_too_long' ? 'too_long' : 'failed', why: message };
  }
  const own = answer.blocks.find((block) => summaryIn(block) !== null);
  const words = own === undefined ? textOf(answer.blocks) : (summaryIn(own) ?? '');
  const text = readSummary(words);
  if (text === '') return { kind: 'failed', why: 'The model wrote no summary.' };
  const written = { kind: 'summary', text, prefix: prefixTokens(request) } as const;
  return own?.type === 'other' ? { ...written, block: own.raw } : written;
}

/**
 * Returns the words that ask for a summary. The answer is all that is left of the conversation, so it must let the work
 * go on without asking again. `focus` is what a user wants kept above all.
 */
function summaryRequest(focus?: string): string {
  const special =
    focus === undefined || focus.trim() === ''
      ? ''
      : `\n\nAbove all keep what concerns this: ${focus.trim()}`;
  return `${INSTRUCTIONS}${special}`;
}

const INSTRUCTIONS = `The conversation is about to be replaced by a summary that you write now. Whoever goes on will have your summary and the last few messages, nothing else. Answer with text only and use no tool.

Put the summary between <summary> and </summary>, in these parts, and leave out a part that would be empty:

1. Task: what the user asked for, every wish and limit they named, and how they changed their mind. Quote the words that matter.
2. Decisions: what was settled and why, what was tried and given up.
3. Files: each file that was read, changed or made, with its path, what it holds or what changed in it, and the code that is needed to go on, word for word.
4. Commands and results: what was run, and what came out, as far as it still matters.
5. Errors: what went wrong, how it was solved, what the user said about it.
6. State: what is done, what is half done, what is running in the background.
7. Next: the very next step, with the user's words it follows from.

Be exact with names, paths, numbers and identifiers. Do not invent anything and do not judge the work.`;

/** Returns the summary in an answer: the text in its tags, or the whole text when they are missing. Trimmed. */
function readSummary(answer: string): string {
  const tagged = /<summary>([\s\S]*?)(?:<\/summary>|$)/.exec(answer);
  return (tagged?.[1] ?? answer).trim();
}

/** The most that is kept word for word behind a summary. Tokens. */
export const TAIL_TOKENS = 20_000;
/** The share of what there is that is kept: a summary must make things smaller. */
const TAIL_SHARE = 0.25;

/** The part that a summary replaces, and the part that stays as it is behind it. */
export interface Split {
  readonly head: readonly Message[];
  readonly tail: readonly Message[];
}

/** A written summary, and what it replaces. */
export interface ReplacingSummary {
  readonly written: WrittenSummary;
  readonly split: Split;
}

/**
 * Splits the messages since the last boundary for a compaction. The tail is as long as its share allows, but
 * holds at least the newest prompt or the newest calls with their results when they fit at all. It begins where
 * no call stands open, so that no call is parted from its result. `spare`: tokens that will come behind it. Pure.
 */
export function splitForSummary(sent: readonly Message[], spare = 0): Split {
  const sizes = sent.map(messageTokens);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const room = Math.min(TAIL_TOKENS, total * TAIL_SHARE) - spare;
  const clean = cleanCuts(sent);
  let cut = sent.length;
  let size = 0;
  for (let at = sent.length - 1; at > 0; at -= 1) {
    size += sizes[at] ?? 0;
    const hasTail = cut < sent.length;
    if (size > (hasTail ? room : TAIL_TOKENS)) break;
    if (clean.has(at)) cut = at;
  }
  return { head: sent.slice(0, cut), tail: sent.slice(cut) };
}

/** Splits the messages before one that stays; null where it is not among them, or would part a call from its result. Pure. */
export function splitBefore(sent: readonly Message[], id: string): Split | null {
  const at = sent.findIndex((message) => message.id === id);
  return cleanCuts(sent).has(at) ? { head: sent.slice(0, at), tail: sent.slice(at) } : null;
}

/** Splits the messages behind those with these ids; null where they do not begin with them any more. Pure. */
export const splitBehind = (sent: readonly Message[], covers: readonly string[]): Split | null =>
  covers.every((id, at) => sent[at]?.id === id)
    ? { head: sent.slice(0, covers.length), tail: sent.slice(covers.length) }
    : null;

/**
 * Returns a head without its oldest half (by size), where it is itself too long to be summarised. Empty when it cannot
 * be shortened.
 */
export function withoutOldestHalf(head: readonly Message[]): readonly Message[] {
  const half = head.reduce((sum, message) => sum + messageTokens(message), 0) / 2;
  const clean = cleanCuts(head);
  let size = 0;
  for (const [at, message] of head.entries()) {
    if (at > 0 && size >= half && clean.has(at)) return head.slice(at);
    size += messageTokens(message);
  }
  return [];
}

/** Returns the places before which every call has its result, and at which no result stands. */
export function cleanCuts(messages: readonly Message[]): ReadonlySet<number> {
  const cuts = new Set<number>();
  const open = new Set<string>();
  for (const [at, message] of messages.entries()) {
    if (open.size === 0) cuts.add(at);
    if (message.role !== 'assistant' && message.role !== 'user') continue;
    for (const block of message.content) {
      if (block.type === 'tool_use') open.add(block.id);
      if (block.type === 'tool_result') open.delete(block.tool_use_id);
    }
  }
  return cuts;
}
