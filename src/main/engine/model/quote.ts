/** Longest quotation of a server's own words. Characters. */
const MAX_QUOTE = 600;

/** A server's words, fit to be shown: one line, no web page, no key, not endless. */
export function quote(words: string, secrets: readonly string[]): string {
  if (/^\s*<(!doctype|html)/i.test(words)) return 'It answered with a web page.';
  const clean = secrets
    .filter((s) => s !== '')
    .reduce((text, secret) => text.replaceAll(secret, '•••'), words)
    .replace(/\bsk-[A-Za-z0-9_-]{8,}/g, '•••')
    .replace(/\s+/g, ' ')
    .trim();
  return clean.length > MAX_QUOTE ? `${clean.slice(0, MAX_QUOTE)}…` : clean;
}

/** A value this short is a switch or a number. Characters. */
const MIN_SECRET = 8;

/** What a person's own headers may hold that nobody else should see. */
export const secretsInHeaders = (headers: Readonly<Record<string, string>>): readonly string[] =>
  Object.values(headers).filter((value) => value.length >= MIN_SECRET);
