import type { ModelClient, ModelEvent, ModelRequest } from '../model/model-client';
import { through } from '../model/through';

/** The least output that is asked for: an answer needs room to be one. Tokens. docs/spec.md A5. */
const MIN_OUTPUT_TOKENS = 3_000;
/** Left free between input and output: the server counts a little differently each time. Tokens. */
const SAFETY_TOKENS = 1_000;
/** The number of times that one request is made smaller before it is given up. */
const MAX_FITS = 3;

/**
 * Reads the output that still fits from the words of a "input and max_tokens exceed the context limit" refusal:
 * `input length and max_tokens exceed context limit: 190000 + 20000 > 200000`. Null when the words are not of
 * this kind or when too little is left. Tokens.
 */
export function fittingOutput(message: string): number | null {
  const numbers = /(\d[\d,_]*)\s*\+\s*(\d[\d,_]*)\s*>\s*(\d[\d,_]*)/.exec(message);
  if (numbers === null || !/context/i.test(message)) return null;
  const [input, , limit] = numbers.slice(1).map((digits) => Number(digits.replace(/[,_]/g, '')));
  if (input === undefined || limit === undefined) return null;
  const left = limit - input - SAFETY_TOKENS;
  return left >= MIN_OUTPUT_TOKENS ? left : null;
}

/**
 * Asks for less output when input and output together do not fit the window (docs/spec.md A5). Refusals it can cure
 * never reach the caller; others pass unchanged, so that the caller can compact.
 */
export function withOutputFit(inner: ModelClient): ModelClient {
  return { stream: (request, signal) => fitting(inner, request, signal) };
}

function fitting(
  inner: ModelClient,
  request: ModelRequest,
  signal: AbortSignal,
  fits = 0,
): AsyncIterable<ModelEvent> {
  return through(inner.stream(request, signal), (event) => {
    if (event.type !== 'failed' || fits === MAX_FITS) return event;
    const smaller = smallerOutput(event.error.message, request);
    return smaller === null
      ? event
      : fitting(inner, { ...request, maxTokens: smaller }, signal, fits + 1);
  });
}

function smallerOutput(message: string, request: ModelRequest): number | null {
  const fit = fittingOutput(message);
  return fit !== null && fit < request.maxTokens ? fit : null;
}
