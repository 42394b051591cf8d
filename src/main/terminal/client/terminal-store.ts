import type { TerminalInfo } from '../../../shared/terminal';
import type { TerminalExit, TerminalProgress } from '../../engine/ports';
import type { HostEvent, TerminalState } from '../protocol/control';

/** Ends of forgotten terminals that are still remembered for late askers. */
const MAX_PAST_EXITS = 1_000;

type ProgressListener = (progress: TerminalProgress) => void;
type ListListener = (terminals: readonly TerminalInfo[]) => void;

/** Terminals of lost hosts that are still listed; the oldest are forgotten first. */
const MAX_LOST = 100;

/** The terminals of a host, as its client knows them. */
export class TerminalStore {
  #terminals = new Map<string, TerminalInfo>();
  readonly #exits = new Map<string, TerminalExit>();
  readonly #waiting = new Map<string, PromiseWithResolvers<TerminalExit>>();
  readonly #progress = new Map<string, Set<ProgressListener>>();
  readonly #listeners = new Set<ListListener>();

  /** Returns all terminals, oldest first. */
  list(): readonly TerminalInfo[] {
    return [...this.#terminals.values()].sort((a, b) => a.startedAt - b.startedAt);
  }

  find(id: string): TerminalInfo | null {
    return this.#terminals.get(id) ?? null;
  }

  /** Tells whether a terminal is listed or waited for, or was until lately. */
  knows(id: string): boolean {
    return this.#terminals.has(id) || this.#exits.has(id) || this.#waiting.has(id);
  }

  /** Waits for the end of a terminal that a host may hold, until that has told its list. */
  expect(id: string): void {
    if (!this.knows(id)) this.#waiting.set(id, Promise.withResolvers<TerminalExit>());
  }

  /** Tells whether a terminal is listed that no host knows any more. */
  isLost(id: string): boolean {
    return this.#terminals.get(id)?.lost === true;
  }

  /** Tells whether a terminal runs. */
  isBusy(): boolean {
    return [...this.#terminals.values()].some(({ endedAt }) => endedAt === undefined);
  }

  /** Takes over the list of a host that was just connected; what earlier hosts took with them stays. */
  reset(states: readonly TerminalState[]): void {
    const gone = this.list().filter((info) => info.lost === true);
    const known = [...gone.slice(-MAX_LOST), ...states.map(({ info }) => info)];
    this.#terminals = new Map(known.map((info) => [info.id, info]));
    for (const { info, exit } of states) if (exit !== undefined) this.#settle(info.id, exit);
    for (const id of this.#waiting.keys())
      if (!this.#terminals.has(id)) this.#settle(id, lost('There is no such terminal.'));
    this.#tell();
  }

  /** Marks everything as lost, and what ran as ended: the host is gone, and with it the ptys and screens. */
  hostLost(): void {
    for (const [id, info] of this.#terminals) {
      const endedAt = Math.max(info.startedAt, Date.now());
      this.#terminals.set(id, { endedAt, exitCode: null, ...info, lost: true });
      if (info.endedAt !== undefined) continue;
      this.#settle(id, lost('The terminal host ended.'));
    }
    this.stopWaiting('The terminal host ended.');
    this.#tell();
  }

  /** Settles everybody who waits for an end, because nobody will hear of it. */
  stopWaiting(why: string): void {
    for (const id of [...this.#waiting.keys()]) this.#settle(id, lost(why));
  }

  apply(event: HostEvent): void {
    switch (event.event) {
      case 'progress':
        for (const listener of this.#progress.get(event.terminalId) ?? []) listener(event.progress);
        return;
      case 'removed':
        if (!this.#terminals.delete(event.terminalId)) return;
        break;
      case 'changed':
        this.#terminals.set(event.info.id, event.info);
        break;
      case 'exited':
        this.#terminals.set(event.info.id, event.info);
        this.#settle(event.info.id, event.exit);
        break;
    }
    this.#tell();
  }

  /** Forgets a terminal that has ended. */
  forget(id: string): void {
    if (this.#terminals.get(id)?.endedAt !== undefined)
      this.apply({ event: 'removed', terminalId: id });
  }

  /**
   * Resolves with how a terminal ended; an unknown one is lost. Tells a short output to the first who asks, then
   * forgets it.
   */
  exited(id: string): Promise<TerminalExit> {
    const past = this.#exits.get(id);
    if (past !== undefined) {
      this.#exits.set(id, withoutOutput(past));
      return Promise.resolve(past);
    }
    if (!this.knows(id)) return Promise.resolve(lost('There is no such terminal.'));
    const waiting = this.#waiting.get(id) ?? Promise.withResolvers<TerminalExit>();
    this.#waiting.set(id, waiting);
    return waiting.promise;
  }

  /** Adds a listener; the function it returns removes it and says whether it was the terminal's last. */
  onProgress(id: string, listener: ProgressListener): () => boolean {
    const listeners = this.#progress.get(id) ?? new Set();
    this.#progress.set(id, listeners.add(listener));
    return () => {
      if (!listeners.delete(listener) || listeners.size > 0) return false;
      this.#progress.delete(id);
      return true;
    };
  }

  /** Returns the terminals whose progress somebody wants. */
  progressWatched(): readonly string[] {
    return [...this.#progress.keys()];
  }

  onChanged(listener: ListListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #settle(id: string, exit: TerminalExit): void {
    const waiting = this.#waiting.get(id);
    if (!this.#exits.has(id)) this.#exits.set(id, waiting ? withoutOutput(exit) : exit);
    waiting?.resolve(exit);
    this.#waiting.delete(id);
    for (const old of this.#exits.keys()) {
      if (this.#exits.size <= MAX_PAST_EXITS) break;
      this.#exits.delete(old);
    }
  }

  #tell(): void {
    const terminals = this.list();
    for (const listener of this.#listeners) listener(terminals);
  }
}

const withoutOutput = ({ output: _, tail: _tail, ...kept }: TerminalExit): TerminalExit => kept;

const lost = (why: string): TerminalExit => ({ exitCode: null, bytes: 0, lost: why });
