import type { Stamped } from '../../../shared/agent-event';
import { type Channel, createChannel } from '../../../shared/channel';
import { contextChanged } from '../context/context-facts';
import { usedTokens } from '../context/tokens';
import type { ModelRequest } from '../model/model-client';
import type { CallExecutor } from '../tools/streaming-executor';
import type { QueryDeps } from './query-deps';
import { type Answer, createTurnReader } from './turn-reader';

/** How one turn went. */
export interface TurnOutcome extends Answer {
  /** Milliseconds from the request to the end of its stream. */
  readonly apiMs: number;
}

/**
 * One API round trip and the tools it asked for. Tools start while the answer still streams; the turn is over
 * when both are. Yields every event in the order it was recorded. Failures of the API are in the outcome, so that
 * the loop can recover before anyone hears of them.
 */
export async function* streamTurn(
  request: ModelRequest,
  deps: QueryDeps,
  signal: AbortSignal,
): AsyncGenerator<Stamped, TurnOutcome> {
  const channel = createChannel<Stamped>();
  const executor = deps.createExecutor((event) => channel.pushNow(deps.record(event)), signal);
  const turn = pump(request, deps, executor, channel, signal).finally(() => channel.close());
  try {
    yield* channel;
  } finally {
    // Whoever stops listening early still leaves no work behind.
    await turn.catch(() => {});
  }
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
  const reader = createTurnReader(request.model, deps.nameAnswer);
  let apiMs = 0;
  try {
    for await (const event of deps.model.stream(request, signal)) {
      for (const recorded of reader.read(event)) {
        await channel.push(deps.record(recorded));
        if (recorded.type === 'block_finished' && recorded.block.type === 'tool_use') {
          executor.add(recorded.block);
        }
      }
      if (event.type === 'message_finished') {
        const used = usedTokens(event.usage);
        channel.pushNow(deps.record(contextChanged(used, request, deps)));
      }
    }
    for (const recorded of reader.rest()) await channel.push(deps.record(recorded));
    apiMs = deps.clock.now() - startedAt;
  } finally {
    // Also after a defect of ours: a call that began has its result before the turn is over.
    await executor.done();
  }
  return { ...reader.answer(), apiMs };
}
