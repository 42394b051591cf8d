/** One step of a path: its name and where it leads. */
interface Crumb {
  readonly name: string;
  readonly path: string;
}

/** Returns the steps from the root to a path, for both kinds of separators: "/", "home", "me"; or "C:\", "Users". */
export function crumbsOf(path: string): readonly Crumb[] {
  const windows = /^[a-z]:[\\/]/i.test(path);
  const separator = windows ? '\\' : '/';
  const root = windows ? `${path.slice(0, 2)}\\` : '/';
  const names = path
    .slice(windows ? 3 : 1)
    .split(/[\\/]/)
    .filter(Boolean);
  return [
    { name: root, path: root },
    ...names.map((name, at) => ({
      name,
      path: root + names.slice(0, at + 1).join(separator),
    })),
  ];
}

/**
 * Normalises a typed path: expands `~`, trims spaces and a trailing slash. A relative one begins in `base`, the folder
 * on screen, where there is one.
 */
export function typedPath(text: string, home: string, base = ''): string {
  const trimmed = text.trim();
  const isRelative = trimmed !== '' && !/^([\\/~]|[a-z]:)/i.test(trimmed);
  if (isRelative && base !== '') return joined(base, trimmed);
  const expanded = /^~(?=$|[\\/])/.test(trimmed) ? home + trimmed.slice(1) : trimmed;
  return expanded.length > 1 ? expanded.replace(/(?<=[^:\\/])[\\/]+$/, '') : expanded;
}

/** Returns where a relative path leads from a folder; `..` goes no higher than the root. */
function joined(base: string, relative: string): string {
  const [root, ...folders] = crumbsOf(base);
  const names = folders.map(({ name }) => name);
  for (const part of relative.split(/[\\/]/)) {
    if (part === '..') names.pop();
    else if (part !== '' && part !== '.') names.push(part);
  }
  const start = root?.path ?? '/';
  return start + names.join(start === '/' ? '/' : '\\');
}

/** Describes the problem with an endpoint's address, or returns null. An empty one means the default endpoint. */
export function baseUrlProblem(text: string): string | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  const url = URL.canParse(trimmed) ? new URL(trimmed) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return 'Write the whole address, such as https://gateway.example.com';
  }
  if (url.username !== '' || url.password !== '') {
    return 'Leave user name and password out of the address.';
  }
  return null;
}

/** Returns true when a key sent there would travel unencrypted over a network. */
export function isUnencrypted(text: string): boolean {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : null;
  if (url === null || url.protocol !== 'http:') return false;
  return !['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
}
