import type { AgentEvent } from '../../../shared/agent-event';
import type { Message } from '../../../shared/message';
import type { ModelRequest } from '../model/model-client';
import { sideCall, textOf } from '../model/side-call';
import type { CompactDeps } from './compact-deps';
import { withoutOldestHalf } from './split';
import { readSummary, summaryRequest } from './summary-prompt';
import { prefixTokens } from './tokens';

/** Room for a summary. Tokens. */
export const SUMMARY_TOKENS = 20_000;
/** How often a history that is itself too long to be summarised loses its oldest half. */
const MAX_SHRINKS = 4;

/** How a request for a summary went. `prefix` is what stands before its messages, in tokens. */
export type Answer =
  | { readonly kind: 'summary'; readonly text: string; readonly prefix: number }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'failed' | 'too_long'; readonly why: string };

/**
 * Has the model write a summary of `head`; when that is itself too long, of its newer half, and so on. Yields what
 * is to be recorded: retries and the cost.
 */
export async function* summarise(
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
