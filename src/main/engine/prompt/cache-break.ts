import { hash } from 'node:crypto';
import type { ModelRequest } from '../model/model-client';
import type { NamedText } from './section';

/** What a request looked like to the prompt cache. Small: hashes only, one for each block. */
export interface Fingerprint {
  readonly model: string;
  readonly tools: readonly Part[];
  readonly system: readonly Part[];
  readonly messages: readonly string[];
}

interface Part {
  readonly name: string;
  readonly hash: string;
}

/** Why a prompt cache cannot be used past a point, in the order the API reads: tools, system, messages. */
export interface CacheBreak {
  readonly where: 'model' | 'tool' | 'section' | 'message';
  /** The tool, section or message (`#3`) that changed first. */
  readonly name: string;
  readonly change: 'added' | 'removed' | 'changed' | 'moved';
}

/** Hashes of parts that were seen before: most of a request is that of the last one. */
export type KnownHashes = WeakMap<object, string>;

/**
 * The fingerprint of a request. `sections` names the parts of its system prompt; without them its texts are
 * numbered. Cache marks do not count. `known`, kept from one request to the next, saves work.
 */
export function fingerprint(
  request: ModelRequest,
  sections?: readonly NamedText[],
  known: KnownHashes = new WeakMap(),
): Fingerprint {
  const texts = sections ?? request.system.map(({ text }, i) => ({ name: `text ${i + 1}`, text }));
  return {
    model: request.model,
    tools: request.tools.map((tool) => ({ name: tool.name, hash: hashOf(tool, known) })),
    system: texts.map((part) => ({
      name: part.name,
      hash: once(part, known, () => digest(part.text)),
    })),
    messages: request.messages.map(({ role, content }) =>
      content.reduce((all, block) => `${all} ${hashOf(block, known)}`, role as string),
    ),
  };
}

/** What made the cache of `before` useless for `after`; null when `after` only goes on from it. Pure. */
export function findCacheBreak(before: Fingerprint, after: Fingerprint): CacheBreak | null {
  if (before.model !== after.model) return { where: 'model', name: after.model, change: 'changed' };
  return (
    firstChange('tool', before.tools, after.tools) ??
    firstChange('section', before.system, after.system) ??
    firstMessage(before.messages, after.messages)
  );
}

/** One line for the log. `missReason` is the API's own word, when it gave one. */
export function describeCacheBreak(found: CacheBreak | null, missReason?: string): string | null {
  const said = missReason === undefined ? '' : ` (the API says ${missReason})`;
  if (found === null) return missReason === undefined ? null : `Prompt cache missed${said}.`;
  return `Prompt cache broken by ${found.where} ${found.name}: ${found.change}${said}.`;
}

function firstChange(
  where: 'tool' | 'section',
  before: readonly Part[],
  after: readonly Part[],
): CacheBreak | null {
  const length = Math.max(before.length, after.length);
  for (let i = 0; i < length; i += 1) {
    const old = before[i];
    const now = after[i];
    if (old?.name === now?.name) {
      if (old?.hash !== now?.hash) return { where, name: now?.name ?? '', change: 'changed' };
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

/** New messages at the end break nothing; the last one of before may grow (results join it). */
function firstMessage(before: readonly string[], after: readonly string[]): CacheBreak | null {
  const at = before.findIndex((hash, i) => hash !== after[i]);
  if (at < 0) return null;
  const change = at < after.length ? 'changed' : 'removed';
  return { where: 'message', name: `#${at + 1}`, change };
}

const hashOf = (part: object, known: KnownHashes): string =>
  once(part, known, () => digest(unmarked(part)));

function once(part: object, known: KnownHashes, make: () => string): string {
  const before = known.get(part);
  if (before !== undefined) return before;
  const now = make();
  known.set(part, now);
  return now;
}

const digest = (value: unknown): string =>
  hash('sha256', JSON.stringify(value), 'base64url').slice(0, 16);

/** Without the mark that says where to cache: it is no content. Only tools and blocks carry one. */
function unmarked<T extends object>(value: T): T {
  return 'cache_control' in value ? { ...value, cache_control: undefined } : value;
}
