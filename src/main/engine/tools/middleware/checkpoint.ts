import type { CheckpointScope } from '../../ports-checkpoints';
import type { ToolEnvironment } from '../environment';
import type { CallMiddleware, ToolCall } from './call-middleware';

/** Keeps the state of the files around calls, so that a call can be undone. Never rejects. */
export interface CheckpointStore {
  /**
   * Keeps the files that a call may change, before it runs; what it returns keeps what the call changed. Null: nothing is
   * kept of this call. `scope` is asked only where checkpoints are wanted; null when the call changes nothing.
   */
  begin(
    callId: string,
    scope: () => Promise<CheckpointScope | null>,
  ): Promise<(() => Promise<void>) | null>;
}

/** Takes a checkpoint before and after each call that may change files; does nothing without a store. */
export const checkpoint =
  (store: CheckpointStore | undefined, environment: ToolEnvironment): CallMiddleware =>
  async (call, next) => {
    if (store === undefined) return next(call);
    const end = await store.begin(call.id, () => scopeOf(call, environment));
    if (end === null) return next(call);
    try {
      return await next(call);
    } finally {
      await end();
    }
  };

/** Returns the files that a call may change; null when it changes none. */
async function scopeOf(
  { tool, input, decided }: ToolCall,
  environment: ToolEnvironment,
): Promise<CheckpointScope | null> {
  // A tool of Lathe that changes nothing outside Lathe says so by its needs.
  const isOwn = decided.every((request) => request.kind === 'tool' && request.readOnly);
  if (isOwn && decided.length > 0) return null;
  const access = await tool.access(input, environment);
  if (access === 'alone') return 'all';
  return access.writes.length === 0 ? null : access.writes;
}
