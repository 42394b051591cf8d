/**
 * Tells whether an address is on a list of patterns with `*` (`allowedHttpHookUrls`, `serverUrl`). Protocol, host and path are
 * compared apart, so that no `*` in a host reaches into a path. Pure.
 */
export function isListedAddress(address: string, patterns: readonly string[]): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, host, pathname, search } = new URL(address);
  const parts = [protocol, host, pathname + search];
  return patterns.some((pattern) => {
    if (pattern.trim() === '*') return true;
    const [, scheme, where, path] = /^([^/]*:)\/\/([^/]*)(\/.*)?$/s.exec(pattern.trim()) ?? [];
    if (scheme === undefined || where === undefined) return false;
    const rest = path ?? (where.endsWith('*') ? '*' : '/');
    return [scheme, where, rest].every((part, at) => fits(part, parts[at] ?? '', at < 2));
  });
}

/** Tells whether a text is what a pattern with `*` says; names of hosts have no case. */
function fits(pattern: string, text: string, caseless: boolean): boolean {
  const source = pattern.split('*').map(escaped).join('.*');
  return new RegExp(`^${source}$`, caseless ? 'is' : 's').test(text);
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
