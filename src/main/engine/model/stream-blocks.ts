import type { AssistantBlock, ToolUseBlock } from '../../../shared/message';
import type { ModelEvent } from './model-client';

type Raw = Readonly<Record<string, unknown>>;

/** One content block while it streams. */
export interface OpenBlock {
  readonly kind: 'text' | 'thinking' | 'tool_use' | 'other';
  /** The content of `content_block_start`. */
  readonly raw: Raw;
  /** Text, thinking, or the JSON of an input, as received so far. */
  readonly text: string;
  readonly signature: string;
  /** The deltas that only its end folds in, since a copy for each of very many would take minutes; the newest first. */
  readonly later: Later | null;
}

interface Later {
  readonly delta: Raw;
  readonly before: Later | null;
}

/** Tells whether a block has a kind: the API refuses requests with one that has none. */
export const hasKind = (raw: Raw): boolean => str(raw['type']) !== '';

/** Opens a block from the `content_block` of its start event. Returns null when a tool use has no name. */
export function openBlock(raw: Raw): OpenBlock | null {
  const empty = { raw, text: '', signature: '', later: null };
  switch (raw['type']) {
    case 'text':
      return { ...empty, kind: 'text', text: str(raw['text']) };
    case 'thinking':
      return {
        ...empty,
        kind: 'thinking',
        text: str(raw['thinking']),
        signature: str(raw['signature']),
      };
    case 'tool_use':
      return str(raw['name']) === '' ? null : { ...empty, kind: 'tool_use' };
    default:
      return { ...empty, kind: 'other' };
  }
}

/** Returns the event for a new block. */
export const startedEvent = (index: number, block: OpenBlock): ModelEvent =>
  block.kind === 'tool_use'
    ? {
        type: 'block_started',
        index,
        kind: block.kind,
        callId: str(block.raw['id']),
        tool: str(block.raw['name']),
      }
    : { type: 'block_started', index, kind: block.kind };

/** A block after a delta. */
interface Folded {
  readonly block: OpenBlock;
  /** The part of the delta for the screen. */
  readonly shown: string;
  /** The block has more in it than before. */
  readonly grew: boolean;
}

/** The types of deltas, by the field that each fills. */
const TYPE_OF_FIELD = {
  text: 'text_delta',
  thinking: 'thinking_delta',
  signature: 'signature_delta',
  partial_json: 'input_json_delta',
  citation: 'citations_delta',
};

/** Returns the type of a delta; some servers leave it out, and its field tells it. */
const typeOf = (delta: Raw): unknown =>
  delta['type'] || Object.entries(TYPE_OF_FIELD).find(([field]) => delta[field] !== undefined)?.[1];

/** Folds a delta in. Ignores a delta of another kind than the block's. */
export function foldDelta(block: OpenBlock, delta: Raw): Folded {
  const type = typeOf(delta);
  const grow = (field: string, to: 'text' | 'signature' = 'text'): Folded => {
    const sent = delta[field];
    const piece =
      field === 'partial_json' && isObject(sent) ? inputText(sent, block.text) : str(sent);
    const shown = to === 'text' && block.kind !== 'other' ? piece : '';
    return { block: { ...block, [to]: block[to] + piece }, shown, grew: piece !== '' };
  };
  const keep = (grew: boolean): Folded => ({
    block: { ...block, later: { delta, before: block.later } },
    shown: '',
    grew,
  });
  switch (block.kind) {
    case 'text':
      if (type === 'text_delta') return grow('text');
      if (type === 'citations_delta') return keep(isObject(delta['citation']));
      break;
    case 'thinking':
      if (type === 'thinking_delta') return grow('thinking');
      if (type === 'signature_delta') return grow('signature', 'signature');
      break;
    case 'tool_use':
      if (type === 'input_json_delta') return grow('partial_json');
      break;
    case 'other':
      return type === 'input_json_delta' ? grow('partial_json') : keep(holdsMore(delta));
  }
  return { block, shown: '', grew: false };
}

/**
 * Returns the text of an input that comes as an object, as some servers send it, behind what came before: nothing for an
 * empty one at the beginning, which the API's own start has too, nor for the same again. What is too deep to be written is no JSON.
 */
function inputText(sent: Raw, before: string): string {
  if (isDeeper(sent, MAX_DEPTH)) return '…';
  const text = JSON.stringify(sent);
  return text === before || (before === '' && text === '{}') ? '' : text;
}

