import { createHash } from 'node:crypto';
import path from 'node:path';
import type { RuleSource } from '../../../shared/permission';
import type { Files } from '../ports';
import { decodeText, propertiesOf, readJson } from './json-text';
import { withServers } from './mcp-servers';
import { emptyLayer, type SettingsLayer } from './read';

/** Longer state files are refused: other programs keep their history there too. */
const MAX_STATE_BYTES = 32 * 1024 * 1024;

/** Returns the state file of the ecosystem, which names the user's own servers. `configDir` is the user's folder of settings. */
export const userStateFile = (configDir: string, home: string): string =>
  configDir === path.join(home, '.claude')
    ? path.join(home, '.claude.json')
    : path.join(configDir, '.claude.json');

/** The servers that a state file names for one person. */
interface StateServers {
  /** The servers of one project, which only this person has. */
  readonly local: SettingsLayer;
  /** The servers of every project. */
  readonly user: SettingsLayer;
}

/** Reads the servers of a state file, and nothing else of it. A file that is not there names none. */
export async function readStateServers(
  files: Files,
  file: string,
  project: string,
): Promise<StateServers> {
  const local = emptyLayer('localSettings', file);
  const user = emptyLayer('userSettings', file);
  const bytes = await files.read(file, MAX_STATE_BYTES);
  if (bytes.ok) return stateServers(bytes.value, file, project);
  if (/^not_(found|directory)$/.test(bytes.error.code)) return { local, user };
  return { local, user: unread(user, undefined, bytes.error.message) };
}

/** Reads the servers in the bytes of a state file. Pure. */
function stateServers(bytes: Uint8Array | string, file: string, project: string): StateServers {
  const none = (source: RuleSource) => emptyLayer(source, file);
  const empty = { local: none('localSettings'), user: none('userSettings') };
  const body = decodeText(bytes).text;
  // Most of these files are long and name no server.
  if (!body.includes('"mcpServers"')) return empty;
  const tree = readJson(body);
  if (tree.fault !== null)
    return { ...empty, user: unread(empty.user, tree.fault.line, `${tree.fault.message}.`) };
  const one = (node: Parameters<typeof propertiesOf>[0], name: string) =>
    propertiesOf(node).findLast((property) => property.name === name);
  const layerOf = (source: RuleSource, node: Parameters<typeof propertiesOf>[0]) => {
    const servers = propertiesOf(node).filter(({ name }) => name === 'mcpServers');
    if (servers.length === 0) return none(source);
    const layer = withServers(none(source), servers, tree);
    const digest = createHash('sha256').update(JSON.stringify(layer.fields)).digest('base64url');
    return { ...layer, digest };
  };
  const own = one(one(tree.root, 'projects')?.value, project)?.value;
  return { local: layerOf('localSettings', own), user: layerOf('userSettings', tree.root) };
}

const unread = (layer: SettingsLayer, line: number | undefined, why: string): SettingsLayer => {
  const { file } = layer;
  const place = line === undefined ? file : `${file}, line ${line}`;
  const message = `${place}: ${why} No server of it is started.`;
  return { ...layer, problems: [{ file, message, level: 'error' }] };
};
