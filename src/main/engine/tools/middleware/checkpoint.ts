import type { CallMiddleware, ToolCall } from './call-middleware';

/** Keeps the state of the files around calls, so that a call can be undone. Never rejects. */
export interface CheckpointStore {
  /** Takes a checkpoint of one call, while nothing else changes the files that it may change. */
  take(call: ToolCall, moment: 'before' | 'after'): Promise<void>;
}

/** Takes a checkpoint before and after each call; does nothing without a store. */
export const checkpoint =
  (store?: CheckpointStore): CallMiddleware =>
  async (call, next) => {
    await store?.take(call, 'before');
    const outcome = await next(call);
    await store?.take(call, 'after');
    return outcome;
  };
