import type { AgentEvent } from '../../../shared/agent-event';
import type { ContextParts } from '../../../shared/live-event';
import type { ModelClient, ModelEvent, ModelRequest } from '../model/model-client';
import { through } from '../model/through';
import type { CacheFacts } from './policy';
import { type CountedTools, textTokens, toolsTokens } from './tokens';

/** The most of the window that is kept free for the answer. Tokens. docs/spec.md F5. */
const MAX_RESERVED_OUTPUT = 20_000;
/** The room between the point of summarising and the end of what may be used. Tokens. docs/spec.md F5. */
const AUTOCOMPACT_MARGIN = 13_000;
/** The room between telling a user that the window fills up and summarising. Tokens. */
const WARNING_MARGIN = 20_000;
/** The least that a summary request needs; beyond it nothing is sent any more. Tokens. */
const BLOCKING_MARGIN = 3_000;

/** The sizes from which on the context is tight, in tokens. Each is at least 0, also for tiny windows. */
export interface ContextLimits {
  /** The whole window. */
  readonly window: number;
  /** The user should know. */
  readonly warning: number;
  /** The conversation is summarised by itself. */
  readonly autocompact: number;
  /** Nothing is sent: there is hardly room for an answer. */
  readonly blocking: number;
}

/** Returns the limits for a model's window and the output that a request asks for. Tokens. */
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

/** The tightness of the context: `full` is when it would be summarised, `blocked` when nothing can be sent. */
export type ContextLevel = 'ok' | 'warning' | 'full' | 'blocked';

/** Compares a count of tokens with the limits. */
export function contextLevel(tokens: number, limits: ContextLimits): ContextLevel {
  if (tokens >= limits.blocking) return 'blocked';
  if (tokens >= limits.autocompact) return 'full';
  return tokens >= limits.warning ? 'warning' : 'ok';
}

/** The size of the next request, and what it is measured by. */
export interface ContextBudget {
  /** An estimate of what the next request puts into the window. */
  readonly tokens: number;
  readonly limits: ContextLimits;
  readonly level: ContextLevel;
  /** The facts by which a layer tells whether an edit is worth the cache it breaks. */
  readonly cache: CacheFacts;
}

/** Measures `tokens` by `limits`. */
export const budgetOf = (
  tokens: number,
  limits: ContextLimits,
  cache: CacheFacts,
): ContextBudget => ({ tokens, limits, level: contextLevel(tokens, limits), cache });

/** The sizes that limits follow from. */
interface WindowSizes {
  /** Returns the window of a model. Tokens. */
  readonly contextWindow: (model: string) => number;
  /** Returns a smaller window that a user wants summaries to be made for; undefined: the model's own. Tokens. */
  readonly autocompactWindow: () => number | undefined;
}

/** Returns the limits that hold for a request: a user may want summaries earlier than the model needs them. */
export function limitsFor(
  { model, maxTokens }: Pick<ModelRequest, 'model' | 'maxTokens'>,
  { contextWindow, autocompactWindow }: WindowSizes,
): ContextLimits {
  const real = contextLimits(contextWindow(model), maxTokens);
  const early = contextLimits(Math.min(real.window, autocompactWindow() ?? real.window), maxTokens);
  return { ...early, window: real.window, blocking: real.blocking };
}

/** The sizes and functions that telling about the context takes. */
export interface ContextFacts extends WindowSizes {
  /** Returns the size from which on the conversation is summarised by itself; null: never. Tokens. */
  readonly summarisesAt: (limits: ContextLimits) => number | null;
  readonly counted?: CountedTools;
}

/** Tells a user of the context that a request and its answer fill (docs/spec.md F8). Tokens. */
export function contextChanged(
  usedTokens: number,
  request: ModelRequest,
  facts: ContextFacts,
): AgentEvent {
  const limits = limitsFor(request, facts);
  return {
    type: 'context_changed',
    usedTokens,
    windowTokens: limits.window,
    parts: contextParts(usedTokens, request, facts.counted),
    compactAt: facts.summarisesAt(limits),
  };
}

/**
 * Splits the used tokens by where they are. What stands in front is estimated; the conversation has the rest of what was
 * counted.
 */
export function contextParts(
  usedTokens: number,
  request: ModelRequest,
  counted?: CountedTools,
): ContextParts {
  const system = request.system.reduce((sum, part) => sum + textTokens(part.text), 0);
  const tools = toolsTokens(request.tools, counted);
  const opening = request.messages[0]?.content[0]?.['text'];
  const isOpening = typeof opening === 'string' && opening.startsWith('<system-reminder>');
  const memory = isOpening ? textTokens(opening) : 0;
  const before = system + tools + memory;
  // An estimate that is too high must not make the parts more than the whole.
  const scale = before > usedTokens ? usedTokens / before : 1;
  const [s, t, m] = [system, tools, memory].map((part) => Math.floor(part * scale));
  const parts = { system: s ?? 0, tools: t ?? 0, memory: m ?? 0 };
  return { ...parts, messages: usedTokens - parts.system - parts.tools - parts.memory };
}

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
