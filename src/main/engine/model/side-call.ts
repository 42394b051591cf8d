import type { AgentEvent } from '../../../shared/agent-event';
import type { AssistantBlock } from '../../../shared/message';
import { err, ok, type Result } from '../../../shared/result';
import type { Clock } from '../ports';
import type { ModelClient, ModelError, ModelRequest } from './model-client';

/** The outcome of a request beside the conversation. */
export type SideAnswer =
  | { readonly kind: 'answer'; readonly blocks: readonly AssistantBlock[] }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'failed'; readonly error: ModelError };

/** The dependencies of a side call. */
export interface SideCallDeps {
  readonly model: ModelClient;
  readonly clock: Clock;
}

/**
 * Makes one request beside the conversation (a summary, a judgement, a search). Yields the events to record: its cost
 * under `purpose`, and its retries. Never throws for a failure of the API.
 */
export async function* sideCall(
  request: ModelRequest,
  purpose: string,
  { model: client, clock }: SideCallDeps,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, SideAnswer> {
  const startedAt = clock.now();
  let blocks: AssistantBlock[] = [];
  let { model } = request;
  let error: ModelError | null = null;
  for await (const event of client.stream({ ...request, purpose }, signal)) {
    switch (event.type) {
      case 'message_started':
        model = event.model;
        break;
      case 'block_finished':
        blocks.push(event.block);
        break;
      case 'message_voided':
        blocks = [];
        break;
      case 'message_finished':
      case 'spent': {
        const { usage, costUsd } = event;
        const durationMs = clock.now() - startedAt;
        yield { type: 'side_call', purpose, model, usage, costUsd, durationMs };
        break;
      }
      case 'retry_waiting':
      case 'retry_ended':
      case 'notice':
      case 'auth_status':
        yield event;
        break;
      case 'failed':
        error = event.error;
    }
  }
  if (signal.aborted || error?.kind === 'aborted') return { kind: 'aborted' };
  return error ? { kind: 'failed', error } : { kind: 'answer', blocks };
}

/** Joins the text blocks of an answer by empty lines. */
export const textOf = (blocks: readonly AssistantBlock[]): string =>
  blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n\n');

/** A question beside the conversation: no history, no tools of ours. */
export interface SideQuestion {
  /** Its name in the list of costs: `web page`, `web search`. */
  readonly purpose: string;
  /** The model that answers: the small one, or the session's own. */
  readonly size: 'small' | 'session';
  /** A model in its place. */
  readonly model?: string;
  readonly system: string;
  readonly text: string;
  readonly maxTokens: number;
  /** Nobody waits for the answer: it is tried once, by one model, and nothing is told of it but its cost. */
  readonly unasked?: true;
  /** Tools that the API itself runs while it answers. */
  readonly serverTools?: ModelRequest['serverTools'];
}

/** Asks a question. Resolves to the answer's blocks, or to the reason why there are none, for the model. Never rejects. */
export type AskModel = (
  question: SideQuestion,
  signal: AbortSignal,
) => Promise<Result<readonly AssistantBlock[], string>>;

export interface AskDeps extends SideCallDeps {
  readonly smallModel: () => string;
  readonly sessionModel: () => string;
  /** Records costs and retries, like those of any request. */
  readonly record: (event: AgentEvent) => void;
}

/** Creates an `Ask` over the session's own client. Asks the session's model where the endpoint has no small one. */
export function createAsk(deps: AskDeps): AskModel {
  const answerOf = async (question: SideQuestion, model: string, signal: AbortSignal) => {
    const once = new AbortController();
    const until = AbortSignal.any([signal, once.signal]);
    const call = sideCall(requestFor(question, model), question.purpose, deps, until);
    let step = await call.next();
    while (!step.done) {
      if (!question.unasked || step.value.type === 'side_call') deps.record(step.value);
      else if (step.value.type === 'retry_waiting') once.abort();
      step = await call.next();
    }
    return step.value;
  };
  return async (question, signal) => {
    const session = deps.sessionModel();
    const sized = question.size === 'small' ? deps.smallModel() : session;
    const first = question.model ?? sized;
    let answer = await answerOf(question, first, signal);
    const unknown = answer.kind === 'failed' && answer.error.kind === 'not_found';
    if (unknown && first !== session && !question.unasked)
      answer = await answerOf(question, session, signal);
    switch (answer.kind) {
      case 'answer':
        return ok(answer.blocks);
      case 'aborted':
        return err('it was stopped');
      case 'failed':
        return err(answer.error.message);
    }
  };
}

const requestFor = (question: SideQuestion, model: string): ModelRequest => ({
  model,
  maxTokens: question.maxTokens,
  system: [{ type: 'text', text: question.system }],
  messages: [{ role: 'user', content: [{ type: 'text', text: question.text }] }],
  tools: [],
  thinking: 'disabled',
  effort: 'low',
  ...(question.serverTools === undefined ? {} : { serverTools: question.serverTools }),
});
