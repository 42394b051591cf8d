import type { AgentEvent } from '../../../shared/agent-event';
import type { ContextEdit } from '../../../shared/context-edit';
import type { Message } from '../../../shared/message';
import type { ContinueReason } from '../../../shared/turn';
import type { CompactDeps } from './compact';
import type { ContextBudget, ContextLimits } from './limits';

/** The outcome of a layer's work. */
export interface LayerOutcome {
  /** Changes to what is sent; the pipeline records them, so that a resumed session sends the same. */
  readonly edits: readonly ContextEdit[];
  /** Tokens that are no longer sent, estimated. */
  readonly freed: number;
}

/** The outcome of a layer that found nothing to do. */
export const UNTOUCHED: LayerOutcome = { edits: [], freed: 0 };

/** A layer at work. One that needs time may wait; one that asks a model yields the events of that, to be recorded. */
export type LayerRun =
  | LayerOutcome
  | Promise<LayerOutcome>
  | AsyncGenerator<AgentEvent, LayerOutcome>;

/** The dependencies of layers. */
export interface LayerDeps extends CompactDeps {
  readonly record: (event: AgentEvent) => unknown;
  /**
   * Runs work beside the queries of the agent, until it is over. Its signal aborts when the user stops the agent, and
   * when its session closes.
   */
  readonly beside: (work: (signal: AbortSignal) => Promise<void>) => void;
  /** Tells whether the money that is left pays for a request of so many tokens, at the highest price, and more. */
  readonly affords: (inputTokens: number, outputTokens: number) => boolean;
}

/**
 * One way to make the context smaller (docs/spec.md F0). Layers run in order before every request, the cheapest first.
 * To add one, write a file and name it in `contextLayers`.
 */
export interface ContextLayer {
  /** Its name in the log and on screen. */
  readonly name: string;
  /**
   * Makes the context smaller, if `budget` calls for it. `messages` is what would be sent: all since the last boundary.
   * A layer that has nothing to do must find out at little cost, for it runs at every turn.
   */
  apply(
    messages: readonly Message[],
    budget: ContextBudget,
    deps: LayerDeps,
    signal: AbortSignal,
  ): LayerRun;
  /** Its way out when the API found a request too long; left out: it has none. */
  readonly overflow?: {
    /** The reason that the loop gives for sending the request again. */
    readonly retry: ContinueReason;
    readonly apply: ContextLayer['apply'];
  };
  /** Returns the size from which on it summarises by itself, for people; null: never. Left out: it makes no summaries. */
  summarisesAt?(limits: ContextLimits): number | null;
}

/** Records the events of a run that a model is asked in. Returns what the run returns. */
export async function recordAll<T>(
  run: AsyncGenerator<AgentEvent, T>,
  record: (event: AgentEvent) => unknown,
): Promise<T> {
  let step = await run.next();
  while (!step.done) {
    record(step.value);
    step = await run.next();
  }
  return step.value;
}
