/** Returns a name as tools and rules have it. A double underscore parts server and tool, so a server's name has none. */
export const plainName = (name: string): string =>
  name.replaceAll(/[^A-Za-z0-9_-]/g, '_').replaceAll(/_{2,}/g, '_');

/** Returns the name by which the model and rules know a tool of a server. */
export const toolName = (server: string, tool: string): string =>
  `mcp__${plainName(server)}__${tool.replaceAll(/[^A-Za-z0-9_-]/g, '_')}`;

/**
 * Returns the other names of tools that a denial may mean by a name. In `mcp__my__server__t` the server can be `my` or
 * `my__server`, whose tools have only one `_` there: no denial is lost, so both are meant.
 */
export function toolNamesMeant(name: string): readonly string[] {
  const pattern = name.replaceAll('.*', '*').replace(/__$/, '__*');
  const [, server = '', tool = ''] = /^mcp__(.+)__(.+)$/.exec(pattern) ?? [];
  const plain = (text: string) => text.replaceAll(/[^\w*-]/g, '_');
  const meant = [
    plain(pattern),
    plain(pattern.replaceAll(/[.:/]/g, '__')),
    server === ''
      ? plain(pattern)
      : `mcp__${plain(server).replaceAll(/_{2,}/g, '_')}__${plain(tool)}`,
  ];
  return [...new Set(meant)].filter((one) => one !== name);
}

/**
 * Returns why a server must not be started beside the others; null when it may. Two servers with one name for rules would
 * have each other's permissions: the stronger setting counts.
 */
export function clashOf(name: string, wanted: ReadonlyMap<string, unknown>): string | null {
  const first = [...wanted.keys()].find((other) => plainName(other) === plainName(name));
  return first === undefined || first === name
    ? null
    : `The tool server "${name}" is not started: rules could not tell it from "${first}". Give one of them another name.`;
}
