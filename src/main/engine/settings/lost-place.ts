import path from 'node:path';
import type { Files } from '../ports';

/** Tells whether a name means a file of JSON, but for its letters or an ending of other notations. */
const isMeant = (name: string, wanted: string): boolean =>
  name.toLowerCase().replace(/\.json[c5]$/, '.json') === wanted.toLowerCase();

/**
 * Returns why a file that cannot be found is meant to be there all the same: a link stands in its place or in that of its
 * folder, or a file in that of the folder, as Git writes links where there are none; or its name is written otherwise. Null:
 * nobody put it there.
 */
export async function lostPlace(
  file: string,
  files: Pick<Files, 'list'>,
  isFolder = false,
): Promise<string | null> {
  const folder = path.dirname(file);
  const listed = await files.list(folder);
  if (!listed.ok) return folder === file ? null : lostPlace(folder, files, true);
  const found = listed.value.find(({ name }) => name === path.basename(file));
  if (found === undefined) {
    const meant = listed.value.find(
      ({ name, kind }) => isMeant(name, path.basename(file)) && (kind === 'directory') === isFolder,
    );
    if (meant !== undefined)
      return `${path.join(folder, meant.name)} is there, and its name has to be written ${path.basename(file)}.`;
  }
  if (found?.kind === 'link')
    return isFolder ? `${file} is a link that leads to no folder.` : 'it is a link to nothing.';
  return isFolder && found?.kind === 'file' ? `${file} is a file, and a folder is expected.` : null;
}
