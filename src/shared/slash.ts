/** `/name and the rest` taken apart. `name` is in lower case; `rest` is trimmed. */
export interface Slash {
  readonly name: string;
  readonly rest: string;
}

/** Takes a text apart that begins with a command; null for a path, a lone slash, or plain words. Pure. */
export function parseSlash(text: string): Slash | null {
  const parts = /^\/([a-z][\w:-]*)(?:\s+([\s\S]*))?$/i.exec(text.trim());
  return parts === null
    ? null
    : { name: (parts[1] ?? '').toLowerCase(), rest: (parts[2] ?? '').trim() };
}
