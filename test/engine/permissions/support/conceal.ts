import { readFileSync } from 'node:fs';

/** Ways to conceal something, by class: templates of shell lines. */
export type Classes = readonly (readonly [name: string, templates: readonly string[]])[];

interface Row {
  readonly class: string;
  readonly conceals: 'commands' | 'files';
  readonly templates: readonly string[];
}

function classesOf(kind: Row['conceals']): Classes {
  const table = readFileSync(new URL('../concealed.ndjson', import.meta.url), 'utf8');
  const rows: Row[] = table
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return rows.filter((row) => row.conceals === kind).map((row) => [row.class, row.templates]);
}

/**
 * Reads the ways to run a command without showing it as one. In a template stand for the command: `{P}` its text, `{Q}` one
 * single-quoted word, `{S}` its text inside single quotes, `{C}` a text in double quotes of another language inside single
 * quotes, `{B}` its text in base64, `{N}` the name of the program alone, `{F}` the path of its file.
 */
export const concealedCommands = (): Classes => classesOf('commands');

/** Reads the ways to read a file without naming it as one: `{F}` is its name, `{H}` its first half, `{T}` the rest. */
export const concealedFiles = (): Classes => classesOf('files');

const insideSingle = (text: string): string => text.replaceAll("'", `'\\''`);

/** Puts a command (with the program `evil` in `bin`) into a template of `concealedCommands`. */
export function fillCommand(template: string, command: string): string {
  return template.replace(/\{([PQSCBNF])\}/g, (_, sign: string) => {
    switch (sign) {
      case 'P':
        return command;
      case 'Q':
        return `'${insideSingle(command)}'`;
      case 'S':
        return insideSingle(command);
      case 'C':
        return insideSingle(JSON.stringify(command));
      case 'B':
        return Buffer.from(command).toString('base64');
      case 'N':
        return 'evil';
      default:
        return 'bin/evil';
    }
  });
}

/** Puts the name of a file into a template of `concealedFiles`. */
export const fillFile = (template: string, file: string): string =>
  template
    .replaceAll('{F}', file)
    .replaceAll('{H}', file.slice(0, 4))
    .replaceAll('{T}', file.slice(4));
