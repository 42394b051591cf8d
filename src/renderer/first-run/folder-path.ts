/** One step of a path: its name and where it leads. */
export interface Crumb {
  readonly name: string;
  readonly path: string;
}

/** The steps from the root to a path, for both kinds of separators: "/", "home", "me"; or "C:\", "Users". */
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

/** A typed path as it should be asked for: `~` is the home folder, spaces around and a trailing slash go. */
export function typedPath(text: string, home: string): string {
  const trimmed = text.trim();
  const expanded = /^~(?=$|[\\/])/.test(trimmed) ? home + trimmed.slice(1) : trimmed;
  return expanded.length > 1 ? expanded.replace(/(?<=[^:\\/])[\\/]+$/, '') : expanded;
}
