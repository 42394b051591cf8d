import type { Clock } from '../ports';
import type { Verdict } from './gated-call';

/** Hooks that answer within this time spare the person a dialog that would only flash up. Milliseconds. */
export const HEAD_START_MS = 500;

/** Two that may answer the same question. Neither rejects; each ends when its signal aborts. */
export interface Answerers {
  /** Null: they leave it to the person. `settled` is called when their answer stands, before it is carried out. */
  readonly hooks: (settled: () => void, signal: AbortSignal) => Promise<Verdict | null>;
  readonly person: (signal: AbortSignal) => Promise<Verdict>;
}

/**
 * The answer of whoever is first. Hooks have a head start; when they take longer, the person is asked beside them, and
 * who answers takes the question away from the other.
 */
export async function firstAnswer(
  { hooks, person }: Answerers,
  clock: Clock,
  signal: AbortSignal,
): Promise<Verdict> {
  const forHooks = new AbortController();
  const forPerson = new AbortController();
  const asked = hooks(() => forPerson.abort(), AbortSignal.any([signal, forHooks.signal]));
  const early = await within(HEAD_START_MS, asked, clock);
  if (early.done) return early.value ?? person(signal);
  const answer = person(AbortSignal.any([signal, forPerson.signal])).then((verdict) => {
    if (!forPerson.signal.aborted) forHooks.abort();
    return verdict;
  });
  const byHooks = await asked;
  const byPerson = await answer;
  return byHooks !== null && forPerson.signal.aborted ? byHooks : byPerson;
}

/** What a promise gave in time, or that it takes longer. */
async function within<T>(
  ms: number,
  promise: Promise<T>,
  clock: Clock,
): Promise<{ readonly done: true; readonly value: T } | { readonly done: false }> {
  const over = new AbortController();
  const late = clock.sleep(ms, over.signal).then(() => ({ done: false }) as const);
  const first = await Promise.race([
    promise.then((value) => ({ done: true, value }) as const),
    late,
  ]);
  over.abort();
  return first;
}
