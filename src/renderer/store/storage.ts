/** The two operations this app needs of the browser's storage. */
export type TextStorage = Pick<Storage, 'getItem' | 'setItem'>;

/** The browser's storage, or one that forgets with the page where the browser forbids it. */
export function storageOr(open: () => TextStorage): TextStorage {
  try {
    return open();
  } catch {
    const kept = new Map<string, string>();
    return {
      getItem: (key) => kept.get(key) ?? null,
      setItem: (key, value) => {
        kept.set(key, value);
      },
    };
  }
}
