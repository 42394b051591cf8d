/** A file named in prose. */
export interface FileMention {
  readonly path: string;
  readonly line?: number;
}

const MENTION =
  /^(?<path>(?:\.{0,2}\/|~\/|[A-Za-z]:[\\/])?(?:[\p{L}\p{M}\p{N}_@.+-]+[\\/])*[\p{L}\p{M}\p{N}_@+.-]*[\p{L}\p{M}\p{N}_+-]\.[A-Za-z]\w{0,9})(?:(?::|#L)(?<line>\d{1,7})(?:[-–:]L?\d{1,7}|C\d{1,7}){0,3})?$/u;
/** Endings that make a bare word without a folder a file, and not "e.g." or "foo.bar". */
const KNOWN_ENDINGS =
  /\.(?:[cm]?[jt]sx?|json[c5]?|md|css|html?|py|rs|go|rb|java|kt|c|h|cc|cpp|hpp|cs|php|sh|ya?ml|toml|lock|sql|txt|xml|svg|vue|swift|zig|env|ini|cfg)$/i;

/** Returns the file that a piece of text names ("src/auth.ts:12"), or null when it is not plainly a file. */
export function fileMention(code: string): FileMention | null {
  const groups = MENTION.exec(code)?.groups;
  const path = groups?.['path'];
  if (path === undefined) return null;
  if (!/[\\/]/.test(path) && !KNOWN_ENDINGS.test(path)) return null;
  const line = groups?.['line'];
  return line === undefined ? { path } : { path, line: Number(line) };
}

/** Schemes have two letters at least; one letter is a drive of Windows. */
const SCHEME = /^[a-z][a-z\d+.-]+:/i;

/**
 * Returns the file that the target of a link names, relative or absolute, with or without a line (`src/a%20b.ts#L3`); null
 * for an address, a folder, a part of the page, and what could be a share of another computer.
 */
export function fileTarget(target: string): FileMention | null {
  const [, rest = '', fragment = ''] = /^([^?#]*)(?:\?[^#]*)?(?:#(.*))?$/s.exec(target) ?? [];
  const name = decoded(rest);
  if (SCHEME.test(name) && fileMention(name) === null) return null;
  if (name === '' || /^[\\/]{2}|[\\/]$|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name)) return null;
  const [, path = name, after] = /^(.*?)(?::(\d{1,7})(?:[-–:]\d{1,7}){0,3})?$/s.exec(name) ?? [];
  const line = after ?? /^L(\d{1,7})/.exec(fragment)?.[1];
  return line === undefined ? { path } : { path, line: Number(line) };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** A node of a Markdown tree, as far as mentions of files are concerned. */
interface Node {
  type: string;
  value?: string;
  children?: Node[];
}

/** Parts of a text that are looked at; longer ones are no path. Characters. */
const MAX_MENTION = 300;

/** A remark plugin that turns files named in plain prose ("see src/auth.ts:12.") into inline code, which opens them. */
export const markFileMentions = () => (tree: Node) => markIn(tree);

function markIn(node: Node): void {
  if (node.children === undefined || node.type === 'link' || node.type === 'linkReference') return;
  node.children = node.children.flatMap((child) => {
    if (child.type === 'text' && child.value !== undefined) return marked(child.value);
    markIn(child);
    return [child];
  });
}

/** Splits a text at the files it names. */
function marked(text: string): Node[] {
  const nodes: Node[] = [];
  let plain = '';
  for (const word of text.split(/(\s+)/)) {
    const [, before = '', core = '', after = ''] =
      word.length > MAX_MENTION ? [] : (/^([([{"'“‘]*)(.*?)([\])}"'”’.,;:!?]*)$/.exec(word) ?? []);
    if (!namesFile(core)) {
      plain += word;
      continue;
    }
    nodes.push({ type: 'text', value: plain + before }, { type: 'inlineCode', value: core });
    plain = after;
  }
  if (nodes.length === 0) return [{ type: 'text', value: text }];
  return [...nodes, { type: 'text', value: plain }].filter(({ value }) => value !== '');
}

/** Returns true when a word of prose is plainly a file: with a folder or a line, and an ending that is known. */
function namesFile(word: string): boolean {
  const mention = fileMention(word);
  if (mention === null || !KNOWN_ENDINGS.test(mention.path)) return false;
  return mention.line !== undefined || /[\\/]/.test(mention.path);
}
