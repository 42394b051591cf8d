import { windowShare } from '../../../shared/transcript';
import { contextChanged } from '../context/limits';
import type { ModelRequest } from '../model/model-client';
import type { QueryDeps } from './query-deps';
import { type Answer, createTurnReader } from './turn-reader';

/** How one turn went. */
export interface TurnOutcome extends Answer {
  /** Milliseconds from the request to the end of its stream. */
  readonly apiMs: number;
}

/**
 * One API round trip and the tools it asked for. Tools start while the answer still streams; the turn is over
 * when both are. Failures of the API are in the outcome, so that the loop can recover before anyone hears of them.
 */
export async function streamTurn(
  request: ModelRequest,
  deps: QueryDeps,
  signal: AbortSignal,
): Promise<TurnOutcome> {
  const executor = deps.createExecutor(deps.record, signal);
  const startedAt = deps.clock.now();
  const reader = createTurnReader(request.model, deps.uniqueIds);
  let apiMs = 0;
  try {
    for await (const event of deps.model.stream(request, signal)) {
      for (const recorded of reader.read(event)) {
        deps.record(recorded);
        if (recorded.type === 'block_finished' && recorded.block.type === 'tool_use') {
          executor.add(recorded.block);
        }
      }
      if (event.type === 'message_finished') {
        deps.record(contextChanged(windowShare(event.usage), request, deps));
      }
      await deps.room();
    }
    for (const recorded of reader.rest()) deps.record(recorded);
    apiMs = deps.clock.now() - startedAt;
  } finally {
    // Also after a defect of ours: a call that began has its result before the turn is over.
    await executor.done();
  }
  return { ...reader.answer(), apiMs };
}
