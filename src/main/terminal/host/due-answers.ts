/** An answer that has not come by then comes no more. Milliseconds. */
const LATE_MS = 5_000;

/** Answers to queries that came one after the other. */
interface Due {
  answers: number;
  /** Nobody waits for them any more. */
  isLate: boolean;
  /** Since when the last of them are due, or late. */
  at: number;
}

/** Counts the answers that are on their way, in the order of their queries. */
export class DueAnswers {
  readonly #now: () => number;
  #due: Due[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Notes a query. `isLate`: nobody waits for its answers. */
  asked(answers: number, isLate: boolean): void {
    this.#forgetOld();
    const last = this.#due.at(-1);
    const at = this.#now();
    if (last?.isLate !== isLate) this.#due.push({ answers, isLate, at });
    else Object.assign(last, { answers: last.answers + answers, at });
  }

  /** Nobody waits for the answers that are due, but for the last ones of `but`. */
  giveUp(but: number): void {
    this.#forgetOld();
    const at = this.#now();
    let left = but;
    for (const due of this.#due.toReversed()) {
      if (due.isLate) continue;
      due.at = at;
      const kept = Math.min(left, due.answers);
      left -= kept;
      due.answers -= kept;
      due.isLate = true;
    }
    if (but > left) this.#due.push({ answers: but - left, isLate: false, at });
  }

  /** Stops counting those that somebody waits for. */
  forgetWanted(): void {
    this.#due = this.#due.filter(({ isLate }) => isLate);
  }

  /** Counts answers that came; returns true when nobody waits for them. */
  came(answers: number): boolean {
    this.#forgetOld();
    const isLate = this.#due[0]?.isLate === true;
    for (let left = answers; left > 0; ) {
      const [first] = this.#due;
      if (first === undefined) break;
      const counted = Math.min(left, first.answers);
      left -= counted;
      first.answers -= counted;
      if (first.answers === 0) this.#due.shift();
    }
    return isLate;
  }

  #forgetOld(): void {
    const oldest = this.#now() - LATE_MS;
    this.#due = this.#due.filter(({ answers, at }) => answers > 0 && at >= oldest);
  }
}
