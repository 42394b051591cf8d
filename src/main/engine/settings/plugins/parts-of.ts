import { join } from 'node:path';
import type { Node } from 'jsonc-parser';
import type { SettingsProblem } from '../../../../shared/settings';
import type { Files } from '../../ports';
import { propertiesOf } from '../json-text';
import { pathInside } from './folder';
import { type JsonObject, readJsonObject } from './plugin-json';

/** An object that a manifest holds, or names the file of, and the field that does so. */
export interface Part {
  readonly object: JsonObject;
  readonly node: Node;
}

interface PartPlaces {
  readonly files: Files;
  readonly root: string;
  readonly problems: SettingsProblem[];
  /** The usual places count. */
  readonly usual: boolean;
}

/** Returns the objects of a field: in the manifest itself, in files that it names, and in the usual file. */
export async function partsOf(
  { files, root, problems, usual: countsUsual }: PartPlaces,
  manifests: readonly JsonObject[],
  field: string,
  usual: string,
): Promise<readonly Part[]> {
  const parts: Part[] = [];
  const seen = new Set<string>();
  const take = async (path: string) => {
    if (seen.has(path)) return;
    seen.add(path);
    const object = await readJsonObject(files, path, problems);
    if (object === null) return;
    const inner = propertiesOf(object.root).findLast(({ name }) => name === field)?.value;
    parts.push({ object, node: inner ?? object.root });
  };
  const usualFile = join(root, usual);
  if (countsUsual && (await files.stat(usualFile)).ok) await take(usualFile);
  for (const manifest of manifests) {
    const node = propertiesOf(manifest.root).findLast(({ name }) => name === field)?.value;
    if (node?.type === 'object') parts.push({ object: manifest, node });
    else {
      for (const named of manifest.texts(field) ?? []) {
        const path = pathInside(root, named);
        if (path === null) manifest.tell(field, `"${named}" leads out of the plugin`);
        else await take(path);
      }
    }
  }
  return parts;
}
