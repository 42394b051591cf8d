import { createHash } from 'node:crypto';
import path from 'node:path';
import type { RuleSource } from '../../../shared/permission';
import type { Files } from '../ports';
import { repeatedNames } from './json-oddities';
import { decodeText, propertiesOf, readJson } from './json-text';
import { type KeyRemark, remarkProblems, unknownServerKeys } from './known-keys';
import { lostPlace } from './lost-place';
import { withServers } from './mcp-servers';
import { EMPTY, emptyLayer, type SettingsLayer, withProblem } from './read';

/** Longer state files are refused: other programs keep their history there too. */
const MAX_STATE_BYTES = 32 * 1024 * 1024;

/** Returns the state file of the ecosystem, which names the user's own servers. `configDir` is the user's folder of settings. */
export const userStateFile = (configDir: string, home: string): string =>
  configDir === path.join(home, '.claude')
    ? path.join(home, '.claude.json')
    : path.join(configDir, '.claude.json');

/** The servers that a state file names for one user. */
interface StateServers {
  /** The servers of one project, which only this user has. */
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
  if (!/^not_(found|directory)$/.test(bytes.error.code))
    return { local, user: unread(user, undefined, bytes.error.message) };
  const why = await lostPlace(file, files);
  return { local, user: why === null ? user : unread(user, undefined, why) };
}

/** Reads the servers in the bytes of a state file. Pure. */
function stateServers(bytes: Uint8Array | string, file: string, project: string): StateServers {
  const none = (source: RuleSource) => emptyLayer(source, file);
  const empty = { local: none('localSettings'), user: none('userSettings') };
  const { text: body, oddity } = decodeText(bytes);
  if (body.trim() === '') return { ...empty, user: withProblem(empty.user, EMPTY) };
  // Most of these files are long and name no server; one that is cut off may have named some.
  if (!body.includes('"mcpServers"') && /^\s*\{.*\}\s*$/s.test(body)) return empty;
  const tree = readJson(body);
  if (tree.fault !== null)
    return { ...empty, user: unread(empty.user, tree.fault.line, `${tree.fault.message}.`) };
  const layerOf = (source: RuleSource, found: Found) => {
    const objects = propertiesOf(found.value).filter(({ name }) => name === 'mcpServers');
    const { remarks } = inside(found, 'mcpServers');
    const odd = objects.flatMap(({ value }) => [
      ...unknownServerKeys(value),
      ...repeatedNames(value, 'mcpServers'),
    ]);
    const problems = remarkProblems(file, tree, [...remarks, ...odd]);
    const layer = { ...none(source), problems };
    const notText = objects.flatMap(({ value: { offset, length } }) => {
      const at = body.slice(offset, offset + length).search(/[\0\uFFFD]/);
      return at < 0 ? [] : offset + at;
    });
    const [first] = notText;
    if (first !== undefined) return unread(layer, tree.lineOf(first), 'this is not UTF-8 text.');
    if (objects.length === 0) return layer;
    const read = withServers(layer, objects, tree);
    const digest = createHash('sha256').update(JSON.stringify(read.fields)).digest('base64url');
    return { ...read, digest };
  };
  const top: Found = { value: tree.root, remarks: [] };
  const own = below(below(top, 'projects'), project);
  const user = layerOf('userSettings', top);
  return {
    local: layerOf('localSettings', own),
    user: oddity === null ? user : withProblem(user, oddity),
  };
}

/** A value of the file, and what was odd on the way to it. */
interface Found {
  readonly value: Parameters<typeof propertiesOf>[0];
  readonly remarks: readonly KeyRemark[];
}

/** Finds a property of a value: the last of its name, and a remark where it is not the only one. */
function inside({ value, remarks }: Found, name: string) {
  const [first, ...more] = propertiesOf(value).filter((one) => one.name === name);
  const last = more.at(-1);
  if (last === undefined) return { value: first, remarks };
  const message = 'the name stands here more than once; the last one counts';
  return { value: last, remarks: [...remarks, { at: last.at, field: name, message }] };
}

function below(found: Found, name: string): Found {
  const { value, remarks } = inside(found, name);
  return { value: value?.value, remarks };
}

const unread = (layer: SettingsLayer, line: number | undefined, why: string): SettingsLayer => {
  const { file } = layer;
  const place = line === undefined ? file : `${file}, line ${line}`;
  const message = `${place}: ${why} No server of it is started.`;
  const at = line === undefined ? {} : { line };
  return { ...layer, problems: [{ file, ...at, message, level: 'error' }] };
};
