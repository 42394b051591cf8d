/** The times between frames of the window, in milliseconds. */
export interface FrameFacts {
  /** Between two frames, of those seen since the page of health was opened: half and nineteen in twenty are shorter. */
  readonly median: number | null;
  readonly p95: number | null;
  /** Frames since the window was loaded that kept it busy for longer than 50 ms, and the longest of them. */
  readonly slow: number;
  readonly slowest: number;
}

/** Frames that are looked at for the two numbers. */
const KEPT = 240;

/** Returns the value below which a share of sorted numbers lies; null without numbers. Pure. */
export function quantile(numbers: readonly number[], share: number): number | null {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;
}

/** Counts slow frames from now on, also those of before as far as the browser kept them, and measures each frame. */
export function watchFrames(): { facts(): FrameFacts; end(): void } {
  const steps: number[] = [];
  let before: number | null = null;
  let slow = 0;
  let slowest = 0;
  const step = (now: number) => {
    if (before !== null) steps.push(now - before);
    if (steps.length > KEPT) steps.shift();
    before = now;
    frame = requestAnimationFrame(step);
  };
  let frame = requestAnimationFrame(step);
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) {
      slow += 1;
      slowest = Math.max(slowest, duration);
    }
  });
  // Those over 50 ms. Where the browser does not know this kind, nothing is observed.
  observer.observe({ type: 'long-animation-frame', buffered: true });
  return {
    facts: () => ({ median: quantile(steps, 0.5), p95: quantile(steps, 0.95), slow, slowest }),
    end: () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
    },
  };
}
