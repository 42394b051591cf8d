import { NO_USAGE } from '../../../shared/facts';
import type { AssistantBlock, ClearedByApi, Usage } from '../../../shared/message';
import type { Refusal } from '../../../shared/model-name';
import type { StopReason } from '../../../shared/turn';
import { clearedIn } from './api-clearing';
import { TOO_DEEP, TRUNCATED } from './errors';
import type { ModelError, ModelEvent } from './model-client';
import { type Refused, refusedIn } from './refused';
import {
  finishBlock,
  foldDelta,
  hasKind,
  isObject,
  type OpenBlock,
  openBlock,
  startedEvent,
} from './stream-blocks';

/** The phase of a stream. `tool_input`: a tool use is among the open blocks. */
type StreamPhase = 'idle' | 'message_start' | 'content' | 'tool_input' | 'complete';

/** The state of one streamed answer. */
export interface StreamState {
  readonly phase: StreamPhase;
  readonly open: ReadonlyMap<number, OpenBlock>;
  /** Indexes of blocks that began and were not told as finished, in the order in which they began. Without those left out. */
  readonly begun: readonly number[];
  /** Finished blocks that wait for one which began before them, so that an answer keeps its order. */
  readonly held: ReadonlyMap<number, AssistantBlock>;
  /** Indexes of finished blocks. */
  readonly finished: ReadonlySet<number>;
  /** A block without a kind came, and was told. */
  readonly leftOut: boolean;
  readonly usage: Usage;
  readonly stopReason: StopReason | null;
  /** The API's word for why its prompt cache was missed; null when it said nothing. */
  readonly cacheMissReason: string | null;
  /** The parts that the API itself left out of the request; null when it said nothing. */
  readonly cleared: ClearedByApi | null;
  /** The reasons for which the model declined; null when it did not, or the API does not say. */
  readonly refusal: Refusal | null;
}

/** An event of the reducer. `completed` becomes `message_finished`; `stream_error` came from the server. */
export type StreamEvent =
  | Extract<
      ModelEvent,
      {
        type:
          | 'message_started'
          | 'block_started'
          | 'block_delta'
          | 'block_finished'
          | 'thinking_counted'
          | 'notice'
          | 'alive';
      }
    >
  | {
      readonly type: 'completed';
      readonly stopReason: StopReason | null;
      readonly usage: Usage;
      readonly cacheMissReason?: string;
      readonly cleared?: ClearedByApi;
      readonly refusal?: Refusal;
    }
  | ({ readonly type: 'stream_error' } & Refused)
  | { readonly type: 'failed'; readonly error: ModelError };

/** One step: the next state, and its events. */
export interface StreamStep {
  readonly state: StreamState;
  readonly events: readonly StreamEvent[];
}

export const IDLE: StreamState = {
  phase: 'idle',
  open: new Map(),
  begun: [],
  held: new Map(),
  finished: new Set(),
  leftOut: false,
  usage: NO_USAGE,
  stopReason: null,
  cacheMissReason: null,
  cleared: null,
  refusal: null,
};

/**
 * Folds one server-sent event (parsed JSON) into the answer. Pure. Ignores unknown events; fails a stream that breaks the
 * protocol so that its content can no longer be trusted. Nothing comes after `complete`. `names` replaces an id or a
 * model that the server left out.
 */
export function reduceStream(
  state: StreamState,
  event: unknown,
  names: { readonly messageId: string; readonly model: string },
): StreamStep {
  if (state.phase === 'complete') return quiet(state);
  if (!isObject(event)) return alive(state, false);
  // Servers other than the API leave the type out of an event that tells an error.
  const isOfError = event['type'] === 'error' || event['type'] === undefined;
  const refused = isOfError ? refusedIn(event) : null;
  if (refused !== null) return ended(state, { type: 'stream_error', ...refused });
  if (event['type'] === 'message_start') return start(state, event, names);
  if (!KNOWN.has(String(event['type']))) return alive(state, false);
  if (state.phase === 'idle') return violation(state, 'content came before its message');
  switch (event['type']) {
    case 'content_block_start':
      return blockStart(state, event);
    case 'content_block_delta':
      return blockDelta(state, event);
    case 'content_block_stop':
      return blockStop(state, event);
    case 'message_delta':
      return messageDelta(state, event);
    default:
      return messageStop(state);
  }
}

/**
 * Folds the end of a body that ended in order: nothing comes of it behind a complete answer. One that is whole but for its
 * `message_stop` is taken, as asking for it again would pay it twice. Any other failed.
 */
