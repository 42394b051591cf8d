import type { ApiMessage, ModelClient, ModelRequest } from '../model/model-client';
import { through } from '../model/through';
import type { NamedText } from './section';

export interface CacheWatchOptions {
  /** Returns the sections that the system prompt of the request just built was joined from. */
  readonly sections: () => readonly NamedText[];
  /** Takes one line that says what changed, for a user who wants to know where money went. */
  readonly tell: (line: string) => void;
}

/** Compares each request of the conversation with the one before and tells what broke the prompt cache (docs/spec.md B3). */
export function withCacheWatch(inner: ModelClient, options: CacheWatchOptions): ModelClient {
  let before: CachedPrompt | null = null;
  return {
    stream: (request, signal) => {
      // One with a purpose of its own, as a summary, is no part of the conversation.
      if (request.purpose !== undefined) return inner.stream(request, signal);
      const now = { request, sections: options.sections() };
      const last = before;
      before = now;
      return through(inner.stream(request, signal), (event) => {
        if (event.type !== 'message_finished') return event;
        // Compared when the answer is here, so that the request does not wait for it.
        const found = last === null ? null : findCacheBreak(last, now);
        const line = describeCacheBreak(found, event.cacheMissReason);
        if (line !== null && isNews(found, event.cacheMissReason)) options.tell(line);
        return event;
      });
    },
  };
}

/**
 * Tells whether a break is worth a line. A switched model and a summarised history the user saw: they are told only
 * when the API itself reports a miss.
 */
const isNews = (found: CacheBreak | null, missReason: string | undefined): boolean =>
  missReason !== undefined || found?.where === 'tool' || found?.where === 'section';

/** A request as the prompt cache sees it. */
export interface CachedPrompt {
  readonly request: Pick<ModelRequest, 'model' | 'tools' | 'messages'>;
  /** The parts its system prompt was joined from. */
  readonly sections: readonly NamedText[];
}

/** The reason a prompt cache cannot be used past a point, in the order the API reads: tools, system, messages. */
export interface CacheBreak {
  readonly where: 'model' | 'tool' | 'section' | 'message';
  /** The tool, section or message (`#3`) that changed first. */
  readonly name: string;
  readonly change: 'added' | 'removed' | 'changed' | 'moved';
}

/**
 * Finds what made the cache of `before` useless for `after`; null when `after` only goes on from it. Cache marks do not
 * count. Pure.
 */
export function findCacheBreak(before: CachedPrompt, after: CachedPrompt): CacheBreak | null {
  const [old, now] = [before.request, after.request];
  if (old.model !== now.model) return { where: 'model', name: now.model, change: 'changed' };
  return (
    firstChange('tool', old.tools, now.tools) ??
    firstChange('section', before.sections, after.sections) ??
    firstMessage(old.messages, now.messages)
  );
}

/** Describes a break in one line for the log. `missReason` is the API's own word, when it gave one. */
export function describeCacheBreak(found: CacheBreak | null, missReason?: string): string | null {
  const said = missReason === undefined ? '' : ` (the API says ${missReason})`;
  if (found === null) return missReason === undefined ? null : `Prompt cache missed${said}.`;
  return `Prompt cache broken by ${found.where} ${found.name}: ${found.change}${said}.`;
}

function firstChange(
  where: 'tool' | 'section',
  before: readonly { readonly name: string }[],
  after: readonly { readonly name: string }[],
): CacheBreak | null {
  const length = Math.max(before.length, after.length);
  for (let i = 0; i < length; i += 1) {
    const old = before[i];
    const now = after[i];
    if (old?.name === now?.name) {
      if (!isSame(old, now)) return { where, name: now?.name ?? '', change: 'changed' };
      continue;
    }
    if (now !== undefined && !before.some((part) => part.name === now.name))
      return { where, name: now.name, change: 'added' };
    if (old !== undefined && !after.some((part) => part.name === old.name))
      return { where, name: old.name, change: 'removed' };
    return { where, name: now?.name ?? old?.name ?? '', change: 'moved' };
  }
  return null;
}

/** New messages at the end break nothing. */
function firstMessage(
  before: readonly ApiMessage[],
  after: readonly ApiMessage[],
): CacheBreak | null {
  const at = before.findIndex((message, i) => !isSameMessage(message, after[i]));
  if (at < 0) return null;
  const change = at < after.length ? 'changed' : 'removed';
  return { where: 'message', name: `#${at + 1}`, change };
}

const isSameMessage = (old: ApiMessage, now: ApiMessage | undefined): boolean =>
  old.role === now?.role &&
  old.content.length === now.content.length &&
  old.content.every((block, i) => isSame(block, now.content[i]));

/** Most parts are the very objects of the request before: only others are looked into. */
const isSame = (old: object | undefined, now: object | undefined): boolean =>
  old === now || contentOf(old) === contentOf(now);

/** Returns the content of a part: the mark that says where to cache is none. Only tools and blocks carry one. */
const contentOf = (part: object | undefined): string | undefined =>
  JSON.stringify(part && 'cache_control' in part ? { ...part, cache_control: undefined } : part);
