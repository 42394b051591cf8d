import type { Continue, Terminal } from '../../../shared/turn';
import type { ModelRequest } from '../model/model-client';
import type { Ending, QueryContext, State } from './state';
import type { TurnOutcome } from './stream-turn';

/** A turn that is over, with all that a step after it may need. */
export interface Settled {
  readonly state: State;
  readonly turn: TurnOutcome;
  readonly request: ModelRequest;
  readonly context: QueryContext;
  /** Why a hook wants the query to end. */
  readonly hookStop: string | null;
}

/** What comes next. `say` goes to the model in the user's place; `text` is for the person. */
export type Next =
  | {
      readonly kind: 'continue';
      readonly reason: Continue;
      readonly say?: string;
      /** In place of the state so far. */
      readonly state?: State;
    }
  | { readonly kind: 'end'; readonly terminal: Terminal; readonly text?: string };

/** The next state, or the end of the query. */
export type Step =
  | { readonly kind: 'state'; readonly state: State }
  | { readonly kind: 'end'; readonly ending: Ending };
