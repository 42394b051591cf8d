import type { Message } from '../../../shared/message';
import type { CompactionTrigger } from '../../../shared/turn';
import type { ModelClient, ModelRequest } from '../model/model-client';
import type { Clock, Ids } from '../ports';

/** A fact that goes back into the conversation behind a summary. */
export interface Restored {
  readonly kind: string;
  readonly text: string;
  readonly about?: string;
}

/** What a compaction needs from outside. */
export interface CompactDeps {
  readonly model: ModelClient;
  /** The same requests as the loop makes: their prefix is in the API's cache. */
  readonly buildRequest: (
    history: readonly Message[],
    signal: AbortSignal,
  ) => Promise<ModelRequest>;
  /** The most output tokens that may be asked of a model. */
  readonly maxOutput: (model: string) => number;
  /** What the model must not lose with the part that goes: files it worked with, open work (SPEC F5). Never fails. */
  readonly restore: (
    gone: readonly Message[],
    kept: readonly Message[],
    signal: AbortSignal,
  ) => Promise<readonly Restored[]>;
  /** Who is asked before a summary and told after it. Never fails. */
  readonly hooks?: CompactHooks | undefined;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** The hooks around a summary. */
export interface CompactHooks {
  /** Why it must not be made now; null when it may. `focus` is what a person wants kept. */
  before(
    trigger: CompactionTrigger,
    focus: string | undefined,
    signal: AbortSignal,
  ): Promise<string | null>;
  after(trigger: CompactionTrigger, summary: string, signal: AbortSignal): Promise<void>;
}
