import { basename, join } from 'node:path';
import type { Files } from '../ports';
import { findPluginFiles } from '../settings/plugins/plugin-files';
import type { Plugin } from '../settings/plugins/read-plugin';
import { BUILT_IN_STYLES, DEFAULT_STYLE, type OutputStyle } from './built-in-styles';

/** Larger files are no styles. */
const MAX_STYLE_BYTES = 64 * 1024;
/** More files than these are not looked at. */
const MAX_STYLES = 200;

/** The folders of a person's and a project's styles. */
export interface StylePlaces {
  readonly project: string;
  /** `~/.claude` or what stands for it. */
  readonly userFolder: string;
  /** The folder is trusted. */
  readonly includeProject: boolean;
  readonly plugins?: readonly Plugin[];
}

/** A chosen style, and what to tell the person when it is not the one they named. */
export interface ChosenStyle {
  readonly style: OutputStyle;
  readonly problem: string | null;
}

/** Reads the style in a file; a name that is missing is the file's. Pure. */
export function styleOf(file: string, text: string): OutputStyle {
  const { fields, body } = readFrontmatter(text);
  return {
    name: fields.get('name') || basename(file, '.md'),
    description: fields.get('description') ?? '',
    text: body,
    keepsCoding: fields.get('keep-coding-instructions') === 'true',
  };
}

/**
 * Finds the style of a name, in any case: the project's goes before the person's, theirs before Lathe's own. One that
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
    return { style: forced?.style ?? DEFAULT_STYLE, problem: null };
  }
  if (name === 'default') return { style: DEFAULT_STYLE, problem: null };
  const all = await stylesOf(files, places, plugged);
  const style = all.find((one) => one.name.toLowerCase() === name);
  if (style) return { style, problem: null };
  const names = [...new Set(all.map((one) => one.name))].join(', ');
  const problem = `There is no output style "${wish?.trim()}"; the usual one is used. There are: ${names}.`;
  return { style: DEFAULT_STYLE, problem };
}

/** Returns the names of the styles to choose from, the usual one first. Never fails. */
export async function styleNames(files: Files, places: StylePlaces): Promise<readonly string[]> {
  const all = await stylesOf(files, places);
  const others = all.map(({ name }) => name).filter((name) => name !== DEFAULT_STYLE.name);
  return [...new Set(['default', ...others])];
}

/** Returns the styles that can be chosen, strongest first. */
async function stylesOf(
  files: Files,
  places: StylePlaces,
  known?: Awaited<ReturnType<typeof stylesOfPlugins>>,
): Promise<readonly OutputStyle[]> {
  const folders = [
    ...(places.includeProject ? [join(places.project, '.claude', 'output-styles')] : []),
    join(places.userFolder, 'output-styles'),
  ];
  const found = await Promise.all(folders.map((folder) => stylesIn(files, folder)));
  const plugged = known ?? (await stylesOfPlugins(files, places.plugins ?? []));
  return [...found.flat(), ...plugged.map(({ style }) => style), ...BUILT_IN_STYLES];
}

async function stylesIn(files: Files, folder: string): Promise<readonly OutputStyle[]> {
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
      return bytes.ok ? [styleOf(file, new TextDecoder().decode(bytes.value))] : [];
    }),
  );
  return read.flat();
}

/** Returns the styles that plugins bring, and which of them hold without being chosen. */
async function stylesOfPlugins(files: Files, plugins: readonly Plugin[]) {
  const { files: listed } = await findPluginFiles(files, plugins, 'outputStyles');
  const read = await Promise.all(
    listed.slice(0, MAX_STYLES).map(async ({ file, plugin }) => {
      const bytes = await files.read(file.path, MAX_STYLE_BYTES);
      if (!bytes.ok) return [];
      const text = new TextDecoder().decode(bytes.value);
      const style = styleOf(file.path, text);
      const isForced = readFrontmatter(text).fields.get('force-for-plugin') === 'true';
      return [{ style: { ...style, name: `${plugin.name}:${style.name}` }, isForced }];
    }),
  );
  return read.flat();
}

/** A Markdown file with what stands between its first two `---` lines. */
export interface Frontmatter {
  /** Single values by name in lower case; lists and nested values are left out. */
  readonly fields: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Takes a file apart. Without a closed front part all of it is body. Pure. */
export function readFrontmatter(text: string): Frontmatter {
  const parts = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)---[ \t]*(?:\r?\n|$)([\s\S]*)$/m.exec(
    text,
  );
  if (parts === null || parts.index !== 0) return { fields: new Map(), body: text.trim() };
  const fields = new Map<string, string>();
  for (const line of (parts[1] ?? '').split(/\r?\n/)) {
    const field = /^([A-Za-z][\w-]*)[ \t]*:[ \t]*(\S.*)$/.exec(line);
    if (field) fields.set((field[1] ?? '').toLowerCase(), plain(field[2] ?? ''));
  }
  return { fields, body: (parts[2] ?? '').trim() };
}

/** Removes the quotes of a value, or the comment behind it. */
function plain(value: string): string {
  const quoted = /^(["'])(.*)\1[ \t]*(?:#.*)?$/.exec(value.trim());
  return quoted ? (quoted[2] ?? '') : value.replace(/[ \t]+#.*$/, '').trim();
}
