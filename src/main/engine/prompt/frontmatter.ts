/** A Markdown file with what stands between its first two `---` lines. */
export interface Frontmatter {
  /** Single values by name in lower case; lists and nested values are left out. */
  readonly fields: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Takes a file apart. Without a closed front part all of it is body. Pure. */
export function readFrontmatter(text: string): Frontmatter {
  const parts = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)---[ \t]*(?:\r?\n|$)([\s\S]*)$/m.exec(
    text,
  );
  if (parts === null || parts.index !== 0) return { fields: new Map(), body: text.trim() };
  const fields = new Map<string, string>();
  for (const line of (parts[1] ?? '').split(/\r?\n/)) {
    const field = /^([A-Za-z][\w-]*)[ \t]*:[ \t]*(\S.*)$/.exec(line);
    if (field) fields.set((field[1] ?? '').toLowerCase(), plain(field[2] ?? ''));
  }
  return { fields, body: (parts[2] ?? '').trim() };
}

/** A value without its quotes, or without the comment behind it. */
function plain(value: string): string {
  const quoted = /^(["'])(.*)\1[ \t]*(?:#.*)?$/.exec(value.trim());
  return quoted ? (quoted[2] ?? '') : value.replace(/[ \t]+#.*$/, '').trim();
}
