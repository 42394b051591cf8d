import type { IBufferLine, ILink, ILinkProvider, Terminal } from '@xterm/xterm';

/** A place in a file that a program printed. Lines and columns count from 1. */
export interface FileReference {
  readonly path: string;
  readonly line: number;
  readonly column?: number;
}

/** A reference, and the characters of the text that stand for it. */
interface FoundReference extends FileReference {
  readonly from: number;
  /** Behind the last one. */
  readonly to: number;
}

/** Longer output lines are not searched. Characters. */
const MAX_LINE_CHARS = 2_000;
/** The longest path that is taken for one. Characters. */
const MAX_PATH_CHARS = 1_000;
/** Characters that a path may hold; with a blank it could not be told from the words around it. */
const NAME = String.raw`[^\s"'\`()<>[\]{}:,;|]`;
const PATH = String.raw`(?<path>(?:[A-Za-z]:[\\/])?${NAME}+)`;
/** `a.ts:12`, `a.ts:12:5` and `a.ts(12,5)`, as compilers, linters, test runners and searches print them. */
const AFTER_PATH = new RegExp(
  String.raw`(?<![^\s"'\`(<[{,;|=])${PATH}(?::(?<l>\d{1,7})(?::(?<c>\d{1,5}))?(?!\d)|\((?<l2>\d{1,7})(?:,(?<c2>\d{1,5}))?\))`,
  'g',
);
/** `File "a b.py", line 12`, as Python prints it. */
const IN_QUOTES = /File "(?<path>[^"\n]+)", line (?<l>\d{1,7})/g;

/** Returns the places in files that a line of output names, from left to right. Pure. */
export function fileReferences(text: string): readonly FoundReference[] {
  if (text.length > MAX_LINE_CHARS) return [];
  return [...text.matchAll(AFTER_PATH), ...text.matchAll(IN_QUOTES)].flatMap((match) => {
    const { path = '', l, c, l2, c2 } = match.groups ?? {};
    const [line, column] = [Number(l ?? l2), Number(c ?? c2 ?? 0)];
    if (!looksLikeFile(path) || line === 0) return [];
    const [from, to] = [match.index, match.index + match[0].length];
    return [{ path, line, ...(column > 0 ? { column } : {}), from, to }];
  });
}

/** Returns true for what has a folder or an ending of letters, and is no address of another machine. */
const looksLikeFile = (path: string): boolean =>
  path.length <= MAX_PATH_CHARS &&
  !/^(\/\/|\\\\)/.test(path) &&
  /[\\/].*[^\\/]$|^[^\\/]+\.[A-Za-z]\w{0,9}$|^(Make|Docker)file$/.test(path);

/** The events of file links. The click is the terminal's, with whatever keys were held. */
interface FileLinkEvents {
  activate(event: MouseEvent, file: FileReference): void;
  hover(file: FileReference): void;
  leave(): void;
}

/** Makes places in files links. A line of output that wraps is searched as a whole. */
export const fileLinks = (
  terminal: Pick<Terminal, 'buffer' | 'cols'>,
  { activate, hover, leave }: FileLinkEvents,
): ILinkProvider => ({
  provideLinks(y, callback) {
    const { text, cells } = outputLine(terminal, y - 1);
    const links = fileReferences(text).flatMap(({ from, to, ...file }): ILink[] => {
      const [start, end] = [cells[from], cells[to - 1]];
      if (start === undefined || end === undefined) return [];
      return [
        {
          range: { start, end },
          text: text.slice(from, to),
          activate: (event) => activate(event, file),
          hover: () => hover(file),
          leave,
        },
      ];
    });
    callback(links.length === 0 ? undefined : links);
  },
});

/** Returns the whole line of output that a row belongs to, and the cell of each of its characters. Cells count from 1. */
function outputLine({ buffer, cols }: Pick<Terminal, 'buffer' | 'cols'>, row: number) {
  const { active } = buffer;
  const wraps = (y: number): boolean => active.getLine(y)?.isWrapped === true;
  const cells: { x: number; y: number }[] = [];
  let text = '';
  let first = row;
  while (wraps(first) && (row - first) * cols < MAX_LINE_CHARS) first -= 1;
  let y = first;
  do {
    text += rowText(active.getLine(y), (x) => cells.push({ x: x + 1, y: y + 1 }));
    y += 1;
  } while (wraps(y) && text.length <= MAX_LINE_CHARS);
  return { text: text.trimEnd(), cells };
}

/** Returns the text of a row; `at` hears the column of each character. */
function rowText(line: IBufferLine | undefined, at: (x: number) => void): string {
  let text = '';
  for (let x = 0; x < (line?.length ?? 0); x += 1) {
    const cell = line?.getCell(x);
    // The second half of a wide character.
    if (cell === undefined || cell.getWidth() === 0) continue;
    const characters = cell.getChars() || ' ';
    for (let i = 0; i < characters.length; i += 1) at(x);
    text += characters;
  }
  return text;
}
