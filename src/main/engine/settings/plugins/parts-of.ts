import { join } from 'node:path';
import type { Node } from 'jsonc-parser';
import type { SettingsProblem } from '../../../../shared/settings';
import type { Files } from '../../ports';
import { allNamed, decodeText, propertiesOf, readJson } from '../json-text';
import { lostPlace } from '../lost-place';
import { holdsGuards, holdsHooks } from '../restricting-keys';
import { pathInside } from './folder';
import { type JsonObject, MAX_JSON_BYTES, pluginProblem, readJsonObject } from './plugin-json';

/** An object that a manifest holds, or names the file of, and the field that does so. */
export interface Part {
  readonly object: JsonObject;
  readonly node: Node;
}

/** The place of the parts of a plugin. */
export interface PartPlaces {
  readonly files: Files;
  readonly root: string;
  readonly problems: SettingsProblem[];
  /** The usual places count. */
  readonly usual: boolean;
}

/** Called for what a field means and that cannot be read; it was told. */
type OnUnread = (file: string) => void;

/** Returns the objects of a field: in the manifest itself, in files that it names, and in the usual file. */
export async function partsOf(
  { files, root, problems, usual: countsUsual }: PartPlaces,
  manifests: readonly JsonObject[],
  field: string,
  usual: string,
  onUnread: OnUnread = () => {},
): Promise<readonly Part[]> {
  const parts: Part[] = [];
  const seen = new Set<string>();
  const take = async (path: string) => {
    if (seen.has(path)) return;
    seen.add(path);
    const object = await readJsonObject(files, path, problems);
    if (object === null) return onUnread(path);
    const inner = countedOf(object.root, field);
    for (const node of inner.length > 0 ? inner : [object.root]) parts.push({ object, node });
  };
  const usualFile = join(root, usual);
  if (countsUsual) {
    const isThere = (await files.stat(usualFile)).ok;
    const why = isThere ? null : await lostPlace(usualFile, files, standsForHooks(files));
    if (isThere) await take(usualFile);
    else if (why !== null) {
      problems.push(pluginProblem(usualFile, '', why.replace(/\.$/, '')));
      onUnread(usualFile);
    }
  }
  for (const manifest of manifests) {
    const objects = countedOf(manifest.root, field).filter(({ type }) => type === 'object');
    if (objects.length > 0) for (const node of objects) parts.push({ object: manifest, node });
    else {
      const paths = manifest.texts(field);
      const given = countedOf(manifest.root, field);
      if (paths === undefined && given.some(holdsHooks)) onUnread(manifest.file);
      for (const named of paths ?? []) {
        const path = pathInside(root, named);
        if (path !== null) await take(path);
        else {
          manifest.tell(field, `"${named}" leads out of the plugin`);
          onUnread(manifest.file);
        }
      }
    }
  }
  return parts;
}

/**
 * Returns a test of whether a file in the place of the folder of hooks stands for it: it holds hooks that may be guards, or
 * the target of a link, which is one line without an end.
 */
const standsForHooks =
  (files: Pick<Files, 'read'>) =>
  async (file: string): Promise<boolean> => {
    const bytes = await files.read(file, MAX_JSON_BYTES);
    if (!bytes.ok) return true;
    const { text } = decodeText(bytes.value);
    if (!text.trimStart().startsWith('{')) return /^[^\r\n]+$/.test(text);
    const { root, fault } = readJson(text);
    return fault !== null || propertiesOf(root).some(holdsGuards);
  };

/** Returns the values of a field that count: the last one; of hooks, which may be guards, all. */
const countedOf = (root: Node, field: string): readonly Node[] =>
  allNamed(root, field).slice(field === 'hooks' ? 0 : -1);
