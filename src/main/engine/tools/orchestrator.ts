import { type CallNode, dependencies, schedule } from './dependency-graph';
import type { Reach } from './reach';

/** Whether a call may go on now; if not, why it never will. */
export type Turn =
  | { readonly kind: 'go' }
  | { readonly kind: 'aborted' }
  /** A command it had to wait for failed; `by` is its place in the response. */
  | { readonly kind: 'spoiled'; readonly by: number }
  /** It waits for itself: a defect of ours, and no reason to hang. */
  | { readonly kind: 'stuck' };

/** One call's place in the schedule. */
export interface Slot {
  /** Resolves when the call may go on; at once while it holds a place among the running ones. Never rejects. */
  turn(): Promise<Turn>;
  /** Gives its place up while a person is asked. Resolves when those before it know whether they ask: questions keep their order. */
  ask(): Promise<void>;
  /** It is known that nobody (or nobody more) is asked. */
  decided(): void;
  /** The person changed what it does while they were asked: what has not begun waits by the new reach. */
  changed(reach: Reach): void;
  /** It has its result. `spoils`: what had to wait for it must not start. */
  settle(spoils: boolean): void;
}

/** Decides when each call of one response runs (SPEC D3). */
export interface Orchestrator {
  /**
   * Takes a call in, in the order asked. Its `reach` is asked for when everything before it that may change the
   * answer (a folder, a link) has ended. `reach` must not reject.
   */
  add(reach: () => Promise<Reach>): Slot;
}

interface Node extends CallNode {
  state: CallNode['state'];
  waitsFor: readonly number[] | null;
  spoiledBy: number | null;
  reach: Reach;
  next: PromiseWithResolvers<Turn>;
  readonly decision: PromiseWithResolvers<void>;
  readonly over: PromiseWithResolvers<void>;
}

/** The schedule of one response. An abort ends every wait. */
export function createOrchestrator(signal: AbortSignal): Orchestrator {
  const nodes: Node[] = [];
  let admitted: Promise<void> = Promise.resolve();

  const proceed = () => {
    const { starts, cancels, stuck } = schedule(nodes);
    for (const place of starts) begin(nodes[place]);
    for (const { call, because } of cancels) {
      const node = nodes[call];
      if (node) node.spoiledBy = because;
      node?.next.resolve({ kind: 'spoiled', by: because });
    }
    for (const place of stuck) nodes[place]?.next.resolve({ kind: 'stuck' });
  };

  const begin = (node: Node | undefined) => {
    if (!node) return;
    node.state = 'running';
    node.next.resolve({ kind: 'go' });
  };

  const admit = async (place: number, reach: () => Promise<Reach>) => {
    const node = nodes[place];
    if (!node || signal.aborted) return;
    node.reach = await reach();
    const earlier = nodes.slice(0, place).map((other) => other.reach);
    node.waitsFor = dependencies(node.reach, earlier);
    proceed();
    // It may make links and change the folder: what the calls after it mean is only known then.
    if (node.reach === 'alone') await node.over.promise;
  };

  const giveUp = () => {
    for (const node of nodes) node.next.resolve({ kind: 'aborted' });
  };
  signal.addEventListener('abort', giveUp, { once: true });

  const slotOf = (node: Node, place: number): Slot => ({
    turn: () => {
      if (signal.aborted) return Promise.resolve({ kind: 'aborted' });
      if (node.state === 'asking') {
        node.state = 'waiting';
        node.next = Promise.withResolvers();
        proceed();
      }
      return node.next.promise;
    },
    ask: async () => {
      node.state = 'asking';
      proceed();
      const begun = nodes.slice(0, place).filter((other) => other.state !== 'waiting');
      await Promise.all(begun.map((other) => other.decision.promise));
      // Only now, so that those after it come after it.
      node.decision.resolve();
    },
    decided: () => node.decision.resolve(),
    changed: (reach) => {
      node.reach = reach;
      for (const [at, other] of nodes.entries()) {
        if (at < place || other.waitsFor === null) continue;
        const earlier = nodes.slice(0, at).map((before) => before.reach);
        other.waitsFor = dependencies(other.reach, earlier);
      }
    },
    settle: (spoils) => {
      node.state = 'settled';
      if (spoils) node.spoiledBy ??= place;
      node.decision.resolve();
      node.over.resolve();
      proceed();
    },
  });

  return {
    add: (reach) => {
      const node: Node = {
        state: 'waiting',
        waitsFor: null,
        spoiledBy: null,
        reach: 'alone',
        next: Promise.withResolvers(),
        decision: Promise.withResolvers(),
        over: Promise.withResolvers(),
      };
      const place = nodes.push(node) - 1;
      admitted = admitted.then(() => admit(place, reach));
      return slotOf(node, place);
    },
  };
}
