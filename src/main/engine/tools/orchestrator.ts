import { type CallGroup, type CallNode, dependencies, schedule } from './dependency-graph';
import type { ResourceAccess } from './resource-access';

/** The answer to "may this call go on?"; all but `go` are final. */
export type Clearance =
  | { readonly kind: 'go' }
  | { readonly kind: 'aborted' }
  /** A command it had to wait for failed; `dependency` is its place in the response. */
  | { readonly kind: 'dependency_failed'; readonly dependency: number }
  /** It waits for itself: a defect of ours, and no reason to hang. */
  | { readonly kind: 'deadlock' };

/** One call's place in the schedule. */
export interface Slot {
  /** Resolves when the call may go on; at once while it holds a place among the running ones. Never rejects. */
  clearance(): Promise<Clearance>;
  /** Gives its place up while a user is asked. Resolves when those before it know whether they ask: questions keep their order. */
  ask(): Promise<void>;
  /** Reports that nobody (or nobody more) is asked. */
  decided(): void;
  /** Replaces its access, because the call was changed: calls that have not begun wait by the new one. */
  changed(access: ResourceAccess): void;
  /** Ends its wait, because the user stopped it: it never starts. */
  cancel(): void;
  /** Reports its result. With `failsDependents`, calls that had to wait for it never start. */
  settle(failsDependents: boolean): void;
}

/** Decides when each call of one response runs (docs/spec.md D3). */
export interface Orchestrator {
  /**
   * Adds a call, in the order asked. Its `access` is looked up when everything before it that may change the answer
   * (a folder, a link) has ended. `access` must not reject. Calls of one `group` share its limit.
   */
  add(access: () => Promise<ResourceAccess>, group?: CallGroup): Slot;
  /** Lets go of the signal: it would hold everything of this response until the query ends. */
  end(): void;
}

interface Node extends CallNode {
  state: CallNode['state'];
  waitsFor: readonly number[] | null;
  failedBy: number | null;
  isCancelled: boolean;
  readonly cancelled: PromiseWithResolvers<void>;
  /** Null until it is known. */
  access: ResourceAccess | null;
  next: PromiseWithResolvers<Clearance>;
  readonly decision: PromiseWithResolvers<void>;
  readonly over: PromiseWithResolvers<void>;
}

/** Creates the schedule of one response. An abort ends every wait. */
export function createOrchestrator(signal: AbortSignal): Orchestrator {
  const nodes: Node[] = [];
  let admitted: Promise<void> = Promise.resolve();

  const proceed = () => {
    const { starts, cancels, deadlocked } = schedule(nodes);
    for (const place of starts) begin(nodes[place]);
    for (const { call, because } of cancels) {
      const node = nodes[call];
      if (node) node.failedBy = because;
      node?.next.resolve({ kind: 'dependency_failed', dependency: because });
    }
    for (const place of deadlocked) nodes[place]?.next.resolve({ kind: 'deadlock' });
  };

  const accessBefore = (place: number) =>
    nodes.slice(0, place).map((other) => other.access ?? 'alone');

  const begin = (node: Node | undefined) => {
    if (!node) return;
    node.state = 'running';
    node.next.resolve({ kind: 'go' });
  };

  const admit = async (place: number, access: () => Promise<ResourceAccess>) => {
    const node = nodes[place];
    if (!node || signal.aborted) return;
    const found = access();
    // The first waits for nobody, so its access matters only to those after it.
    if (place === 0) {
      node.waitsFor = [];
      proceed();
    }
    const known = await found;
    node.access ??= known;
    node.waitsFor = dependencies(node.access, accessBefore(place));
    proceed();
    // It may make links and change the folder: what the calls after it mean is only known then.
    if (node.access === 'alone') await node.over.promise;
  };

  const abortAll = () => {
    for (const node of nodes) node.next.resolve({ kind: 'aborted' });
  };
  signal.addEventListener('abort', abortAll, { once: true });

  const slotOf = (node: Node, place: number): Slot => ({
    clearance: () => {
      if (signal.aborted || node.isCancelled) return Promise.resolve({ kind: 'aborted' });
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
      const decisions = Promise.all(begun.map((other) => other.decision.promise));
      await Promise.race([decisions, node.cancelled.promise]);
      // Only now, so that those after it come after it.
      node.decision.resolve();
    },
    decided: () => node.decision.resolve(),
    changed: (access) => {
      node.access = access;
      for (const [at, other] of nodes.entries()) {
        if (at < place || other.waitsFor === null) continue;
        other.waitsFor = dependencies(other.access ?? 'alone', accessBefore(at));
      }
    },
    cancel: () => {
      node.isCancelled = true;
      node.cancelled.resolve();
      node.next.resolve({ kind: 'aborted' });
    },
    settle: (failsDependents) => {
      node.state = 'settled';
      if (failsDependents) node.failedBy ??= place;
      node.decision.resolve();
      node.over.resolve();
      proceed();
    },
  });

  return {
    add: (access, group) => {
      const node: Node = {
        state: 'waiting',
        waitsFor: null,
        failedBy: null,
        isCancelled: false,
        cancelled: Promise.withResolvers(),
        access: null,
        ...(group === undefined ? {} : { group }),
        next: Promise.withResolvers(),
        decision: Promise.withResolvers(),
        over: Promise.withResolvers(),
      };
      const place = nodes.push(node) - 1;
      admitted = admitted.then(() => admit(place, access));
      return slotOf(node, place);
    },
    end: () => signal.removeEventListener('abort', abortAll),
  };
}
