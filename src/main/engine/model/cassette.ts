import { join } from 'node:path';
import type { Clock, Files } from '../ports';
import { cassetteKey, describeMiss, idsOf, normalRequest, type Recorded } from './cassette-request';
import { ABORTED } from './errors';
import type { ModelClient, ModelEvent, ModelRequest } from './model-client';
import { mapTexts, type Placeholder, scrub, unscrub } from './scrub';
import { isObject } from './stream-blocks';

/** The mode of the recorder (`LATHE_VCR`). */
export type TapeMode = 'record' | 'playback' | 'off';

export const tapeMode = (value: string | undefined): TapeMode =>
  value === 'record' || value === 'playback' ? value : 'off';

export interface CassetteOptions {
  readonly mode: TapeMode;
  readonly files: Files;
  readonly clock: Clock;
  /** The folder of the cassettes: one file per request and time it was sent. */
  readonly folder: string;
  /** Keys that must never be written. */
  readonly secrets: readonly string[];
  /** Folders of this machine, so that a cassette plays on another. */
  readonly places: readonly Placeholder[];
  /** Plays at the recorded pace. Default: as fast as it is read. */
  readonly inTime?: boolean;
}

const VERSION = 2;
/** The most cassettes that are compared to find the nearest after a miss. */
const MAX_COMPARED = 200;
/** The largest cassette that is read. Bytes. */
const MAX_BYTES = 32 * 1024 * 1024;

/**
 * Records what an endpoint answers, or plays it back without the endpoint (docs/spec.md C9). The same request sent again is
 * a recording of its own: retries play back in their order. Either way it gives the first whole call only when its answer
 * has ended, and the rest with it: how far a call came between two pieces of an answer would differ each time.
 */
export function withCassette(inner: ModelClient, options: CassetteOptions): ModelClient {
  if (options.mode === 'off') return inner;
  const asked = new Map<string, number>();
  return {
    stream: (request, signal) => {
      const places = [...options.places, ...idsOf(request)];
      const normal = normalRequest(request, options.secrets, places);
      const key = cassetteKey(normal);
      const time = (asked.get(key) ?? 0) + 1;
      asked.set(key, time);
      const take = { normal, key, places, file: join(options.folder, `${key}-${time}.json`) };
      return options.mode === 'record'
        ? record(inner, options, take, request, signal)
        : playback(options, take, signal);
    },
  };
}

interface Take {
  readonly normal: unknown;
  readonly key: string;
  readonly file: string;
  /** Folders of this machine, and ids that this request names. */
  readonly places: readonly Placeholder[];
}

async function* record(
  inner: ModelClient,
  options: CassetteOptions,
  take: Take,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const startedAt = options.clock.now();
  const events: { at: number; event: ModelEvent }[] = [];
  const held: ModelEvent[] = [];
  try {
    for await (const event of inner.stream(request, signal)) {
      if (event.type !== 'alive') events.push({ at: options.clock.now() - startedAt, event });
      if (held.length > 0 || isWholeCall(event)) held.push(event);
      // The line is alive, whatever is held back.
      yield held.length === 0 ? event : { type: 'alive', content: true };
    }
    for (const event of held) yield event;
  } finally {
    const last = events.at(-1)?.event;
    const aborted = last?.type === 'failed' && last.error.kind === 'aborted';
    if (last !== undefined && !aborted) {
      const clean = (text: string) => scrub(text, options.secrets, take.places);
      const cassette = { version: VERSION, request: take.normal, events: toTape(events, clean) };
      await options.files.write(take.file, `${JSON.stringify(cassette, null, 1)}\n`);
    }
  }
}

async function* playback(
  options: CassetteOptions,
  take: Take,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const cassette = await read(options.files, take.file);
  if (cassette === null) return yield await miss(options, take);
  const full = (text: string) => unscrub(text, take.places);
  const end = cassette.events.at(-1)?.at ?? 0;
  let at = 0;
  for (const taped of fromTape(cassette.events, full)) {
    const due = isWholeCall(taped.event) ? end : taped.at;
    if (options.inTime === true && due > at) await options.clock.sleep(due - at, signal);
    at = Math.max(at, due);
    if (signal.aborted) return yield { type: 'failed', error: ABORTED };
    yield taped.event;
  }
}

