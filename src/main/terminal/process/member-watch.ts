import { membersOf, type TreeRoot } from './kill-tree';
import type { ProcessIdentity, ProcessTable } from './process-table';

/** Time from a start to the first look, doubled until the last of these. Milliseconds. */
const FIRST_LOOK_MS = 250;
const LAST_LOOK_MS = 8_000;

/** The parts a watch over members works with. */
export interface MemberWatchOptions {
  readonly hostId: string;
  readonly processes: Pick<ProcessTable, 'list'>;
  readonly spared: ReadonlySet<number>;
  /** Returns the roots of the terminals whose programs run. */
  roots(): readonly TreeRoot[];
  /** Hears of the processes of a terminal that only this watch knows by now. */
  changed(terminalId: string, untagged: readonly ProcessIdentity[]): void;
  failed(error: unknown): void;
}

/**
 * Remembers which processes belong to which terminal. A program can leave its parent, its session and its environment,
 * but not unsee that it was seen: one that was in a tree at a look is known until it ends. One that does all of this
 * between two looks escapes; no system that starts it without a container can tell.
 */
export class MemberWatch {
  readonly #options: MemberWatchOptions;
  readonly #seen = new Map<string, readonly ProcessIdentity[]>();
  readonly #told = new Map<string, string>();
  #timer: NodeJS.Timeout | null = null;
  #looking: Promise<void> | null = null;
  #waitMs = FIRST_LOOK_MS;

  constructor(options: MemberWatchOptions) {
    this.#options = options;
  }

  /** Returns the processes that were seen in a terminal's tree and may still live. */
  seen(terminalId: string): readonly ProcessIdentity[] {
    return this.#seen.get(terminalId) ?? [];
  }

  /** Returns all of them. */
  all(): readonly ProcessIdentity[] {
    return [...this.#seen.values()].flat();
  }

  /** Looks soon, because a program was started. */
  started(): void {
    this.#waitMs = FIRST_LOOK_MS;
    this.#schedule();
  }

  /** Looks now. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  /** Looks no more. */
  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #schedule(): void {
    this.close();
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#waitMs = Math.min(this.#waitMs * 2, LAST_LOOK_MS);
      this.look()
        .then(() => {
          if (this.#timer === null && this.#hasWork()) this.#schedule();
        })
        .catch(this.#options.failed);
    }, this.#waitMs);
    this.#timer.unref();
  }

  #hasWork(): boolean {
    return this.#seen.size > 0 || this.#options.roots().length > 0;
  }

  async #look(): Promise<void> {
    const { hostId, processes, spared, changed } = this.#options;
    const entries = await processes.list();
    const roots = new Map(this.#options.roots().map((root) => [root.terminalId ?? '', root]));
    for (const terminalId of new Set([...roots.keys(), ...this.#seen.keys()])) {
      const root = roots.get(terminalId) ?? { hostId, terminalId };
      const seen = this.seen(terminalId);
      const members = membersOf([{ ...root, seen }], entries, spared);
      if (members.length === 0) this.#seen.delete(terminalId);
      else this.#seen.set(terminalId, members.map(identityOf));
      const untagged = members.filter(({ host }) => host !== hostId).map(identityOf);
      const telling = JSON.stringify(untagged);
      if (telling === (this.#told.get(terminalId) ?? '[]')) continue;
      if (untagged.length === 0) this.#told.delete(terminalId);
      else this.#told.set(terminalId, telling);
      changed(terminalId, untagged);
    }
  }
}

const identityOf = ({ pid, startTime }: ProcessIdentity): ProcessIdentity => ({ pid, startTime });
