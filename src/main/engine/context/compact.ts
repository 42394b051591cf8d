import type { AgentEvent } from '../../../shared/agent-event';
import type { Message } from '../../../shared/message';
import { sinceBoundary } from '../messages/normalize';
import type { ModelClient, ModelRequest } from '../model/model-client';
import { sideCall, textOf } from '../model/side-call';
import type { Clock, Ids } from '../ports';
import { splitForSummary, withoutOldestHalf } from './split';
import { readSummary, summaryRequest } from './summary-prompt';
import { messagesTokens, prefixTokens, textTokens } from './tokens';

/** Room for a summary. Tokens. */
export const SUMMARY_TOKENS = 20_000;
/** How often a history that is itself too long to be summarised loses its oldest half. */
const MAX_SHRINKS = 4;

/** What a compaction needs from outside. */
export interface CompactDeps {
  readonly model: ModelClient;
  /** The same requests as the loop makes: their prefix is in the API's cache. */
  readonly buildRequest: (
    history: readonly Message[],
    signal: AbortSignal,
  ) => Promise<ModelRequest>;
  /** The most output tokens that may be asked of a model. */
  readonly maxOutput: (model: string) => number;
  readonly clock: Clock;
  readonly ids: Ids;
}

export interface CompactOptions {
  /** What the context held before; written down with the compaction. */
  readonly tokensBefore: number;
  /** What a person wants kept above all. */
  readonly focus?: string;
}

/** How a compaction went. `why` is for a person. */
export type CompactOutcome =
  | { readonly kind: 'compacted'; readonly tokensAfter: number }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'failed'; readonly why: string };

/**
 * Replaces the older part of what is sent by a summary that the model writes (SPEC F5): boundary, summary,
 * recent tail. Yields what is to be recorded: retries, the cost of the request, and `compacted`. Nothing
 * changes when it fails. Never throws for a failure of the API.
 */
export async function* compact(
  history: readonly Message[],
  options: CompactOptions,
  deps: CompactDeps,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, CompactOutcome> {
  const { head, tail } = splitForSummary(sinceBoundary(history));
  if (head.every((message) => message.role === 'boundary')) {
    return { kind: 'failed', why: 'There is nothing left to summarise.' };
  }
  const written = yield* summarise(head, options.focus, deps, signal);
  if (written.kind === 'aborted') return written;
  if (written.kind !== 'summary') return { kind: 'failed', why: written.why };
  const tokensAfter = written.prefix + textTokens(written.text) + messagesTokens(tail);
  yield {
    type: 'compacted',
    id: deps.ids.next('cmp'),
    summary: written.text,
    removed: head.map((message) => message.id),
    tokensBefore: options.tokensBefore,
    tokensAfter,
  };
  return { kind: 'compacted', tokensAfter };
}

type Answer =
  | { readonly kind: 'summary'; readonly text: string; readonly prefix: number }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'failed' | 'too_long'; readonly why: string };

async function* summarise(
  head: readonly Message[],
  focus: string | undefined,
  deps: CompactDeps,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, Answer> {
  let part = head;
  for (let shrinks = 0; ; shrinks += 1) {
    const question = summaryQuestion(deps.ids.next('msg'), focus);
    const request = await deps.buildRequest([...part, question], signal);
    const maxTokens = Math.min(SUMMARY_TOKENS, deps.maxOutput(request.model));
    const answer = yield* ask({ ...request, maxTokens }, deps, signal);
    if (answer.kind !== 'too_long' || shrinks >= MAX_SHRINKS) return answer;
    const smaller = withoutOldestHalf(part);
    if (smaller.length === 0) return answer;
    // What thinking is left was made behind the part that goes.
    part = smaller.map(withoutThinking);
  }
}

const summaryQuestion = (id: string, focus: string | undefined): Message => ({
  role: 'user',
  id,
  content: [{ type: 'text', text: summaryRequest(focus) }],
  synthetic: true,
});

function withoutThinking(message: Message): Message {
  if (message.role !== 'assistant') return message;
  const content = message.content.filter(
    (block) => block.type !== 'thinking' && block.type !== 'redacted_thinking',
  );
  return { ...message, content };
}

/** Has the summary written; its cost is recorded, its retries are visible. */
async function* ask(
  request: ModelRequest,
  deps: CompactDeps,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, Answer> {
  const answer = yield* sideCall(request, 'compaction', deps, signal);
  if (answer.kind === 'aborted') return answer;
  if (answer.kind === 'failed') {
    const { kind, message } = answer.error;
    return { kind: kind === 'prompt_too_long' ? 'too_long' : 'failed', why: message };
  }
  const text = readSummary(textOf(answer.blocks));
  if (text === '') return { kind: 'failed', why: 'The model wrote no summary.' };
  return { kind: 'summary', text, prefix: prefixTokens(request) };
}
