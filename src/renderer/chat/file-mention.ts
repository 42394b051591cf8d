/** A file named in prose. */
export interface FileMention {
  readonly path: string;
  readonly line?: number;
}

const MENTION =
  /^(?<path>(?:\.{0,2}\/|~\/|[A-Za-z]:[\\/])?(?:[\w@.+-]+[\\/])*[\w@+.-]*[\w+-]\.[A-Za-z]\w{0,9})(?::(?<line>\d{1,7})(?::\d{1,7})?)?$/;
/** Endings that make a bare word without a folder a file, and not "e.g." or "foo.bar". */
const KNOWN_ENDINGS =
  /\.(?:[cm]?[jt]sx?|json[c5]?|md|css|html?|py|rs|go|rb|java|kt|c|h|cc|cpp|hpp|cs|php|sh|ya?ml|toml|lock|sql|txt|xml|svg|vue|swift|zig|env|ini|cfg)$/i;

/** The file that a piece of inline code names ("src/auth.ts:12"), or null when it is not plainly a file. */
export function fileMention(code: string): FileMention | null {
  const groups = MENTION.exec(code)?.groups;
  const path = groups?.['path'];
  if (path === undefined) return null;
  if (!/[\\/]/.test(path) && !KNOWN_ENDINGS.test(path)) return null;
  const line = groups?.['line'];
  return line === undefined ? { path } : { path, line: Number(line) };
}
