import { basename, join } from 'node:path';
import type { SettingsProblem } from '../../../../shared/settings';
import type { Files } from '../../ports';
import { lostPlace } from '../lost-place';
import { type JsonObject, objectOf, pluginProblem, readJsonObject } from './plugin-json';

/** The names that a plugin and a marketplace can have. */
export const PLUGIN_NAME = /^[a-z0-9][\w.-]{0,63}$/i;

/** The file that says what a plugin is. */
export const manifestOf = (root: string): string => join(root, '.claude-plugin', 'plugin.json');

/** The objects that say what a plugin is and holds. */
export interface Manifests {
  /** Says what it is. */
  readonly manifest: JsonObject;
  /** May name its parts. */
  readonly all: readonly JsonObject[];
  /** Parts in the usual places count, too. */
  readonly usual: boolean;
  /** The files that are meant to be such objects and are not read; they were told. */
  readonly unread: readonly string[];
}

/** The fields that name parts of a plugin. */
const PARTS = [
  ...['skills', 'commands', 'agents', 'hooks', 'mcpServers', 'outputStyles'],
  ...['lspServers', 'workflows'],
];
/** The places that make a folder a plugin when nothing says what it is. */
const USUAL_PARTS = [
  'skills',
  'commands',
  'agents',
  'hooks/hooks.json',
  '.mcp.json',
  '.lsp.json',
  'output-styles',
];

/**
 * Reads what a folder says of itself, and `entry` of its marketplace, which may say everything (`strict: false`). A folder with
 * parts and without a manifest is called by its own name. Null with a problem when it is no plugin.
 */
export async function readManifests(
  files: Files,
  root: string,
  entry: JsonObject | null,
  problems: SettingsProblem[],
): Promise<Manifests | null> {
  const file = manifestOf(root);
  const there = await files.stat(file);
  const isMissing = !there.ok && there.error.code === 'not_found';
  const isWhole = entry?.value['strict'] === false;
  const usual = !isWhole || partIn(entry) === undefined;
  const why = isMissing ? await lostPlace(file, files) : null;
  if (why !== null) problems.push(pluginProblem(file, '', why.replace(/\.$/, '')));
  const unread = why === null ? [] : [file];
  if (isMissing && entry !== null) return { manifest: entry, all: [entry], usual, unread };
  const isUnnamed = isMissing && (await holdsParts(files, root));
  if (why !== null && !isUnnamed) return null;
  const manifest = isUnnamed
    ? objectOf(JSON.stringify({ name: basename(root) }), file, problems)
    : await readJsonObject(files, file, problems);
  if (manifest === null) return null;
  const part = isWhole ? partIn(manifest) : undefined;
  if (part !== undefined) {
    const why = 'its marketplace says all that is in it ("strict": false), so this may not';
    manifest.tell(part, why, 'error');
    return null;
  }
  return { manifest, all: entry === null ? [manifest] : [manifest, entry], usual, unread };
}

/** Returns the first field of an object that names a part. */
const partIn = ({ value }: JsonObject): string | undefined =>
  PARTS.find((field) => value[field] !== undefined);

async function holdsParts(files: Pick<Files, 'stat'>, root: string): Promise<boolean> {
  const found = await Promise.all(USUAL_PARTS.map((place) => files.stat(join(root, place))));
  return PLUGIN_NAME.test(basename(root)) && found.some(({ ok }) => ok);
}
