import type { Node } from 'web-tree-sitter';
import { type Draft, draftFor, type InputText, readCommand, readRedirect } from './simple-command';
import { decodeAnsiC, textAsWritten } from './words';

/**
 * Returns what a statement writes to a pipe, when the line itself says so: `echo …`, `printf …`,
 * `cat <<EOF`.
 */
export function writtenBy(node: Node): InputText | undefined {
  const body = node.type === 'redirected_statement' ? node.childForFieldName('body') : node;
  if (body?.type !== 'command') return undefined;
  const draft = draftFor(node);
  readCommand(body, draft);
  if (body !== node)
    for (const child of node.children) if (child.id !== body.id) readRedirect(child, draft);
  return outputOf(draft);
}

/** Returns what a command writes, when its words say so. */
export function outputOf({ words: [called, ...words], stdin }: Draft): InputText | undefined {
  const name = called?.value;
  if (name === 'cat') return words.length === 0 ? (stdin ?? undefined) : undefined;
  if (name !== 'echo' && name !== 'printf') return undefined;
  const texts = words.map(textAsWritten);
  const text =
    name === 'echo' ? texts.filter((word) => !/^-[neE]+$/.test(word)).join(' ') : formatted(texts);
  if (text === null) return undefined;
  const isOpen = words.some(({ value }) => value === null);
  // Shells disagree on what `echo` makes of backslashes: both readings.
  const decoded = isOpen ? null : decodeAnsiC(text.replace(/["']/g, '\\$&'));
  const isSame = decoded === null || decoded === text;
  return { text: isSame ? text : `${text}\n${decoded}`, isOpen };
}

/** `printf` uses its format again until no argument is left, but no more often than this. */
const MAX_FORMATS = 1_000;

/**
 * Fills the arguments of `printf` into its format; escapes stay as they are written. Null for a directive with a width, a
 * number that is none, or options: what comes of those is not worked out.
 */
function formatted(words: readonly string[]): string | null {
  const [format = '', ...values] = words[0] === '--' ? words.slice(1) : words;
  if (format.startsWith('-')) return null;
  let text = '';
  let at = 0;
  for (let round = 0; round < MAX_FORMATS; round++) {
    const from = at;
    let isKnown = true;
    text += format.replace(/%(?:%|([sbcdi])|)/g, (directive, kind?: string) => {
      if (directive === '%%') return '%';
      const value = values[at] ?? '';
      at++;
      if (kind === 'd' || kind === 'i') isKnown &&= /^-?\d{1,15}$/.test(value);
      else if (kind === undefined) isKnown = false;
      return kind === 'c' ? value.slice(0, 1) : value;
    });
    if (!isKnown) return null;
    if (at >= values.length || at === from) return text;
  }
  return null;
}
