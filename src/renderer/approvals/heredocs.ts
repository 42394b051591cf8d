import { languageOf } from '../highlight/languages';

/** A part of a command: what the shell reads as code, or the body of a here-document. In UTF-16 units [start, end). */
export interface CommandPart {
  readonly kind: 'shell' | 'body';
  readonly start: number;
  readonly end: number;
  /** As grammars know it; '' when unknown. */
  readonly language: string;
  /** The file that a body is written to or the program that reads it; '' when unknown. */
  readonly target: string;
}

const OPENS =
  /(?<![<\d])<<(?<tabs>-?)[ \t]*(?:'(?<single>[^'\n]+)'|"(?<double>[^"\n]+)"|\\?(?<bare>[A-Za-z_]\w*))/g;

/**
 * Cuts a command at the bodies of its here-documents, so that they can be shown as what they are. It is for the eye: what
 * a quote hides from the shell may be taken for a body, but no character is lost, moved or changed. Pure.
 */
export function commandParts(command: string): readonly CommandPart[] {
  const lines = command.split('\n');
  const parts: CommandPart[] = [];
  let shellStart = 0;
  let at = 0;
  for (let number = 0; number < lines.length; number += 1) {
    const line = lines[number] ?? '';
    at += line.length + 1;
    for (const { groups = {} } of line.matchAll(OPENS)) {
      const word = groups['single'] ?? groups['double'] ?? groups['bare'] ?? '';
      const close = closingLine(lines, number + 1, word, groups['tabs'] === '-');
      if (close <= number + 1) {
        // Nothing in it, or no end of it.
        if (close > 0) [number, at] = [close, at + (lines[close]?.length ?? 0) + 1];
        continue;
      }
      const length = lines.slice(number + 1, close).reduce((sum, own) => sum + own.length + 1, 0);
      parts.push({ ...SHELL, start: shellStart, end: at });
      parts.push({ kind: 'body', start: at, end: at + length, ...meaning(line) });
      shellStart = at + length;
      at = shellStart + (lines[close]?.length ?? 0) + 1;
      number = close;
    }
  }
  return shellStart < command.length
    ? [...parts, { ...SHELL, start: shellStart, end: command.length }]
    : parts;
}

const SHELL = { kind: 'shell', language: 'bash', target: '' } as const;

/** Returns the number of the line that ends a here-document; -1 when none does. */
const closingLine = (lines: readonly string[], from: number, word: string, tabs: boolean): number =>
  lines.findIndex((line, at) => at >= from && (tabs ? line.trimStart() : line) === word);

const WRITES = /(?:^|[^<>&\d])>{1,2}\|?[ \t]*(?:'([^'\n]+)'|"([^"\n]+)"|([^\s'"|;&<>()]+))/;
const TEE = /\btee[ \t]+(?:-a[ \t]+)?(?:'([^'\n]+)'|"([^"\n]+)"|([^\s'"|;&<>()-][^\s'"|;&<>()]*))/;
const READERS: readonly (readonly [program: RegExp, language: string])[] = [
  [/\b(python[\d.]*)\b[^|;&]*<</, 'python'],
  [/\b(node|deno|bun)\b[^|;&]*<</, 'javascript'],
  [/\b(ruby)\b[^|;&]*<</, 'ruby'],
  [/\b(php)\b[^|;&]*<</, 'php'],
  [/\b(psql|sqlite3|mysql|mariadb|duckdb)\b[^|;&]*<</, 'sql'],
  [/\b(bash|sh|zsh)\b[^|;&]*<</, 'bash'],
];

/** Reads from the line that opens a here-document where its body goes, and in which language it is. */
function meaning(line: string): Pick<CommandPart, 'language' | 'target'> {
  const [, single, double, bare] = TEE.exec(line) ?? WRITES.exec(line) ?? [];
  const file = single ?? double ?? bare;
  if (file !== undefined) return { target: file, language: languageOf(file) };
  for (const [program, language] of READERS) {
    const reader = program.exec(line)?.[1];
    if (reader !== undefined) return { target: reader, language };
  }
  return { target: '', language: '' };
}
