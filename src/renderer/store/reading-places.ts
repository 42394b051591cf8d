import { z } from 'zod';

const Place = z.object({
  /** The rows that are open, by their keys. */
  open: z.array(z.string()),
  /** The first row in view and how far its beginning lies above; null: the view is at the end. Pixels. */
  top: z.object({ key: z.string(), offset: z.number() }).nullable(),
});

/** The place where a user left a conversation: open cards, and where the view stands. */
export type ReadingPlace = z.infer<typeof Place>;

/** Remembers for one window how each conversation was left, over a reload and over a look at another one. */
export interface ReadingPlaces {
  get(sessionId: string): ReadingPlace | null;
  save(sessionId: string, place: ReadingPlace): void;
}

const KEY = 'lathe.reading';
/** Conversations that are remembered, those left last; and open rows of each. */
const MAX_PLACES = 20;
const MAX_OPEN = 200;

/** Creates the memory of one window; a blocked or broken storage has nothing. */
export function createReadingPlaces(storage: Pick<Storage, 'getItem' | 'setItem'>): ReadingPlaces {
  const places = new Map<string, ReadingPlace>(read(storage));
  return {
    get: (sessionId) => places.get(sessionId) ?? null,
    save(sessionId, { open, top }) {
      places.delete(sessionId);
      places.set(sessionId, { open: open.slice(-MAX_OPEN), top });
      for (const oldest of [...places.keys()].slice(0, -MAX_PLACES)) places.delete(oldest);
      try {
        storage.setItem(KEY, JSON.stringify([...places]));
      } catch {
        // Only convenience is lost.
      }
    },
  };
}

function read(storage: Pick<Storage, 'getItem'>): readonly (readonly [string, ReadingPlace])[] {
  try {
    const kept = z
      .array(z.tuple([z.string(), Place]))
      .safeParse(JSON.parse(storage.getItem(KEY) ?? '[]'));
    return kept.success ? kept.data : [];
  } catch {
    return [];
  }
}
