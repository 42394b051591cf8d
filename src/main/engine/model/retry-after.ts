/** Longest wait a server may ask for. A day: past that a person should decide. Milliseconds. */
const MAX_WAIT_MS = 24 * 60 * 60 * 1000;

/**
 * The wait a response asks for, in milliseconds: `retry-after-ms`, else `retry-after` as seconds or as a date.
 * Undefined when it says nothing usable.
 */
export function retryAfterOf(headers: Headers, now: number): number | undefined {
  const precise = Number.parseFloat(headers.get('retry-after-ms') ?? '');
  if (Number.isFinite(precise)) return clamp(precise);
  const value = headers.get('retry-after')?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(value)) return clamp(Number.parseFloat(value) * 1000);
  const date = value === '' ? Number.NaN : Date.parse(value);
  return Number.isNaN(date) ? undefined : clamp(date - now);
}

const clamp = (ms: number): number => Math.min(Math.max(0, ms), MAX_WAIT_MS);
