import type { AgentEvent, Stamped } from '../../../shared/agent-event';
import { type Channel, createChannel } from '../../../shared/channel';
import type { StopReason } from '../../../shared/turn';
import type { ModelError, ModelEvent, ModelRequest } from '../model/model-client';
import type { CallExecutor } from '../tools/streaming-executor';
import type { QueryDeps } from './query-deps';

/** How one turn went. */
export interface TurnOutcome {
  readonly error: ModelError | null;
  readonly stopReason: StopReason | null;
  /** The answer arrived whole. */
  readonly answered: boolean;
  readonly calls: number;
  /** The visible text of the answer. */
  readonly text: string;
  /** Milliseconds from the request to the end of its stream. */
  readonly apiMs: number;
}

/** What a stream has shown so far of a block that is not finished. */
interface OpenBlock {
  readonly kind: string;
  text: string;
}

/**
 * One API round trip and the tools it asked for. Tools start while the answer still streams; the turn is over
 * when both are. Yields every event in the order it was recorded. Never throws.
 */
export async function* streamTurn(
  request: ModelRequest,
  deps: QueryDeps,
  signal: AbortSignal,
): AsyncGenerator<Stamped, TurnOutcome> {
  const channel = createChannel<Stamped>();
  const executor = deps.createExecutor((event) => channel.pushNow(deps.record(event)), signal);
  const turn = pump(request, deps, executor, channel, signal).finally(() => channel.close());
  yield* channel;
  return await turn;
}

async function pump(
  request: ModelRequest,
  deps: QueryDeps,
  executor: CallExecutor,
  channel: Channel<Stamped>,
  signal: AbortSignal,
): Promise<TurnOutcome> {
  const startedAt = deps.clock.now();
  const reader = createReader(request.model);
  for await (const event of deps.model.stream(request, signal)) {
    for (const recorded of reader.read(event)) {
      await channel.push(deps.record(recorded));
      if (recorded.type === 'block_finished' && recorded.block.type === 'tool_use') {
        executor.add(recorded.block);
      }
    }
    if (event.type === 'message_finished') reportContext(deps, request.model, event, channel);
  }
  for (const recorded of reader.rest()) await channel.push(deps.record(recorded));
  const apiMs = deps.clock.now() - startedAt;
  await executor.done();
  return { ...reader.outcome(), apiMs };
}

function reportContext(
  deps: QueryDeps,
  model: string,
  event: Extract<ModelEvent, { type: 'message_finished' }>,
  channel: Channel<Stamped>,
): void {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = event.usage;
  channel.pushNow(
    deps.record({
      type: 'context_changed',
      usedTokens: inputTokens + cacheReadTokens + cacheWriteTokens + outputTokens,
      windowTokens: deps.contextWindow(model),
    }),
  );
}

/** Turns what a model sends into events of the session, and remembers how the answer went. */
function createReader(requestedModel: string) {
  let messageId = '';
  let model = requestedModel;
  let open = new Map<number, OpenBlock>();
  let texts: string[] = [];
  let calls = 0;
  let stopReason: StopReason | null = null;
  let error: ModelError | null = null;
  let answered = false;

  const read = (event: ModelEvent): AgentEvent[] => {
    switch (event.type) {
      case 'message_started':
        messageId = event.messageId;
        model = event.model;
        return [{ type: 'message_started', messageId, model }];
      case 'block_started': {
        open.set(event.index, { kind: event.kind, text: '' });
        const { type: _type, ...block } = event;
        return [{ type: 'block_started', messageId, ...block }];
      }
      case 'block_delta': {
        const block = open.get(event.index);
        if (block) block.text += event.text;
        return [{ type: 'block_delta', messageId, index: event.index, text: event.text }];
      }
      case 'block_finished':
        open.delete(event.index);
        if (event.block.type === 'text') texts.push(event.block.text);
        if (event.block.type === 'tool_use') calls += 1;
        return [
          { type: 'block_finished', messageId, model, index: event.index, block: event.block },
        ];
      case 'message_finished': {
        answered = true;
        stopReason = event.stopReason;
        return [{ ...event, messageId, model }];
      }
      case 'message_voided':
        open = new Map();
        texts = [];
        calls = 0;
        return [{ type: 'tombstone', messageId: event.messageId, reason: event.reason }];
      case 'retry_waiting':
      case 'retry_ended':
        return [event];
      case 'model_fallback':
        return [
          {
            type: 'notice',
            level: 'warning',
            code: 'model_fallback',
            text: `${event.from} is overloaded; ${event.to} answers from here.`,
          },
          { type: 'model_changed', model: event.to },
        ];
      case 'failed':
        error = event.error;
        return [];
    }
  };

  /** Text that was received before the stream broke off is kept; half a tool call or thought is not. */
  const rest = (): AgentEvent[] => {
    const kept: AgentEvent[] = [];
    for (const [index, block] of open) {
      if (block.kind !== 'text' || block.text === '') continue;
      texts.push(block.text);
      kept.push({
        type: 'block_finished',
        messageId,
        model,
        index,
        block: { type: 'text', text: block.text },
      });
    }
    open.clear();
    return kept;
  };

  return {
    read,
    rest,
    outcome: () => ({ error, stopReason, answered, calls, text: texts.join('\n\n') }),
  };
}
