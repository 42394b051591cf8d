/** What a person has begun to write in dialogs, kept in one window over a reload of the page. */
export interface KeptForms {
  /** Returns the text that is kept under a key; null when none is. */
  get(key: string): string | null;
  /** Keeps a text; null forgets it. */
  set(key: string, text: string | null): void;
}

const FORMS_KEY = 'lathe.forms';
/** The oldest make room: a dialog that is over leaves its texts behind. */
const MAX_TEXTS = 40;
/** Longer texts are not kept: the browser's store is a few megabytes in all. Characters. */
const MAX_CHARS = 20_000;

/** Reads what was kept as the page was left; a blocked or broken storage keeps nothing. */
export function createKeptForms(storage: Pick<Storage, 'getItem' | 'setItem'>): KeptForms {
  const texts = new Map<string, string>();
  try {
    const kept: unknown = JSON.parse(storage.getItem(FORMS_KEY) ?? '{}');
    for (const [key, text] of Object.entries(kept ?? {}))
      if (typeof text === 'string') texts.set(key, text);
  } catch {
    // Dialogs begin empty.
  }
  return {
    get: (key) => texts.get(key) ?? null,
    set(key, text) {
      texts.delete(key);
      if (text !== null && text.length <= MAX_CHARS) texts.set(key, text);
      for (const oldest of [...texts.keys()].slice(0, -MAX_TEXTS)) texts.delete(oldest);
      try {
        storage.setItem(FORMS_KEY, JSON.stringify(Object.fromEntries(texts)));
      } catch {
        // A full storage must not stop the typing.
      }
    },
  };
}