export function endOfStream(state: StreamState): StreamStep {
  if (state.phase === 'complete') return quiet(state);
  const isWhole = state.stopReason !== null && state.open.size === 0;
  return isWhole ? messageStop(state) : { state, events: [{ type: 'failed', error: TRUNCATED }] };
}

const LEFT_OUT: StreamEvent = {
  type: 'notice',
  level: 'warning',
  code: 'block_left_out',
  text: 'A part of the answer is left out: the server does not say what it is.',
};

type Wire = Readonly<Record<string, unknown>>;

const KNOWN = new Set([
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
]);

const quiet = (state: StreamState): StreamStep => ({ state, events: [] });

const alive = (state: StreamState, content: boolean): StreamStep => ({
  state,
  events: [{ type: 'alive', content }],
});

const ended = (state: StreamState, event: StreamEvent): StreamStep => ({
  state: { ...state, phase: 'complete', open: new Map(), begun: [], held: new Map() },
  events: [event],
});

const violation = (state: StreamState, what: string): StreamStep =>
  ended(state, {
    type: 'failed',
    error: {
      kind: 'truncated',
      message: `The answer was garbled on its way: ${what}.`,
      retryable: true,
      garbled: true,
    },
  });

function start(
  state: StreamState,
  event: Wire,
  names: { readonly messageId: string; readonly model: string },
): StreamStep {
  if (state.phase !== 'idle') return violation(state, 'a second message began');
  const message = isObject(event['message']) ? event['message'] : {};
  return {
    state: {
      ...state,
      phase: 'message_start',
      usage: mergeUsage(NO_USAGE, message['usage']),
      cacheMissReason: missReason(message['diagnostics']),
      cleared: clearedIn(message['context_management']),
    },
    events: [
      {
        type: 'message_started',
        messageId: nonEmpty(message['id']) ?? names.messageId,
        model: nonEmpty(message['model']) ?? names.model,
      },
    ],
  };
}

function blockStart(state: StreamState, event: Wire): StreamStep {
  const index = indexOf(event);
  if (index === null || state.open.has(index) || state.finished.has(index))
    return violation(state, 'a block came twice or without a number');
  const block = isObject(event['content_block']) ? openBlock(event['content_block']) : null;
  if (block === null) return violation(state, 'a block has no kind, or a tool use no name');
  if (!hasKind(block.raw)) {
    const next = { ...withOpen(state, index, block), leftOut: true };
    return state.leftOut ? alive(next, false) : { state: next, events: [LEFT_OUT] };
  }
  const events: StreamEvent[] = [startedEvent(index, block) as StreamEvent];
  if (block.text !== '') events.push({ type: 'block_delta', index, text: block.text });
  const begun = [...state.begun, index];
  return { state: { ...withOpen(state, index, block), begun }, events };
}

function blockDelta(state: StreamState, event: Wire): StreamStep {
  const index = indexOf(event);
  const block = index === null ? undefined : state.open.get(index);
  if (index === null || block === undefined || !isObject(event['delta']))
    return violation(state, 'a piece belongs to no open block');
  const folded = foldDelta(block, event['delta']);
  const tokens = block.kind === 'thinking' ? event['delta']['estimated_tokens'] : null;
  const counted: readonly StreamEvent[] =
    typeof tokens === 'number' && tokens > 0 ? [{ type: 'thinking_counted', index, tokens }] : [];
  const shown: readonly StreamEvent[] =
    folded.shown === '' ? [] : [{ type: 'block_delta', index, text: folded.shown }];
  const events = [...shown, ...counted];
  return {
    state: withOpen(state, index, folded.block),
    events: events.length === 0 ? [{ type: 'alive', content: folded.grew }] : events,
  };
}

function blockStop(state: StreamState, event: Wire): StreamStep {
  const index = indexOf(event);
  const block = index === null ? undefined : state.open.get(index);
  if (index === null || block === undefined)
    return violation(state, 'a block ended that was not open');
  const open = new Map(state.open);
  open.delete(index);
  const whole = finishBlock(block);
  if (whole === null) return ended(state, { type: 'failed', error: TOO_DEEP });
  const held = new Map(state.held);
  if (state.begun.includes(index)) held.set(index, whole);
  const begun = [...state.begun];
  const events: StreamEvent[] = [];
  for (let [next] = begun; next !== undefined; [next] = begun) {
    const done = held.get(next);
    if (done === undefined) break;
    events.push({ type: 'block_finished', index: next, block: done });
    held.delete(next);
    begun.shift();
  }
  const finished = new Set(state.finished).add(index);
  const next = { ...state, open, held, begun, finished, phase: phaseOf(open) };
  return events.length === 0 ? alive(next, true) : { state: next, events };
}

