import type { Clock } from '../ports';

/** Times of one request, and the model that answers it. */
export class RequestTiming {
  readonly #clock: Clock;
  readonly #sentAt: number;
  #firstAt: number | null = null;
  /** The model asked for; once the answer has begun, the one the server names. */
  model: string;

  constructor(clock: Clock, model: string) {
    this.#clock = clock;
    this.#sentAt = clock.now();
    this.model = model;
  }

  /** Content came. */
  content(): void {
    this.#firstAt ??= this.#clock.now();
  }

  /** Time to first content in milliseconds, and tokens a second from then on; only what can be known. */
  report(outputTokens: number): { ttftMs?: number; tokensPerSecond?: number } {
    if (this.#firstAt === null) return {};
    const ttftMs = this.#firstAt - this.#sentAt;
    const seconds = (this.#clock.now() - this.#firstAt) / 1000;
    return seconds > 0 ? { ttftMs, tokensPerSecond: outputTokens / seconds } : { ttftMs };
  }
}
