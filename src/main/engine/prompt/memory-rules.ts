import { isAbsolute, join, relative } from 'node:path';
import picomatch from 'picomatch';
import { nearestName } from '../../../shared/nearest-name';
import type { SettingsProblem } from '../../../shared/settings';
import type { Files } from '../ports';
import {
  type Frontmatter,
  fieldProblem,
  readFrontmatter,
  textProblems,
} from '../settings/frontmatter';
import { findFiles } from '../settings/markdown-files';

/** A file of `.claude/rules/`: instructions of their own, and the files that they are for. */
export interface MemoryRule {
  readonly path: string;
  readonly kind: 'user' | 'project';
  /** Globs from the project; empty: for all work. */
  readonly globs: readonly string[];
  /** The file without its fields. */
  readonly body: string;
}

/** The largest file of rules that is read. Bytes. */
const MAX_RULE_BYTES = 512 * 1024;

/**
 * Reads the rules of a folder, sorted by name. `within`: the project that no link may lead out of; null for the user's own.
 * One whose `paths` cannot be read holds for all work, and that is told.
 */
export async function readMemoryRules(
  files: Files,
  folder: string,
  within: string | null,
): Promise<{
  readonly rules: readonly MemoryRule[];
  readonly problems: readonly SettingsProblem[];
}> {
  const root = join(folder, 'rules');
  const found = await findFiles(files, root, { within, picks: (name) => name.endsWith('.md') });
  const kind = within === null ? 'user' : 'project';
  const read = await Promise.all(
    found.files.map(async ({ path }) => {
      const problems: SettingsProblem[] = [];
      const bytes = await files.read(path, MAX_RULE_BYTES);
      if (!bytes.ok) {
        const why = `left out: ${bytes.error.message.replace(/\.$/, '')}`;
        return { rules: [], problems: [fieldProblem(path, '', why)] };
      }
      const front = await readFrontmatter(bytes.value);
      const { fields, body, lineOf, fault } = front;
      if (fault !== null)
        problems.push(
          fieldProblem(path, '', `${fault.message}; it holds for all work`, fault.line),
        );
      problems.push(...textProblems(path, front.remarks), ...misnamed(path, front));
      const globs = globsOf(fields.get('paths'));
      if (globs === null)
        problems.push(
          fieldProblem(path, 'paths', 'globs are expected; it holds for all work', lineOf('paths')),
        );
      return { rules: [{ path, kind, globs: globs ?? [], body } as const], problems };
    }),
  );
  // In the order of the files, whichever was read first.
  const problems = [...found.problems, ...read.flatMap((one) => one.problems)];
  return { rules: read.flatMap((one) => one.rules), problems };
}

/** Returns the rules that wait for one of these files, by their absolute paths. Pure. */
export function rulesDue(
  rules: readonly MemoryRule[],
  project: string,
  files: readonly string[],
): readonly MemoryRule[] {
  const own = files
    .map((file) => relative(project, file))
    .filter((way) => way !== '' && !isAbsolute(way) && !/^\.\.([\\/]|$)/.test(way));
  if (own.length === 0) return [];
  return rules.filter(({ globs }) => {
    // A glob without a slash is about names, wherever the file lies.
    const whole = globs.map((glob) => (glob.includes('/') ? glob : `**/${glob}`));
    const fits = picomatch(whole, { dot: true });
    return own.some((way) => fits(way));
  });
}

/** Returns the globs of a field: a list, or a text with commas outside of braces; null when one is none. Pure. */
function globsOf(value: unknown): readonly string[] | null {
  if (value === undefined) return [];
  const items = typeof value === 'string' ? value.split(/,(?![^{]*\})/) : value;
  if (!Array.isArray(items) || !items.every((item) => typeof item === 'string')) return null;
  const globs = items.map((item: string) => item.trim()).filter((item) => item !== '');
  return globs.length > 0 && globs.every(closesItsBrackets) ? globs : null;
}

/** Names by which other programs mean the same. */
const ALSO_PATHS = /^(?:globs?|files?|apply-?to)$/i;

/** Returns which fields of a rule have no name, or mean its paths and are called otherwise. Pure. */
function misnamed(file: string, { fields, lineOf, odd }: Frontmatter): readonly SettingsProblem[] {
  const meansPaths = (name: string) =>
    ALSO_PATHS.test(name) || nearestName(name, ['paths']) !== null;
  const named = [...fields.keys()].filter((name) => name !== 'paths' && meansPaths(name));
  const tell = (name: string, words: string, line: number) => {
    const instead = fields.has('paths') || !meansPaths(name) ? '' : '; it holds for all work';
    return fieldProblem(file, name, `${words}${instead}`, line);
  };
  return [
    ...named.map((name) =>
      tell(name, 'there is no such field (did you mean "paths"?)', lineOf(name)),
    ),
    ...odd.map(({ name, line }) => tell(name, 'this is no name of a field', line)),
  ];
}

/** Tells whether a glob ends no list, text or choice too early: `[`, `["a`. */
const closesItsBrackets = (glob: string): boolean =>
  !/^["']/.test(glob) &&
  ['[]', '{}'].every(
    ([open = '', close = '']) => glob.split(open).length === glob.split(close).length,
  );