function messageDelta(state: StreamState, event: Wire): StreamStep {
  const delta = isObject(event['delta']) ? event['delta'] : {};
  const next = {
    ...state,
    stopReason: nonEmpty(delta['stop_reason']) ?? state.stopReason,
    usage: mergeUsage(state.usage, event['usage']),
    cacheMissReason: missReason(event['diagnostics']) ?? state.cacheMissReason,
    cleared: clearedIn(event['context_management']) ?? state.cleared,
    refusal: refusalIn(delta['stop_details']) ?? state.refusal,
  };
  return alive(next, state.stopReason === null && next.stopReason !== null);
}

/** Ends an answer; one that is whole but for the ends of blocks is taken. Input that was cut shows by itself. */
function messageStop(state: StreamState): StreamStep {
  if (state.open.size > 0 && state.stopReason === null)
    return ended(state, { type: 'failed', error: TRUNCATED });
  const rest: StreamEvent[] = [];
  for (const index of state.begun) {
    const open = state.open.get(index);
    const block = open === undefined ? state.held.get(index) : finishBlock(open);
    if (block === null) return ended(state, { type: 'failed', error: TOO_DEEP });
    if (block !== undefined) rest.push({ type: 'block_finished', index, block });
  }
  const { state: next, events } = ended(state, {
    type: 'completed',
    stopReason: state.stopReason,
    usage: state.usage,
    ...(state.cacheMissReason === null ? {} : { cacheMissReason: state.cacheMissReason }),
    ...(state.cleared === null ? {} : { cleared: state.cleared }),
    ...(state.refusal === null ? {} : { refusal: state.refusal }),
  });
  return { state: next, events: [...rest, ...events] };
}

function withOpen(state: StreamState, index: number, block: OpenBlock): StreamState {
  const open = new Map(state.open).set(index, block);
  return { ...state, open, phase: phaseOf(open) };
}

const phaseOf = (open: ReadonlyMap<number, OpenBlock>): StreamPhase =>
  [...open.values()].some((b) => b.kind === 'tool_use') ? 'tool_input' : 'content';

/**
 * Merges the counters of two events; both are running totals, so the larger one counts, never the sum. What the API spent on
 * summaries of its own stands beside its totals.
 */
function mergeUsage(before: Usage, wire: unknown): Usage {
  if (!isObject(wire)) return before;
  const max = (value: number, key: string): number =>
    Math.max(value, counterOf(wire[key]) + summariesIn(wire, key));
  return {
    inputTokens: max(before.inputTokens, 'input_tokens'),
    outputTokens: max(before.outputTokens, 'output_tokens'),
    cacheReadTokens: max(before.cacheReadTokens, 'cache_read_input_tokens'),
    cacheWriteTokens: Math.max(
      max(before.cacheWriteTokens, 'cache_creation_input_tokens'),
      writtenIn(wire['cache_creation']),
    ),
  };
}

/** Adds up what was written to the cache for so long each: some servers leave out the total. */
const writtenIn = (parts: unknown): number =>
  isObject(parts) ? Object.values(parts).reduce<number>((sum, n) => sum + counterOf(n), 0) : 0;

/** Adds up a counter of the summaries that the API made while it answered. */
function summariesIn(wire: Wire, key: string): number {
  const parts: unknown = wire['iterations'];
  if (!Array.isArray(parts)) return 0;
  return parts.reduce<number>((sum, part: unknown) => {
    const counted = isObject(part) && part['type'] === 'compaction' ? part[key] : 0;
    return sum + counterOf(counted);
  }, 0);
}

/** More tokens than this in one answer are no count. */
const MAX_COUNT = 1e9;

/** Reads a counter of tokens, a part of one as a whole; 0 for what is none. */
const counterOf = (value: unknown): number =>
  typeof value === 'number' && value >= 0 && value <= MAX_COUNT ? Math.ceil(value) : 0;

/** Reads `diagnostics.cache_miss_reason.type`; null when there was no miss or the API does not say. */
function missReason(diagnostics: unknown): string | null {
  const reason = isObject(diagnostics) ? diagnostics['cache_miss_reason'] : null;
  return isObject(reason) ? nonEmpty(reason['type']) : null;
}

/** Reads `stop_details` of a refusal; null when there are none. */
const refusalIn = (details: unknown): Refusal | null =>
  isObject(details) && details['type'] === 'refusal'
    ? { category: nonEmpty(details['category']), explanation: nonEmpty(details['explanation']) }
    : null;

const nonEmpty = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null;

const indexOf = (event: Wire): number | null => {
  const index = event['index'];
  return typeof index === 'number' && Number.isInteger(index) && index >= 0 ? index : null;
};
