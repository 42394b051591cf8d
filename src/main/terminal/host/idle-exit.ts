/** A timer that can be called off; tests give their own. */
export type Schedule = (act: () => void, ms: number) => () => void;

/** The real timer. */
export const realSchedule: Schedule = (act, ms) => {
  const timer = setTimeout(act, ms);
  return () => clearTimeout(timer);
};

/** Ends a host that nobody needs: after `delayMs` in which {@link IdleExit.check} never found it in use. */
export class IdleExit {
  readonly #delayMs: number;
  readonly #isIdle: () => boolean;
  readonly #exit: () => void;
  readonly #schedule: Schedule;
  #callOff: (() => void) | null = null;

  constructor(options: {
    readonly delayMs: number;
    readonly isIdle: () => boolean;
    readonly exit: () => void;
    readonly schedule?: Schedule;
  }) {
    this.#delayMs = options.delayMs;
    this.#isIdle = options.isIdle;
    this.#exit = options.exit;
    this.#schedule = options.schedule ?? realSchedule;
  }

  /** To be called whenever something may have changed: connections, terminals. */
  check(): void {
    if (!this.#isIdle()) {
      this.#callOff?.();
      this.#callOff = null;
      return;
    }
    this.#callOff ??= this.#schedule(() => {
      this.#callOff = null;
      if (this.#isIdle()) this.#exit();
    }, this.#delayMs);
  }
}
