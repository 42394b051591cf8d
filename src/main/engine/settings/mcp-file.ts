import path from 'node:path';
import { applyEdits, modify, type Node } from 'jsonc-parser';
import { fault, ok, type Result } from '../../../shared/result';
import { layoutOf, propertiesOf, readRoot, refuse, withoutProperty } from './json-text';
import { userStateFile } from './state-servers';

/** The scope of a tool server: one user in one project, all who have the project, or one user everywhere. */
export type ServerScope = 'local' | 'project' | 'user';

/** The scopes, the strongest first. */
export const SERVER_SCOPES: readonly ServerScope[] = ['local', 'project', 'user'];

/** The object of a file in which the servers of a scope stand. */
export interface ServerPlace {
  readonly scope: ServerScope;
  readonly file: string;
  /** The names that lead to it from the top of the file. */
  readonly keys: readonly string[];
}

/** Returns where the servers of a scope stand. */
export function serverPlace(
  scope: ServerScope,
  at: { readonly project: string; readonly configDir: string; readonly home: string },
): ServerPlace {
  if (scope === 'project')
    return { scope, file: path.join(at.project, '.mcp.json'), keys: ['mcpServers'] };
  const file = userStateFile(at.configDir, at.home);
  const keys = scope === 'user' ? ['mcpServers'] : ['projects', at.project, 'mcpServers'];
  return { scope, file, keys };
}

/** Returns the text of a file with one more server, comments and layout kept; an error where one has that name. Pure. */
export function withNewServer(
  text: string,
  { file, keys }: ServerPlace,
  name: string,
  server: unknown,
): Result<string> {
  const read = readRoot(text, file);
  if (!read.ok) return read;
  const { bom, body, root, tree } = read.value;
  const found = objectAt(root, keys, file, tree.lineOf);
  if (!found.ok) return found;
  if (propertiesOf(found.value).some((one) => one.name === name)) {
    const message = `There is a server "${name}" in ${file} already. Nothing was changed.`;
    return { ok: false, error: fault('server_exists', message, REMOVE_FIRST) };
  }
  const formattingOptions = layoutOf(body);
  const edits = modify(body, [...keys, name], server, { formattingOptions });
  return ok(bom + applyEdits(body, edits));
}

const REMOVE_FIRST = 'Take it out first with lathe mcp remove, or choose another name.';

/** Returns the text of a file without a server, comments and layout kept; an error where none has that name. Pure. */
export function withoutServer(
  text: string,
  { file, keys }: ServerPlace,
  name: string,
): Result<string> {
  const read = readRoot(text, file);
  if (!read.ok) return read;
  const { bom, body, root, tree } = read.value;
  const found = objectAt(root, keys, file, tree.lineOf);
  if (!found.ok) return found;
  const servers = found.value;
  if (servers === null || !propertiesOf(servers).some((one) => one.name === name)) {
    const message = `There is no server "${name}" in ${file}.`;
    return { ok: false, error: fault('no_server', message, 'See lathe mcp list.') };
  }
  return ok(bom + withoutProperty(body, servers, name));
}

/** Finds an object by the names that lead to it; null where it is not there yet. */
function objectAt(
  root: Node,
  keys: readonly string[],
  file: string,
  lineOf: (offset: number) => number,
): Result<Node | null> {
  let node = root;
  for (const [depth, key] of keys.entries()) {
    const all = propertiesOf(node).filter(({ name }) => name === key);
    const [first, second] = all;
    if (first === undefined) return ok(null);
    const field = keys.slice(0, depth + 1).join('.');
    // Of two the later one counts for those who read the file, and a change would go into the first.
    if (second !== undefined) return refuse(file, `${field} is there twice`, lineOf(second.at));
    if (first.value.type !== 'object')
      return refuse(file, `${field} should be an object`, lineOf(first.at));
    node = first.value;
  }
  return ok(node);
}
