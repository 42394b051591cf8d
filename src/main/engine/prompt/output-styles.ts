import { basename, join } from 'node:path';
import { nearestName } from '../../../shared/nearest-name';
import { plainLine } from '../../../shared/plain-line';
import type { Files } from '../ports';
import { fieldProblem, readFrontmatter } from '../settings/frontmatter';
import { findPluginFiles } from '../settings/plugins/plugin-files';
import type { Plugin } from '../settings/plugins/read-plugin';
import { BUILT_IN_STYLES, DEFAULT_STYLE, type OutputStyle } from './built-in-styles';

/** Larger files are no styles. */
const MAX_STYLE_BYTES = 64 * 1024;
/** More names are not told with a wrong one. Characters. */
const MAX_NAMES_CHARS = 500;
/** More files than these are not looked at. */
const MAX_STYLES = 200;

/** The folders of a user's and a project's styles. */
export interface StylePlaces {
  readonly project: string;
  /** `~/.claude` or what stands for it. */
  readonly userFolder: string;
  /** The folder is trusted. */
  readonly includeProject: boolean;
  readonly plugins?: readonly Plugin[];
}

/** A chosen style, and what to tell the user when it is not the one they named. */
export interface ChosenStyle {
  readonly style: OutputStyle;
  readonly problem: string | null;
}

/** A style of a file. */
interface ReadStyle {
  readonly style: OutputStyle;
  /** Fields that are not used as written, told with a style that is chosen. Absent: none. */
  readonly odd?: string;
  /** A plugin's style that holds without being chosen. */
  readonly isForced: boolean;
  /** The reason that its fields could not be read; its text counts all the same. */
  readonly problem: string | null;
  /** Its file could not be read, so that the usual one stands for it. */
  readonly isUnread?: true;
}

/** Reads the style in a file; a name that is missing is the file's. */
export async function readStyle(file: string, content: Uint8Array | string): Promise<ReadStyle> {
  const { fields, body, fault, lineOf } = await readFrontmatter(content);
  const byName = new Map([...fields].map(([name, value]) => [name.toLowerCase(), value]));
  const textOf = (field: string) => String(byName.get(field) ?? '').trim();
  return {
    style: {
      name: textOf('name') || basename(file, '.md'),
      description: textOf('description'),
      text: body,
      keepsCoding: textOf('keep-coding-instructions') === 'true',
    },
    isForced: textOf('force-for-plugin') === 'true',
    problem: fault === null ? null : `${file}, line ${fault.line}: ${fault.message}.`,
    ...oddFields(file, fields, lineOf),
  };
}

const SWITCHES = ['keep-coding-instructions', 'force-for-plugin'];
const FIELDS = ['name', 'description', ...SWITCHES];

/** Returns what is wrong with the fields of a style, in sentences. Pure. */
function oddFields(
  file: string,
  fields: ReadonlyMap<string, unknown>,
  lineOf: (name: string) => number,
): Pick<ReadStyle, 'odd'> {
  const found = [...fields].flatMap(([written, value]) => {
    const name = written.toLowerCase();
    const meant = FIELDS.includes(name) ? null : nearestName(name, FIELDS);
    const words =
      meant !== null
        ? `there is no such field (did you mean "${meant}"?)`
        : SWITCHES.includes(name) &&
            typeof value !== 'boolean' &&
            !/^(?:true|false)$/.test(String(value).trim())
          ? 'true or false is expected'
          : null;
    return words === null ? [] : fieldProblem(file, written, words, lineOf(written)).message;
  });
  return found.length === 0 ? {} : { odd: found.join(' ') };
}

/**
 * Finds the style of a name, in any case: the project's goes before the user's, theirs before Lathe's own. One that
 * is nowhere is replaced by the usual one, and said so. Never fails.
 */
