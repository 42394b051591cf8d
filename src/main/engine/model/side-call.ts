import type { AgentEvent } from '../../../shared/agent-event';
import type { AssistantBlock } from '../../../shared/message';
import type { Clock } from '../ports';
import type { ModelClient, ModelError, ModelRequest } from './model-client';

/** What came of a request beside the conversation. */
export type SideAnswer =
  | { readonly kind: 'answer'; readonly blocks: readonly AssistantBlock[] }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'failed'; readonly error: ModelError };

/** What a side call needs from outside. */
export interface SideCallDeps {
  readonly model: ModelClient;
  readonly clock: Clock;
}

/**
 * Makes one request beside the conversation (a summary, a judgement, a search). Yields what is to be recorded: its
 * cost under `purpose`, and its retries. Never throws for a failure of the API.
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
  for await (const event of client.stream(request, signal)) {
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
        yield event;
        break;
      case 'failed':
        error = event.error;
    }
  }
  if (signal.aborted || error?.kind === 'aborted') return { kind: 'aborted' };
  return error ? { kind: 'failed', error } : { kind: 'answer', blocks };
}

/** The text of an answer, its blocks joined by empty lines. */
export const textOf = (blocks: readonly AssistantBlock[]): string =>
  blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n\n');
