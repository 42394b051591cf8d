import type { Message } from '../../../shared/message';
import type { ContinueReason } from '../../../shared/turn';
import { sinceBoundary } from '../messages/normalize';
import { project } from '../messages/projection';
import type { Files } from '../ports';
import { type AutocompactChoice, createAutocompact } from './autocompact';
import { collapse } from './collapse';
import { type ContextLayer, type LayerDeps, type LayerRun, recordAll, UNTOUCHED } from './layer';
import { budgetOf, type ContextBudget, type ContextLimits } from './limits';
import { createMicrocompact } from './microcompact';
import { snip } from './snip';
import { freedTokens } from './tokens';
import { createToolResultBudget } from './tool-result-budget';

/** The things that the layers of an agent are made with. */
export interface LayerOptions {
  readonly files: Files;
  /** The session's folder: long results are saved below it. */
  readonly folder: string;
  readonly autocompact: () => AutocompactChoice;
  /** Tells whether calls of a tool can be made again for what they showed. */
  readonly isRepeatable: (tool: string) => boolean;
}

/** Creates the layers of one agent, in the order in which they run (docs/spec.md F0). */
export const contextLayers = (options: LayerOptions): readonly ContextLayer[] => [
  createToolResultBudget(options.files, options.folder),
  snip,
  createMicrocompact(options.isRepeatable),
  collapse,
  createAutocompact(options.autocompact),
];

/** The dependencies of a pass over the layers; layers get them as their own `deps`. */
export interface PassDeps extends LayerDeps {
  readonly layers: readonly ContextLayer[];
  /** Returns the history with all that was recorded so far. */
  readonly history: () => readonly Message[];
}

/**
 * Runs all layers before a request, and records what each did right behind it. Returns the tokens freed; 0 when the
 * request stays as it is.
 */
export async function runLayers(
  deps: PassDeps,
  budget: ContextBudget,
  signal: AbortSignal,
): Promise<number> {
  let freed = 0;
  let messages = sinceBoundary(deps.history());
  for (const layer of deps.layers) {
    if (signal.aborted) break;
    const now = budgetOf(Math.max(0, budget.tokens - freed), budget.limits, budget.cache);
    const run = layer.apply(messages, now, deps, signal);
    if (run === UNTOUCHED) continue;
    freed += await recordRun(layer.name, messages, run, deps);
    messages = sinceBoundary(deps.history());
  }
  return freed;
}

/** A way out of a refused request: the layer that found one, and the reason to send it again. */
export interface Relief {
  readonly layer: string;
  readonly retry: ContinueReason;
}

/**
 * Makes a context smaller that the API found too long (docs/spec.md A5): asks the layers in order, each once, those in
 * `tried` no more, and records what they do. Returns the first relief; null when there is none left.
 */
export async function relieve(
  deps: PassDeps,
  budget: ContextBudget,
  tried: readonly string[],
  signal: AbortSignal,
): Promise<Relief | null> {
  for (const { name, overflow } of deps.layers) {
    if (overflow === undefined || tried.includes(name)) continue;
    if (signal.aborted) return null;
    const messages = sinceBoundary(deps.history());
    const run = overflow.apply(messages, budget, deps, signal);
    const freed = await recordRun(name, messages, run, deps);
    if (freed > 0) return { layer: name, retry: overflow.retry };
  }
  return null;
}

/** Returns the size from which on one of the layers summarises by itself; null: none does. Tokens. */
export function summarisesAt(
  layers: readonly ContextLayer[],
  limits: ContextLimits,
): number | null {
  const sizes = layers.flatMap((layer) => layer.summarisesAt?.(limits) ?? []);
  return sizes.length === 0 ? null : Math.min(...sizes);
}

/** Records the events of a run and, behind them, the edits it made. Returns the tokens freed. */
async function recordRun(
  layer: string,
  messages: readonly Message[],
  run: LayerRun,
  { record }: PassDeps,
): Promise<number> {
  const { edits, freed } = Symbol.asyncIterator in run ? await recordAll(run, record) : await run;
  if (edits.length > 0) {
    const { counted } = freedTokens(messages, project(messages, edits));
    record({ type: 'context_edited', layer, edits: [...edits], freed, counted });
  }
  return freed;
}
