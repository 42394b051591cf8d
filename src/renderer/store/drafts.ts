import { touch } from './lru';

/** Unsent text per session. It survives reloads and restarts; the oldest drafts make room. */
export interface Drafts {
  get(sessionId: string): string;
  /** An empty text forgets the draft. */
  set(sessionId: string, text: string): void;
}

const KEY = 'lathe.drafts';
const MAX_DRAFTS = 50;
/** Longer texts are kept on screen but not stored: the browser's store is a few megabytes in all. */
const MAX_STORED_CHARS = 50_000;

/** Drafts kept in the browser's own storage. A full or blocked storage costs the draft, never the text on screen. */
export function createDrafts(storage: Pick<Storage, 'getItem' | 'setItem'>): Drafts {
  const drafts = read(storage);
  let order: readonly string[] = Object.keys(drafts);
  return {
    get: (sessionId) => drafts[sessionId] ?? '',
    set(sessionId, text) {
      if (text === '') {
        delete drafts[sessionId];
        order = order.filter((id) => id !== sessionId);
      } else {
        drafts[sessionId] = text;
        const touched = touch(order, sessionId, MAX_DRAFTS);
        order = touched.order;
        for (const id of touched.dropped) delete drafts[id];
      }
      const kept = order.flatMap((id) => {
        const draft = drafts[id];
        return draft !== undefined && draft.length <= MAX_STORED_CHARS
          ? [[id, draft] as const]
          : [];
      });
      try {
        storage.setItem(KEY, JSON.stringify(Object.fromEntries(kept)));
      } catch {
        // A full storage must not stop the typing.
      }
    },
  };
}

function read(storage: Pick<Storage, 'getItem'>): Record<string, string> {
  try {
    const value: unknown = JSON.parse(storage.getItem(KEY) ?? '{}');
    if (typeof value !== 'object' || value === null) return {};
    const texts = Object.entries(value).filter(
      (e): e is [string, string] => typeof e[1] === 'string',
    );
    return Object.assign(Object.create(null), Object.fromEntries(texts));
  } catch {
    return {};
  }
}