/** Tells whether a delta of an unknown kind holds a text or a structure; a number or nothing only replaces another. */
function holdsMore({ type: _, ...fields }: Raw): boolean {
  for (const value of Object.values(fields))
    if (typeof value === 'string' ? value !== '' : typeof value === 'object' && value !== null)
      return true;
  return false;
}

/** Returns the finished block; null when a part of it is nested too deep to be written down. */
export function finishBlock(block: OpenBlock): AssistantBlock | null {
  const finished = finishedOf(block);
  return block.kind !== 'tool_use' && isDeeper(finished, MAX_DEPTH) ? null : finished;
}

function finishedOf(block: OpenBlock): AssistantBlock {
  switch (block.kind) {
    case 'text':
      return withCitations(block);
    case 'thinking':
      return { type: 'thinking', thinking: block.text, signature: block.signature };
    case 'tool_use':
      return toolUse(block);
    case 'other':
      return other(block);
  }
}

/** Adds the citations of a text; the API wants them back unchanged. */
function withCitations(block: OpenBlock): AssistantBlock {
  const before = block.raw['citations'];
  const citations = [
    ...(Array.isArray(before) ? before : []),
    ...deltasOf(block).map((delta) => delta['citation']),
  ].filter(isObject);
  const text = { type: 'text' as const, text: block.text };
  return citations.length === 0 ? text : { ...text, citations };
}

/** Returns the deltas that wait for the end, the oldest first. */
function deltasOf(block: OpenBlock): readonly Raw[] {
  const deltas: Raw[] = [];
  for (let { later } = block; later !== null; later = later.before) deltas.push(later.delta);
  return deltas.reverse();
}

function toolUse(block: OpenBlock): ToolUseBlock {
  const base = {
    type: 'tool_use' as const,
    id: str(block.raw['id']),
    name: str(block.raw['name']),
  };
  const input = block.text.trim() === '' ? wholeInput(block.raw) : parseInput(block.text);
  return typeof input === 'string' ? { ...base, input: {}, invalid: input } : { ...base, input };
}

/** Returns the input of the start event: some servers send it whole there, and no deltas; the API sends `{}`. */
const wholeInput = (raw: Raw): Record<string, unknown> | string =>
  isObject(raw['input']) ? shallowInput(raw['input']) : {};

/** Parses a text that must be exactly one JSON object; returns the reason when it is not. */
function parseInput(json: string): Record<string, unknown> | string {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? shallowInput(value) : 'The input is not a JSON object.';
  } catch {
    return `The input was cut short or is not valid JSON (${json.length} characters received).`;
  }
}

/** Objects and lists inside each other. More than any tool takes, or any model writes; a few thousand are too many for `JSON.stringify`. */
const MAX_DEPTH = 500;

/** Returns an input that can be written and checked, or why it cannot. */
const shallowInput = (input: Record<string, unknown>): Record<string, unknown> | string =>
  isDeeper(input, MAX_DEPTH) ? `The input is nested more than ${MAX_DEPTH} levels deep.` : input;

/** Tells whether a JSON value has more than `most` levels. Goes level by level: a recursion would be as deep. */
function isDeeper(value: object, most: number): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; depth <= most && level.length > 0; depth += 1)
    level = level.flatMap((one) =>
      typeof one === 'object' && one !== null ? Object.values(one) : [],
    );
  return level.length > 0;
}

function other(block: OpenBlock): AssistantBlock {
  if (block.raw['type'] === 'redacted_thinking')
    return { type: 'redacted_thinking', data: str(block.raw['data']) };
  const input = block.text === '' ? null : parseInput(block.text);
  const raw = foldUnknown(block);
  return {
    type: 'other',
    raw: input === null || typeof input === 'string' ? raw : { ...raw, input },
  };
}

/** Folds deltas of unknown kinds in: strings grow, anything else replaces. `__proto__` is only a name here. */
function foldUnknown(block: OpenBlock): Raw {
  const fields = new Map(Object.entries(block.raw));
  for (const delta of deltasOf(block))
    for (const [key, value] of Object.entries(delta)) {
      const before = fields.get(key);
      const grows = typeof value === 'string' && typeof before === 'string';
      if (key !== 'type') fields.set(key, grows ? before + value : value);
    }
  return Object.fromEntries(fields);
}

const str = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Tells whether a JSON value is an object (no array, no null). */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
