import type { ContextLayer } from '../context/layer';
import type { Command } from '../input/commands';
import type { AnyTaskRunner } from '../tasks/runners';
import type { ToolSource } from '../tools/catalogue';
import type { CallMiddleware } from '../tools/middleware/call-middleware';

/**
 * Lists of what plugs into a session, each made from the list that comes with Lathe. What is always there stands in that
 * list, in its own room; this is for what only some sessions have. Left out: the list as it is.
 */
export interface SessionPlugs {
  readonly toolSources?: Change<ToolSource>;
  readonly taskRunners?: Change<AnyTaskRunner>;
  /** Of every agent, the cheapest first. */
  readonly layers?: Change<ContextLayer>;
  /** Of every agent, outermost first. */
  readonly middleware?: Change<CallMiddleware>;
  readonly commands?: Change<Command>;
}

type Change<Part> = (standard: readonly Part[]) => readonly Part[];

/** Returns a list with what a session changes in it. */
export const plugged = <Part>(
  standard: readonly Part[],
  change: Change<Part> | undefined,
): readonly Part[] => change?.(standard) ?? standard;
