/** A text of this machine and its placeholder in a recording. */
export interface Placeholder {
  /** E.g. `{{project}}`. */
  readonly name: string;
  /** E.g. the project's path. */
  readonly value: string;
}

/** Shapes of keys and tokens, whoever they belong to. Each is anchored so that ordinary words never match. */
const SECRET_SHAPES: readonly RegExp[] = [
  /\bsk-(?:ant-[A-Za-z0-9_-]{8,}|[A-Za-z0-9_-]{16,})/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bgh[pousr]_[A-Za-z0-9]{30,}/g,
  /\bgithub_pat_[A-Za-z0-9_]{30,}/g,
  /\bglpat-[A-Za-z0-9_-]{20,}/g,
  /\bxox[abposr]-[A-Za-z0-9-]{10,}/g,
  /\bya29\.[A-Za-z0-9_-]{20,}/g,
  /\bAIza[A-Za-z0-9_-]{35}/g,
  /\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /\bBearer\s+[A-Za-z0-9._~+/-]{16,}=*/gi,
];

/** The replacement of a secret. It cannot be turned back. */
const SECRET_MARK = '{{secret}}';

/**
 * The shortest secret. Shorter keys are placeholders for servers that check none ("x", "none", "ollama"), and parts of
 * ordinary words: hidden, they would garble every message. Characters.
 */
const MIN_SECRET = 8;

/** Tells whether a key, or the value of a header, is long enough to be a secret. */
export const isSecret = (value: string): boolean => value.length >= MIN_SECRET;

/** Lists the forms in which programs may print a secret: itself, in JSON, in a URL, as hexadecimal digits, as base64. */
function writings(secret: string): readonly string[] {
  const bytes = Buffer.from(secret, 'utf8');
  const base64 = [0, 1, 2].flatMap((before) => {
    // What stands around the secret changes the first and last characters: only those of its own bytes are looked for.
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const own = text.slice(before === 0 ? 0 : before + 1, ((before + bytes.length) * 4) / 3);
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
  return [
    ...new Set([
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret),
      bytes.toString('hex'),
      ...base64,
    ]),
  ].toSorted((a, b) => b.length - a.length);
}

/** Finds everything in a text that looks like a key, or is one of the known ones. */
export const findSecrets = (text: string, known: readonly string[] = []): readonly string[] => [
  ...known
    .filter(isSecret)
    .flatMap(writings)
    .filter((secret) => text.includes(secret)),
  ...SECRET_SHAPES.flatMap((shape) => text.match(shape) ?? []),
];

/** Removes secrets and places of this machine from a text. */
export function scrub(
  text: string,
  secrets: readonly string[],
  places: readonly Placeholder[],
): string {
  const hidden = findSecrets(text, secrets).reduce(
    (clean, secret) => clean.replaceAll(secret, SECRET_MARK),
    text,
  );
  return longestFirst(places).reduce(
    (clean, { name, value }) => clean.replaceAll(value, name),
    hidden,
  );
}

/** Puts the places of this machine back into a scrubbed text. */
export const unscrub = (text: string, places: readonly Placeholder[]): string =>
  places.reduce((full, { name, value }) => full.replaceAll(name, value), text);

/** Sorts so that a folder inside another is not half replaced. */
const longestFirst = (places: readonly Placeholder[]): readonly Placeholder[] =>
  places.filter((p) => p.value.length > 1).toSorted((a, b) => b.value.length - a.value.length);

/** Applies a change to every text in a JSON value, keys left alone. */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, mapTexts(v, change)]));
}
