import type { Transcript } from '../../shared/transcript';
import type { EventLog } from '../engine/event-log';
import { askedOutput, maxOutputOf } from '../engine/model/catalog';
import type {
  AutocompactChoice,
  QueryEngineOptions,
  SessionConfig,
} from '../engine/query-engine/options';
import type { EffectiveSettings } from '../engine/settings/effective';

/** What other parts may say about how a query goes on; each may be absent. */
export type LoopSeams = Pick<QueryEngineOptions, 'autocompact' | 'stopHooks' | 'collapses'>;

/** The seams of a session's loop: settings say when to summarise where nobody else does. */
export const loopSeams = ({
  settings,
  autocompact,
  stopHooks,
  collapses,
}: LoopSeams & { readonly settings: () => EffectiveSettings }): LoopSeams => ({
  autocompact: autocompact ?? (() => autocompactChoice(settings())),
  ...(stopHooks ? { stopHooks } : {}),
  ...(collapses ? { collapses } : {}),
});

const autocompactChoice = ({
  autoCompactEnabled = true,
  autoCompactWindow,
}: EffectiveSettings): AutocompactChoice => ({
  enabled: autoCompactEnabled,
  ...(autoCompactWindow === undefined ? {} : { windowTokens: autoCompactWindow }),
});

/** The most output tokens of a model. A person who set the output wants no more than that, also when an answer is cut. */
export const mostOutput = (model: string, set: number | undefined): number =>
  set === undefined ? maxOutputOf(model) : askedOutput(model, set);

/** Writes down what a session starts with, as far as its log does not say so already. */
export function announceConfig(log: EventLog, { model, effort, mode }: SessionConfig): void {
  const known = log.transcript();
  if (known.model !== model) log.append({ type: 'model_changed', model });
  if (known.effort !== effort) log.append({ type: 'effort_changed', effort });
  if (known.mode !== mode) log.append({ type: 'mode_changed', mode });
}

/** What the person wrote in a session, oldest first. */
export const personsWords = ({ committed, active }: Transcript): readonly string[] =>
  [...committed, ...active].flatMap((item) => (item.kind === 'prompt' ? [item.text] : []));