export async function chooseStyle(
  files: Files,
  places: StylePlaces,
  wish: string | undefined,
): Promise<ChosenStyle> {
  const name = wish?.trim().toLowerCase() ?? '';
  const plugged = await stylesOfPlugins(files, places.plugins ?? []);
  if (name === '') {
    const forced = plugged.find(({ isForced }) => isForced);
    return forced === undefined ? { style: DEFAULT_STYLE, problem: null } : chosen(forced);
  }
  if (name === 'default') return { style: DEFAULT_STYLE, problem: null };
  const all = await stylesOf(files, places, plugged);
  const found = all.find(({ style }) => style.name.toLowerCase() === name);
  if (found) return chosen(found);
  const names = plainLine([...new Set(namesOf(all))].join(', '), MAX_NAMES_CHARS);
  const problems = all.flatMap(({ problem }) => problem ?? []);
  const missing = `There is no output style "${wish?.trim()}"; the usual one is used. There are: ${names}.`;
  return { style: DEFAULT_STYLE, problem: [missing, ...problems].join(' ') };
}

const chosen = ({ style, problem, odd }: ReadStyle): ChosenStyle => ({
  style,
  problem: problem ?? odd ?? null,
});

/** Returns the names of the styles to choose from, the usual one first. Never fails. */
export async function styleNames(files: Files, places: StylePlaces): Promise<readonly string[]> {
  const all = await stylesOf(files, places);
  const others = namesOf(all).filter((name) => name !== DEFAULT_STYLE.name);
  return [...new Set(['default', ...others])];
}

const namesOf = (styles: readonly ReadStyle[]): readonly string[] =>
  styles.flatMap(({ style, isUnread }) => (isUnread ? [] : style.name));

/** Returns a style whose file cannot be read, under the name of that. */
const unread = (file: string, why: string): ReadStyle => ({
  style: { ...DEFAULT_STYLE, name: basename(file, '.md') },
  isForced: false,
  problem: `${file} is not used as an output style, so the usual one is: ${why}`,
  isUnread: true,
});

/** Returns the styles that can be chosen, strongest first. */
async function stylesOf(
  files: Files,
  places: StylePlaces,
  known?: readonly ReadStyle[],
): Promise<readonly ReadStyle[]> {
  const folders = [
    ...(places.includeProject ? [join(places.project, '.claude', 'output-styles')] : []),
    join(places.userFolder, 'output-styles'),
  ];
  const found = await Promise.all(folders.map((folder) => stylesIn(files, folder)));
  const plugged = known ?? (await stylesOfPlugins(files, places.plugins ?? []));
  const builtIn = BUILT_IN_STYLES.map((style) => ({ style, isForced: false, problem: null }));
  return [...found.flat(), ...plugged, ...builtIn];
}

async function stylesIn(files: Files, folder: string): Promise<readonly ReadStyle[]> {
  const listed = await files.list(folder);
  if (!listed.ok) return [];
  const names = listed.value
    .filter((entry) => entry.kind !== 'directory' && entry.name.endsWith('.md'))
    .map((entry) => entry.name)
    .sort()
    .slice(0, MAX_STYLES);
  const read = await Promise.all(
    names.map(async (name) => {
      const file = join(folder, name);
      const bytes = await files.read(file, MAX_STYLE_BYTES);
      return bytes.ok ? readStyle(file, bytes.value) : unread(file, bytes.error.message);
    }),
  );
  return read;
}

/** Returns the styles that plugins bring, under the name of their plugin. */
async function stylesOfPlugins(
  files: Files,
  plugins: readonly Plugin[],
): Promise<readonly ReadStyle[]> {
  const { files: listed } = await findPluginFiles(files, plugins, 'outputStyles');
  const read = await Promise.all(
    listed.slice(0, MAX_STYLES).map(async ({ file, plugin }) => {
      const bytes = await files.read(file.path, MAX_STYLE_BYTES);
      if (!bytes.ok) return [];
      const read = await readStyle(file.path, bytes.value);
      const name = `${plugin.name}:${read.style.name}`;
      return [{ ...read, style: { ...read.style, name } }];
    }),
  );
  return read.flat();
}
