import type { PromptAttachment } from './attachments';

/** Keeps the attachments of drafts over a reload: images are too large for the browser's text storage. */
export interface AttachmentStorage {
  /** Returns what is kept by draft, the oldest first; nothing when the storage cannot be used. */
  load(): Promise<ReadonlyMap<string, readonly PromptAttachment[]>>;
  /** Replaces the attachments of a draft; an empty list forgets them. Never rejects. */
  save(draft: string, list: readonly PromptAttachment[]): Promise<void>;
}

const STORE = 'attachments';

interface Kept {
  readonly draft: string;
  readonly list: readonly PromptAttachment[];
  /** Epoch milliseconds of the last change. */
  readonly at: number;
}

/** Opens the browser's database for attachments. One that is forbidden or broken keeps nothing. */
export function openAttachmentStorage(
  database: () => IDBFactory,
  now: () => number = Date.now,
): AttachmentStorage {
  let opened: Promise<IDBDatabase> | null = null;
  const open = () => {
    opened ??= new Promise((resolve, reject) => {
      const request = database().open('lathe', 1);
      request.onupgradeneeded = () => {
        request.result.createObjectStore(STORE, { keyPath: 'draft' });
      };
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
    return opened;
  };
  return {
    async load() {
      try {
        const kept: readonly Kept[] = await done(
          (await open()).transaction(STORE).objectStore(STORE).getAll(),
        );
        const byAge = kept.toSorted((a, b) => a.at - b.at);
        return new Map(byAge.map(({ draft, list }) => [draft, list]));
      } catch {
        return new Map();
      }
    },
    async save(draft, list) {
      try {
        const store = (await open()).transaction(STORE, 'readwrite').objectStore(STORE);
        if (list.length === 0) await done(store.delete(draft));
        else await done(store.put({ draft, list, at: now() } satisfies Kept));
      } catch {
        // What cannot be kept is still on screen.
      }
    },
  };
}

/** Resolves with the result of a request. Rejects with its error. */
const done = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