const isWholeCall = (event: ModelEvent): boolean =>
  event.type === 'block_finished' && event.block.type === 'tool_use';

async function miss(options: CassetteOptions, { normal, key }: Take): Promise<ModelEvent> {
  const listed = await options.files.list(options.folder);
  const names = listed.ok ? listed.value.map((entry) => entry.name) : [];
  const recorded: Recorded[] = [];
  for (const name of names.filter((n) => n.endsWith('.json')).slice(0, MAX_COMPARED)) {
    const cassette = await read(options.files, join(options.folder, name));
    if (cassette !== null) recorded.push({ file: name, request: cassette.request });
  }
  return {
    type: 'failed',
    error: {
      kind: 'invalid_request',
      message: `No recording answers this request (${key}). ${describeMiss(normal, recorded)}\n`,
      fix: 'Record it with LATHE_VCR=record.',
      retryable: false,
    },
  };
}

interface Cassette {
  readonly request: unknown;
  readonly events: readonly TapedEvent[];
}

/** Reads a cassette; null when it is missing or not one of ours. */
async function read(files: Files, file: string): Promise<Cassette | null> {
  const bytes = await files.read(file, MAX_BYTES);
  if (!bytes.ok) return null;
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes.value));
    if (!isObject(value) || value['version'] !== VERSION) return null;
    const events = Array.isArray(value['events']) ? value['events'].filter(isTaped) : [];
    return { request: value['request'], events };
  } catch {
    return null;
  }
}

const isTaped = (value: unknown): value is TapedEvent =>
  isObject(value) && typeof value['at'] === 'number' && isObject(value['event']);

/** One event of a recording, `at` milliseconds after the request was sent. */
export interface TapedEvent {
  readonly at: number;
  readonly event: Readonly<Record<string, unknown>>;
}

/**
 * Turns events into a tape. Keeps the pieces of a block as one text and their lengths: scrubbing would miss a path or a
 * key that came in two pieces.
 */
export function toTape(
  events: readonly { readonly at: number; readonly event: ModelEvent }[],
  scrubText: (text: string) => string,
): readonly TapedEvent[] {
  const whole = wholeTexts(events.map(({ event }) => event));
  let message = 0;
  const told = new Set<string>();
  return events.map(({ at, event }) => {
    if (event.type === 'message_started') message += 1;
    if (event.type !== 'block_delta') {
      return { at, event: mapTexts(event, scrubText) as TapedEvent['event'] };
    }
    const place = `${message}.${event.index}`;
    const first = !told.has(place);
    told.add(place);
    const piece = { type: event.type, index: event.index, length: event.text.length };
    return { at, event: first ? { ...piece, of: scrubText(whole.get(place) ?? '') } : piece };
  });
}

function wholeTexts(events: readonly ModelEvent[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  let message = 0;
  for (const event of events) {
    if (event.type === 'message_started') message += 1;
    if (event.type !== 'block_delta') continue;
    const place = `${message}.${event.index}`;
    texts.set(place, (texts.get(place) ?? '') + event.text);
  }
  return texts;
}

/** Turns a tape back into events, with the places of this machine, and texts cut where they were cut. */
export function fromTape(
  tape: readonly TapedEvent[],
  unscrubText: (text: string) => string,
): readonly { readonly at: number; readonly event: ModelEvent }[] {
  const texts = new Map<number, string>();
  const left = new Map<number, number>();
  for (const { event } of tape) {
    if (event['type'] !== 'block_delta') continue;
    const index = Number(event['index']);
    left.set(index, (left.get(index) ?? 0) + 1);
  }
  return tape.map(({ at, event }) => {
    if (event['type'] !== 'block_delta')
      return { at, event: mapTexts(event, unscrubText) as ModelEvent };
    const index = Number(event['index']);
    if (typeof event['of'] === 'string') texts.set(index, unscrubText(event['of']));
    const rest = texts.get(index) ?? '';
    const pieces = left.get(index) ?? 1;
    left.set(index, pieces - 1);
    const text = pieces <= 1 ? rest : rest.slice(0, Number(event['length']));
    texts.set(index, rest.slice(text.length));
    return { at, event: { type: 'block_delta' as const, index, text } };
  });
}
