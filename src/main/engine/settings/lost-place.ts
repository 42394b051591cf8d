import path from 'node:path';
import type { DirectoryEntry, Files } from '../ports';

type Lists = Pick<Files, 'list'>;
/** A name, and those of what lies below it. */
type Names = readonly [string, ...string[]];

/** Tells whether a name means a file of JSON, but for its letters or an ending of other notations. `*.json` is any. */
function isMeant(name: string, wanted: string): boolean {
  const written = name.toLowerCase().replace(/\.json[c5]$/, '.json');
  return wanted === '*.json' ? written.endsWith('.json') : written === wanted.toLowerCase();
}

/**
 * Returns why a file that cannot be found is meant to be there all the same: a link stands in its place or in that of its
 * folder, or a file in that of the folder, as Git writes links where there are none; or its name is written otherwise. Null:
 * nobody put it there. `counts` tells whether a file in the place of a folder does.
 */
export const lostPlace = (
  file: string,
  files: Lists,
  counts: (inPlace: string) => Promise<boolean> = async () => true,
): Promise<string | null> => lostIn(path.dirname(file), [path.basename(file)], files, counts);

async function lostIn(
  folder: string,
  names: Names,
  files: Lists,
  counts: (inPlace: string) => Promise<boolean>,
): Promise<string | null> {
  const listed = await files.list(folder);
  if (!listed.ok) {
    const above = path.dirname(folder);
    const below: Names = [path.basename(folder), ...names];
    return above === folder ? null : lostIn(above, below, files, counts);
  }
  const [wanted, ...inner] = names;
  const place = path.join(folder, wanted);
  const isFolder = inner.length > 0;
  const found = listed.value.find(({ name }) => name === wanted);
  if (found === undefined) {
    const meant = await meantAmong(listed.value, folder, names, files);
    return (
      meant && `${path.join(folder, meant)} is there, and its name has to be written ${wanted}.`
    );
  }
  if (found.kind === 'link')
    return isFolder ? `${place} is a link that leads to no folder.` : 'it is a link to nothing.';
  return isFolder && found.kind === 'file' && (await counts(place))
    ? `${place} is a file, and a folder is expected.`
    : null;
}

/** Returns the name by which a file or a folder of it is meant. A folder without the file is another one. */
async function meantAmong(
  entries: readonly DirectoryEntry[],
  folder: string,
  [wanted, ...inner]: Names,
  files: Lists,
): Promise<string | null> {
  const [first, ...further] = inner;
  for (const { name, kind } of entries) {
    if (!isMeant(name, wanted) || (kind === 'directory') !== (first !== undefined)) continue;
    if (first === undefined) return name;
    const at = path.join(folder, name);
    const listed = await files.list(at);
    if (!listed.ok || (await meantAmong(listed.value, at, [first, ...further], files)) !== null)
      return name;
  }
  return null;
}
