/** SPEC D3: how many concurrency-safe calls run together. */
export const MAX_CONCURRENT_CALLS = 10;

/** What the schedule needs to know of one call, in the order the model asked. */
export interface CallSlot {
  readonly concurrencySafe: boolean;
  readonly state: 'waiting' | 'running' | 'settled';
}

/**
 * Which waiting calls may start now, as indices. Concurrency-safe calls run together up to the limit;
 * any other call waits for all before it and holds back all after it. Pure.
 */
export function startable(
  slots: readonly CallSlot[],
  limit: number = MAX_CONCURRENT_CALLS,
): readonly number[] {
  const starts: number[] = [];
  let running = slots.filter((slot) => slot.state === 'running').length;
  let unsettledBefore = false;
  for (const [index, slot] of slots.entries()) {
    if (slot.state === 'settled') continue;
    if (!slot.concurrencySafe) {
      if (slot.state === 'waiting' && !unsettledBefore) starts.push(index);
      return starts;
    }
    if (slot.state === 'waiting' && running < limit) {
      starts.push(index);
      running += 1;
    }
    unsettledBefore = true;
  }
  return starts;
}
