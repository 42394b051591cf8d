/** SPEC F5: at most this much of the window is kept free for the answer. Tokens. */
export const MAX_RESERVED_OUTPUT = 20_000;
/** SPEC F5: room between the point of summarising and the end of what may be used. Tokens. */
export const AUTOCOMPACT_MARGIN = 13_000;
/** How long before summarising a person is told that the window fills up. Tokens. */
export const WARNING_MARGIN = 20_000;
/** What a summary request needs at the very least; beyond this nothing is sent any more. Tokens. */
export const BLOCKING_MARGIN = 3_000;

/** From where on the context is tight, in tokens. Each is at least 0, also for tiny windows. */
export interface ContextLimits {
  /** The whole window. */
  readonly window: number;
  /** The person should know. */
  readonly warning: number;
  /** The conversation is summarised by itself. */
  readonly autocompact: number;
  /** Nothing is sent: there is hardly room for an answer. */
  readonly blocking: number;
}

/** The limits for a model's window and the output a request asks for. */
export function contextLimits(windowTokens: number, maxOutputTokens: number): ContextLimits {
  const usable = windowTokens - Math.min(maxOutputTokens, MAX_RESERVED_OUTPUT);
  const autocompact = usable - AUTOCOMPACT_MARGIN;
  return {
    window: windowTokens,
    warning: Math.max(0, autocompact - WARNING_MARGIN),
    autocompact: Math.max(0, autocompact),
    blocking: Math.max(0, usable - BLOCKING_MARGIN),
  };
}

/** How tight the context is: `full` is when it would be summarised, `blocked` when nothing can be sent. */
export type ContextLevel = 'ok' | 'warning' | 'full' | 'blocked';

/** Where a count of tokens stands among the limits. */
export function contextLevel(tokens: number, limits: ContextLimits): ContextLevel {
  if (tokens >= limits.blocking) return 'blocked';
  if (tokens >= limits.autocompact) return 'full';
  return tokens >= limits.warning ? 'warning' : 'ok';
}
