/** Between two progress reports of one terminal: ten a second (`Terminals.onProgress`). Milliseconds. */
export const PROGRESS_MS = 100;

/** Thins progress out: the first report at once, then at most one per {@link PROGRESS_MS}, the last one never lost. */
export class ProgressReporter {
  readonly #report: (terminalId: string) => void;
  /** Terminals somebody watches, each with its next report. */
  readonly #watched = new Map<string, { timer: NodeJS.Timeout | null; due: boolean }>();

  constructor(report: (terminalId: string) => void) {
    this.#report = report;
  }

  watch(terminalId: string): void {
    if (this.#watched.has(terminalId)) return;
    this.#watched.set(terminalId, { timer: null, due: false });
    this.progressed(terminalId);
  }

  unwatch(terminalId: string): void {
    const timer = this.#watched.get(terminalId)?.timer;
    if (timer) clearTimeout(timer);
    this.#watched.delete(terminalId);
  }

  /** There is something new to report. */
  progressed(terminalId: string): void {
    const watched = this.#watched.get(terminalId);
    if (watched === undefined) return;
    if (watched.timer !== null) {
      watched.due = true;
      return;
    }
    this.#report(terminalId);
    watched.due = false;
    watched.timer = setTimeout(() => {
      watched.timer = null;
      if (watched.due) this.progressed(terminalId);
    }, PROGRESS_MS);
  }

  /** Reports what is still due, now, and stops: the terminal has ended. */
  finish(terminalId: string): void {
    if (this.#watched.get(terminalId)?.due) this.#report(terminalId);
    this.unwatch(terminalId);
  }

  close(): void {
    for (const terminalId of [...this.#watched.keys()]) this.unwatch(terminalId);
  }
}
