import type { Node } from 'web-tree-sitter';
import { decodeAnsiC } from './ansi-c';
import { type Draft, draftFor, readCommand, readRedirect } from './simple-command';

/** What a statement writes to a pipe, when the line itself says so: `echo …`, `printf …`, `cat <<EOF`. */
export function writtenBy(node: Node): string | undefined {
  const body = node.type === 'redirected_statement' ? node.childForFieldName('body') : node;
  if (body?.type !== 'command') return undefined;
  const draft = draftFor(node);
  readCommand(body, draft);
  if (body !== node)
    for (const child of node.children) if (child.id !== body.id) readRedirect(child, draft);
  return outputOf(draft);
}

/** What a command writes, when its words say so. Formats of `printf` are not applied: each word is a line. */
export function outputOf({ words, stdin }: Draft): string | undefined {
  const [name, ...rest] = words.map((word) => word.value);
  if (name === 'cat') return rest.length === 0 && typeof stdin === 'string' ? stdin : undefined;
  if (name !== 'echo' && name !== 'printf') return undefined;
  const texts = name === 'echo' ? rest.filter((word) => !/^-[neE]+$/.test(word ?? '')) : rest;
  if (texts.includes(null)) return undefined;
  const text = texts.join(name === 'echo' ? ' ' : '\n');
  // Shells disagree on what `echo` makes of backslashes: both readings.
  const decoded = decodeAnsiC(text.replaceAll('%s', ' ').replace(/["']/g, '\\$&'));
  return decoded === null || decoded === text ? text : `${text}\n${decoded}`;
}
