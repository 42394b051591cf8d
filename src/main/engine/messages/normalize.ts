import type { BoundaryMessage, Message } from '../../../shared/message';
import type { ApiMessage } from '../model/model-client';
import { capImages, countImages, MAX_IMAGES, toApiMessages, wrapReminder } from './api-blocks';
import { repairHistory, repairServerTools } from './repair';

export interface NormalizeOptions {
  /** The model that will read it; thinking of any other model is left out. */
  readonly model: string;
  /** The user context (docs/spec.md B4): goes first, inside a reminder. Must not change within a session. */
  readonly context?: string;
  /**
   * Id of the first message made behind today's system prompt, tools and context, e.g. the first one after a
   * resume. Thinking before it is bound to another prefix and is left out; null: all of it.
   */
  readonly freshFrom?: string | null;
  readonly maxImages?: number;
}

/**
 * Makes of a history what the API takes (docs/spec.md B5, B7): only what follows the last boundary, whose summary opens
 * it; attachments as reminders; strict alternation; every tool use with exactly one result. Pure.
 */
export function normalizeMessages(
  history: readonly Message[],
  options: NormalizeOptions,
): readonly ApiMessage[] {
  const recent = sinceBoundary(history);
  const { model, context = '' } = options;
  const rule = { model, freshAt: freshAt(recent, options.freshFrom) };
  const opening: readonly ApiMessage[] =
    context.trim() === ''
      ? []
      : [{ role: 'user', content: [{ type: 'text', text: wrapReminder(context) }] }];
  const repaired = repairHistory([...opening, ...toApiMessages(recent, rule)]);
  return capImages(repairServerTools(repaired), options.maxImages ?? MAX_IMAGES);
}

/** Returns what is sent: the last boundary and all after it; without a boundary everything. */
export function sinceBoundary(history: readonly Message[]): readonly Message[] {
  // A turn asks for it a dozen times: a loop looks through a long history without a call for each message.
  let at = history.length - 1;
  while (at > 0 && history[at]?.role !== 'boundary') at -= 1;
  return at <= 0 ? history : history.slice(at);
}

/** Returns the newest boundary; null when nothing was summarised. */
export function newestBoundary(history: readonly Message[]): BoundaryMessage | null {
  const [first] = sinceBoundary(history);
  return first?.role === 'boundary' ? first : null;
}

/**
 * Returns the place of the first message whose thinking still fits: after a resume, and after the tail that a
 * compaction kept behind its summary.
 */
function freshAt(recent: readonly Message[], freshFrom: string | null | undefined): number {
  if (freshFrom === null) return recent.length;
  const [first] = recent;
  const kept = first?.role === 'boundary' ? first.keptUntil : undefined;
  const keptAt = recent.findIndex((m) => m.id === kept);
  // A part that is to be summarised may end within the tail.
  if (kept !== undefined && keptAt < 0) return recent.length;
  const afterTail = keptAt + 1;
  const afterResume = recent.findIndex((m) => m.id === freshFrom);
  return Math.max(afterTail, afterResume);
}

/** Does what {@link normalizeMessages} does. */
export type Normalizer = (
  history: readonly Message[],
  options: NormalizeOptions,
) => readonly ApiMessage[];

/** The history of a request, and the messages it became. */
interface Sent {
  readonly recent: readonly Message[];
  readonly options: NormalizeOptions;
  readonly messages: readonly ApiMessage[];
  /** Ids of calls that what comes later must not meet. */
  readonly ids: Set<string>;
  /** At most so many images are in it. */
  readonly images: number;
}

/**
 * Creates a {@link normalizeMessages} for the requests of one agent, with the same result. A history that only grew is not
 * gone through again: what was sent stays as it is, message by message the same object, and what is new joins it.
 */
export function createNormalizer(): Normalizer {
  let sent: Sent | null = null;
  return (history, options) => {
    const recent = sinceBoundary(history);
    sent = (sent && grown(sent, recent, options)) ?? whole(recent, options);
    return sent.messages;
  };
}

function whole(recent: readonly Message[], options: NormalizeOptions): Sent {
  const messages = normalizeMessages(recent, options);
  const ids = new Set([...askedIds(recent), ...sentIds(messages)]);
  return { recent, options, messages, ids, images: imagesIn(recent) };
}

/** Adds what is new. Null when it touches what was sent: joins its last message, uses one of its ids, adds too many images. */
function grown(before: Sent, recent: readonly Message[], options: NormalizeOptions): Sent | null {
  const isLonger = before.recent.every((message, i) => message === recent[i]);
  if (!isLonger || !isSame(before.options, options)) return null;
  const news = recent.slice(before.recent.length);
  if (news.length === 0) return before;
  if (!isClosed(before) || endsOldThinking(news, before.recent, options)) return null;
  const [seam, ...added] = normalizeMessages(news, { ...options, context: SEAM });
  if (seam?.content.length !== 1 || added.length === 0) return null;
  const ids = [...askedIds(news), ...sentIds(added)];
  if (ids.some((id) => before.ids.has(id))) return null;
  const images = before.images + imagesIn(news);
  if (images > (options.maxImages ?? MAX_IMAGES)) return null;
  for (const id of ids) before.ids.add(id);
  return { ...before, recent, images, messages: [...before.messages, ...added] };
}

/** Tells whether what comes next stands alone: it may join an answer at the end, or bring the results of its calls. */
function isClosed({ recent, messages, options: { model } }: Sent): boolean {
  const [last] = toApiMessages(recent.slice(-1), { model, freshAt: 0 });
  const end = messages.at(-1);
  if (last?.role !== 'user' || end?.role !== 'user') return false;
  // Results without a call are not sent: what comes next may join the answer before them.
  const results = new Set(end.content.map((block) => block['tool_use_id']));
  return last.content.some((b) => b['type'] !== 'tool_result' || results.has(b['tool_use_id']));
}

/** Tells whether thinking that was sent is, by what is new, bound to another prefix. */
function endsOldThinking(
  news: readonly Message[],
  sent: readonly Message[],
  { freshFrom }: NormalizeOptions,
): boolean {
  const [first] = sent;
  const keptUntil = first?.role === 'boundary' ? first.keptUntil : undefined;
  // A tail without its end goes on in what is new.
  if (keptUntil !== undefined && !sent.some(({ id }) => id === keptUntil)) return true;
  return news.some(({ id }) => id === freshFrom);
}

/** Text in the place of what was sent, so that what is new begins behind words of the user there too. */
const SEAM = 'sent before';

const isSame = (a: NormalizeOptions, b: NormalizeOptions): boolean =>
  a.model === b.model &&
  a.context === b.context &&
  a.freshFrom === b.freshFrom &&
  a.maxImages === b.maxImages;

const imagesIn = (messages: readonly Message[]): number =>
  messages.reduce((n, message) => {
    if (message.role === 'boundary') return n;
    return (
      n +
      (message.role === 'attachment' ? (message.images?.length ?? 0) : countImages(message.content))
    );
  }, 0);

const askedIds = (messages: readonly Message[]): readonly string[] =>
  messages.flatMap((message) =>
    message.role === 'user' || message.role === 'assistant'
      ? message.content.flatMap((block) => {
          if (block.type === 'tool_use') return [block.id];
          return block.type === 'tool_result' ? [block.tool_use_id] : [];
        })
      : [],
  );

const sentIds = (messages: readonly ApiMessage[]): readonly string[] =>
  messages.flatMap(({ content }) =>
    content.flatMap((block) => (block['type'] === 'tool_use' ? [String(block['id'])] : [])),
  );
