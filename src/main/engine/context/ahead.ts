import type { AgentEvent } from '../../../shared/agent-event';
import type { Message } from '../../../shared/message';
import { untilAborted } from '../until-aborted';
import { collapseAt } from './collapse';
import type { LayerDeps } from './layer';
import type { ContextBudget } from './limits';
import {
  type ReplacingSummary,
  type Split,
  SUMMARY_TOKENS,
  splitBehind,
  splitForSummary,
  summarise,
  type WrittenSummary,
} from './summarise';
import { messagesTokens } from './tokens';

/** After this many failures in a row a session writes no more summaries ahead. */
const MAX_FAILURES = 3;
/** The most that may stand behind a summary for it to be used, as a share of the point of summarising. */
const MAX_TAIL_SHARE = 0.5;
/** Its name in the list of costs. */
const PURPOSE = 'summary ahead';

/** The summaries of one agent that are written beside its work. */
interface SummariesAhead {
  /** Begins one if it is time; drops one whose part of the conversation has changed. */
  consider(messages: readonly Message[], budget: ContextBudget, deps: LayerDeps): void;
  /** Returns the one that fits these messages, and waits for it while it is written; null: there is none. Never fails. */
  take(
    messages: readonly Message[],
    budget: ContextBudget,
    signal: AbortSignal,
  ): Promise<ReplacingSummary | null>;
}

/** A summary that is being written, or was. */
interface Work {
  /** The ids of the messages that it is about. */
  readonly covers: readonly string[];
  /** Never rejects. */
  readonly outcome: Promise<WrittenSummary | 'failed' | 'stopped'>;
  readonly drop: () => void;
}

/** Creates the summaries of one agent. They are lost with the process: then they are written when they are needed. */
export function createSummariesAhead(): SummariesAhead {
  let work: Work | null = null;
  let failures = 0;
  const dropStale = (messages: readonly Message[]): Split | null => {
    const split = work && splitBehind(messages, work.covers);
    if (work !== null && split === null) {
      work.drop();
      work = null;
    }
    return split;
  };

  return {
    consider: (messages, budget, deps) => {
      dropStale(messages);
      const { tokens, limits, cache } = budget;
      if (work !== null || failures >= MAX_FAILURES) return;
      if (!isTimeAhead({ tokens, limits, cache, answers: answersIn(messages) })) return;
      const { head } = splitForSummary(messages, limits.autocompact - tokens);
      if (!head.some(({ role }) => role !== 'boundary')) return;
      if (!deps.affords(tokens, SUMMARY_TOKENS)) return;
      const started = write(head, deps);
      work = started;
      void started.outcome.then((outcome) => {
        if (work !== started) return;
        if (outcome === 'failed') failures += 1;
        if (typeof outcome === 'string') work = null;
        else failures = 0;
      });
    },
    take: async (messages, { limits }, signal) => {
      const split = dropStale(messages);
      if (work === null || split === null) return null;
      const current = work;
      const tooMuch = messagesTokens(split.tail) > limits.autocompact * MAX_TAIL_SHARE;
      if (tooMuch) current.drop();
      const written = tooMuch ? 'stopped' : await untilAborted(current.outcome, signal);
      if (work === current) work = null;
      return typeof written === 'string' ? null : { written, split };
    },
  };
}

/** The facts by which it is time for a summary that nobody waits for yet. */
interface AheadFacts extends Pick<ContextBudget, 'tokens' | 'limits' | 'cache'> {
  /** The answers in what is sent. */
  readonly answers: number;
}

/**
 * Tells whether a summary should be written now, beside the work (docs/context.md). Folding has had its turn and the point
 * of summarising is not reached. The prompt cache holds what would be read. At the mean growth of a turn so far, the
 * turns that are left will reach that point. Pure.
 */
export function isTimeAhead({ tokens, limits, cache, answers }: AheadFacts): boolean {
  if (tokens < collapseAt(limits) || tokens >= limits.autocompact || cache.isCold) return false;
  if (cache.turnsLeft === null) return true;
  const growth = tokens / Math.max(1, answers);
  return cache.turnsLeft > (limits.autocompact - tokens) / growth;
}

const answersIn = (messages: readonly Message[]): number =>
  messages.reduce((sum, { role }) => sum + (role === 'assistant' ? 1 : 0), 0);

/** Writes a summary beside the work. It is given up at the first failure: who needs it then asks again. */
function write(head: readonly Message[], deps: LayerDeps): Work {
  const dropped = new AbortController();
  const { promise, resolve } = Promise.withResolvers<Awaited<Work['outcome']>>();
  deps.beside(async (signal) => {
    const until = AbortSignal.any([signal, dropped.signal]);
    const record = (event: AgentEvent): void => {
      // A user waits for nothing here: its tries are no news.
      if (event.type === 'retry_waiting') dropped.abort();
      if (event.type === 'notice' || event.type === 'side_call') deps.record(event);
    };
    const written = await attempt(head, { ...deps, record, purpose: PURPOSE }, until);
    resolve(written ?? (signal.aborted ? 'stopped' : 'failed'));
  });
  return { covers: head.map(({ id }) => id), outcome: promise, drop: () => dropped.abort() };
}

/** Turns a defect into nothing written: the conversation goes on without. */
async function attempt(
  head: readonly Message[],
  deps: LayerDeps,
  signal: AbortSignal,
): Promise<WrittenSummary | null> {
  // The pause of the conversation's own requests can be hurried by the user; this one is none of theirs.
  const buildRequest: LayerDeps['buildRequest'] = async (history, until) => ({
    ...(await deps.buildRequest(history, until)),
    pause: deps.clock.sleep,
  });
  try {
    const run = summarise(head, undefined, { ...deps, buildRequest }, signal);
    let step = await run.next();
    while (!step.done) {
      deps.record(step.value);
      step = await run.next();
    }
    return step.value.kind === 'summary' ? step.value : null;
  } catch {
    return null;
  }
}
