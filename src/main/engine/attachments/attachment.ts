import type { ImageBlock, Message } from '../../../shared/message';
import type { PermissionMode } from '../../../shared/permission';

/** A fact for the model, told between turns. It becomes user content inside a reminder. */
export interface Attachment {
  readonly kind: string;
  readonly text: string;
  /** Its subject (a path, a threshold), so that the same is not told twice. */
  readonly about?: string;
  readonly images?: ImageBlock[];
}

/** The find of a collector. */
export interface CollectedFact {
  /** Null when there is nothing to say, only something to note. */
  readonly attachment: Attachment | null;
  /** Called once the fact counts. A collector that was too late is asked again, so it changes no state before. */
  readonly accept?: () => void;
}

/** The state of an agent when attachments are collected. */
export interface CollectContext {
  /** The messages that are sent: the last boundary and all after it. */
  readonly history: readonly Message[];
  readonly mode: PermissionMode;
  /** Tokens the model can take. */
  readonly windowTokens: number;
  readonly query: QueryProgress;
}

/** The progress of the running query. */
export interface QueryProgress {
  readonly queryId: string;
  /** The message that began it; null when nobody's words did. */
  readonly promptId: string | null;
  /** API round trips begun. */
  readonly turns: number;
  readonly spentUsd: number;
  readonly maxTurns: number | null;
  readonly maxBudgetUsd: number | null;
}

/** Looks for one kind of attachment. */
export interface Collector {
  /** Names it in notices, e.g. `changed files`. */
  readonly name: string;
  /** May be slow and may fail; both only lose this collector's facts for now. Stops when the signal aborts. */
  collect(
    context: CollectContext,
    signal: AbortSignal,
  ): readonly CollectedFact[] | Promise<readonly CollectedFact[]>;
}
