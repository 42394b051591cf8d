import type { Message } from '../../../shared/message';
import type { ApiMessage } from '../model/model-client';
import { toApiMessages } from './api-blocks';
import { countImages, MAX_IMAGES } from './image-cap';
import { type NormalizeOptions, normalizeMessages, sinceBoundary } from './normalize';

/** What {@link normalizeMessages} makes of a history. */
export type Normalizer = (
  history: readonly Message[],
  options: NormalizeOptions,
) => readonly ApiMessage[];

/** The history of a request, and what it became. */
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
 * A `normalizeMessages` for the requests of one session, with the same result. A history that only grew is not gone through
 * again: what was sent stays as it is, message by message the same object, and what is new joins it. One per session.
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

/** Null when what is new touches what was sent: joins its last message, uses one of its ids, or makes its images too many. */
function grown(before: Sent, recent: readonly Message[], options: NormalizeOptions): Sent | null {
  const isLonger = before.recent.every((message, i) => message === recent[i]);
  if (!isLonger || !isSame(before.options, options)) return null;
  const news = recent.slice(before.recent.length);
  if (news.length === 0) return before;
  if (!isClosed(before) || endsOldThinking(news, recent[0], options)) return null;
  const [seam, ...added] = normalizeMessages(news, { ...options, context: SEAM });
  if (seam?.content.length !== 1 || added.length === 0) return null;
  const ids = [...askedIds(news), ...sentIds(added)];
  if (ids.some((id) => before.ids.has(id))) return null;
  const images = before.images + imagesIn(news);
  if (images > (options.maxImages ?? MAX_IMAGES)) return null;
  for (const id of ids) before.ids.add(id);
  return { ...before, recent, images, messages: [...before.messages, ...added] };
}

/** An answer at the end is open: what comes next may join it, or bring the results of its calls. */
function isClosed({ recent, messages, options: { model } }: Sent): boolean {
  const [last] = toApiMessages(recent.slice(-1), { model, freshAt: 0 });
  return last?.role === 'user' && messages.at(-1)?.role === 'user';
}

/** Whether thinking that was sent is, by what is new, bound to another prefix. */
function endsOldThinking(
  news: readonly Message[],
  first: Message | undefined,
  { freshFrom }: NormalizeOptions,
): boolean {
  const keptUntil = first?.role === 'boundary' ? first.keptUntil : undefined;
  return news.some(({ id }) => id === freshFrom || id === keptUntil);
}

/** Stands for what was sent, so that what is new begins behind words of the user there too. */
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
