/** A value or an expected failure. Expected failures are data; only bugs are thrown. */
export type Result<T, E = Fault> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: E };

/**
 * An expected failure, worded for a user.
 * `code` is stable and machine readable; `message` says what happened; `fix` says what to do about it.
 */
export interface Fault {
  readonly code: string;
  readonly message: string;
  readonly fix?: string;
}

/** Wraps a success. */
export const ok = <T>(value: T): { readonly ok: true; readonly value: T } => ({ ok: true, value });

/** Wraps a failure. */
export const err = <E>(error: E): { readonly ok: false; readonly error: E } => ({
  ok: false,
  error,
});

/** Builds a {@link Fault}. */
export const fault = (code: string, message: string, fix?: string): Fault =>
  fix === undefined ? { code, message } : { code, message, fix };
