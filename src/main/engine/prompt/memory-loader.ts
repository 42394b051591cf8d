import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import picomatch from 'picomatch';
import type { OutsideImport } from '../../../shared/memory';
import type { SettingsProblem } from '../../../shared/settings';
import { isReadRestricted } from '../permissions/decide-file';
import type { DecisionContext } from '../permissions/request';
import { createRuleSet, type RuleSet } from '../permissions/rule-set';
import { readRules } from '../permissions/rules';
import type { Files } from '../ports';
import { remarksOn, textProblems } from '../settings/frontmatter';
import { decodeText } from '../settings/json-text';
import { beginningOfIndex, INDEX_LIMIT } from './auto-memory';
import type { MemoryPlaces } from './memory-places';
import type { MemoryRule } from './memory-rules';
import {
  importsOf,
  isInside,
  misspelledNames,
  problemOf,
  shownPath,
  withoutComments,
} from './memory-text';

/** One file of instructions, as it goes to the model. */
export interface MemoryFile {
  readonly path: string;
  readonly kind: 'managed' | 'user' | 'auto' | 'project' | 'local' | 'import';
  readonly text: string;
  /** The file that imports it. */
  readonly importedBy?: string;
  /** The globs of the files that it is for; absent: all work. */
  readonly globs?: readonly string[];
}

/** The files that were loaded, and what was left out of them or cut, and why. */
export interface LoadedMemory {
  readonly files: readonly MemoryFile[];
  readonly problems: readonly SettingsProblem[];
  /** Files that `claudeMdExcludes` takes out. Absent: none. */
  readonly excluded?: readonly string[];
  /** Files outside the project that its memory imports. Absent: none. */
  readonly outside?: readonly OutsideImport[];
  /** Rules that wait until one of their files was read. Absent: none. */
  readonly waiting?: readonly MemoryRule[];
}

/** The depth of imports of memory files (docs/configuration.md). */
const MAX_IMPORT_DEPTH = 4;
/** Imports that are looked at, all files together: more are a mistake. */
const MAX_IMPORTS = 500;
/** More problems are not told one by one. */
const MAX_PROBLEMS = 100;
export const MAX_FILE_BYTES = 4 * 1024 * 1024;
/** All memory together, so that it never fills the window. Characters; about 40 000 tokens. */
export const MAX_TOTAL_CHARS = 160_000;

/** A file that imports another, and the files that imported it in turn, as real paths, nearest last. */
interface Importer {
  readonly path: string;
  readonly chain: readonly string[];
}

/** Loads memory files with their imports, in order; a file is taken once, by its real path. */
export class MemoryLoader {
  readonly #files: Files;
  readonly #places: MemoryPlaces;
  /** The files that were taken, and how deep in imports their own were followed. */
  readonly #seen = new Map<string, number>();
  /** Imports that were too deep where they stand; another file may have brought theirs. */
  readonly #tooDeep: { readonly realPath: string; readonly problem: SettingsProblem }[] = [];
  readonly #taken: MemoryFile[] = [];
  readonly #problems: SettingsProblem[] = [];
  readonly #waiting: MemoryRule[] = [];
  readonly #excluded: string[] = [];
  readonly #outside: OutsideImport[] = [];
  readonly #isExcluded: (path: string) => boolean;
  readonly #rules: RuleSet;
  readonly #context: DecisionContext;
  #chars = 0;
  #imports = 0;

  constructor(files: Files, places: MemoryPlaces) {
    this.#files = files;
    this.#places = places;
    const { excludes = [], rules = [], cwd, home } = places;
    this.#rules = createRuleSet(readRules(rules));
    // Where letters of either case may mean one file, a denial means both; elsewhere it hardly harms.
    const folders = { cwd, home, project: cwd, workingDirectories: [cwd] };
    this.#context = { ...folders, caseInsensitive: true };
    this.#isExcluded =
      excludes.length === 0 ? () => false : picomatch([...excludes], { dot: true });
  }

  result(): LoadedMemory {
    const waiting = {
      ...(this.#waiting.length === 0 ? {} : { waiting: this.#waiting }),
      ...(this.#excluded.length === 0 ? {} : { excluded: this.#excluded }),
      ...(this.#outside.length === 0 ? {} : { outside: this.#outside }),
    };
    const tooDeep = this.#tooDeep.filter(({ realPath }) => !this.#seen.has(realPath));
    const told = [...this.#problems, ...tooDeep.map(({ problem }) => problem)];
    const more = told.length - MAX_PROBLEMS;
    if (more <= 0) return { files: this.#taken, problems: told, ...waiting };
    const file = told[0]?.file ?? '';
    const rest = problemOf(file, `${more} more entries of memory files are not used as written`);
    const problems = [...told.slice(0, MAX_PROBLEMS), rest];
    return { files: this.#taken, problems, ...waiting };
  }

  /** Adds problems that were found elsewhere. */
  add(problems: readonly SettingsProblem[]): void {
    this.#problems.push(...problems);
  }

  /** Notes a rule that waits for its files. */
  waitFor(rule: MemoryRule): void {
    this.#waiting.push(rule);
  }

  /**
   * Loads a file with its imports; false when it is not there, which is no problem. An unreadable one is told. `body`: the
   * part of it that counts, where that is not all.
   */
  async load(
    path: string,
    kind: MemoryFile['kind'],
    importer?: Importer,
    body?: string,
  ): Promise<boolean> {
    const identity = await this.#realPath(path);
    const read = await this.#files.read(path, MAX_FILE_BYTES);
    if (!read.ok) {
      const absent = ['not_found', 'not_directory'].includes(read.error.code);
      if (!absent) this.tell(path, `left out: ${read.error.message.replace(/\.$/, '')}`);
      else if (identity !== path && identity !== (await this.#placeOf(path)))
        this.tell(path, `left out: it is a link to nothing (${identity})`);
      return !absent && read.error.code !== 'is_directory';
    }
    const depth = importer?.chain.length ?? 0;
    const seenAt = this.#seen.get(identity) ?? Number.POSITIVE_INFINITY;
    if (seenAt <= depth) return true;
    if (kind !== 'managed' && (this.#isExcluded(path) || this.#isExcluded(identity))) {
      this.#excluded.push(path);
      return true;
    }
    this.#seen.set(identity, depth);
    if (importer === undefined && (await this.#leadsOut(path, kind))) {
      this.tell(path, 'left out: it is a link that leads out of the project');
      return true;
    }
    const decoded = decodeText(read.value).text;
    if (body === undefined) this.add(textProblems(path, remarksOn(read.value)));
    const plain = withoutComments(body ?? decoded).trim();
    const text = kind === 'auto' ? beginningOfIndex(plain, path) : plain;
    if (text === '') return true;
    if (text !== plain) this.tell(path, `cut: sessions begin with ${INDEX_LIMIT} of it`);
    const by = importer === undefined ? {} : { importedBy: importer.path };
    // One that was taken as a deeper import only has its own followed further.
    if (!Number.isFinite(seenAt)) this.#take({ path, kind, text, ...by });
    const chain = [...(importer?.chain ?? []), identity];
    // What agents noted imports nothing.
    if (kind !== 'auto') await this.#loadImports({ path, chain }, kind, text, importsOf(decoded));
    return true;
  }

  /** Adds a problem of a file, or of one line of it, once: the user's folder may lie above the project. */
  tell(file: string, words: string, line?: number): void {
    const told = problemOf(file, words, line);
    if (!this.#problems.some(({ message }) => message === told.message)) this.#problems.push(told);
  }

  /** Tells of files of a folder whose names are those of memory but for the letter case. */
  async tellMisspelled(folder: string, names: readonly string[]): Promise<void> {
    const listed = await this.#files.list(folder);
    for (const [name, meant] of misspelledNames(listed.ok ? listed.value : [], names))
      this.tell(join(folder, name), `left out: its name has to be written ${meant}`);
  }

  #take(file: MemoryFile): void {
    const { path, text } = file;
    const room = Math.max(0, MAX_TOTAL_CHARS - this.#chars);
    if (text.length > room) {
      const what = room === 0 ? 'left out' : `cut after ${room} characters`;
      this.tell(path, `${what}: all memory together is longer than ${MAX_TOTAL_CHARS} characters`);
    }
    if (room === 0) return;
    this.#chars += Math.min(text.length, room);
    const cut = text.length > room ? `${text.slice(0, room)}\n(cut: too long)` : text;
    this.#taken.push({ ...file, text: cut });
  }

  async #loadImports(
    importer: Importer,
    kind: MemoryFile['kind'],
    text: string,
    lines: ReadonlyMap<string, number>,
  ): Promise<void> {
    const { path, chain } = importer;
    for (const written of importsOf(text).keys()) {
      const refuse = (why: string) =>
        this.tell(path, `the import @${shownPath(written)} ${why}`, lines.get(written) ?? 1);
      this.#imports += 1;
      if (this.#imports > MAX_IMPORTS) {
        if (this.#imports === MAX_IMPORTS + 1)
          refuse(`and those after it are left out: there are more than ${MAX_IMPORTS}`);
        return;
      }
      const target = this.#resolve(written, dirname(path));
      const stat = await this.#files.stat(target);
      if (!stat.ok || stat.value.kind !== 'file') {
        // Prose is full of words that begin with @; the name of a folder, or one like this, is meant as an import.
        const isFolder = stat.ok && stat.value.kind === 'directory';
        if (stat.ok || /^(?:\.\.?|~)[\\/]|\.(?:md|mdx|txt)$/i.test(written))
          refuse(`names no file (${shownPath(target)}${isFolder ? ' is a folder' : ''})`);
        continue;
      }
      const realPath = await this.#realPath(target);
      if (isReadRestricted({ path: target, realPath }, this.#rules, this.#context)) {
        refuse('is left out: a rule denies or asks about reading it');
        continue;
      }
      if (chain.includes(realPath)) {
        refuse('leads back to a file that imports this one, so it is not read again');
        continue;
      }
      if (chain.length > MAX_IMPORT_DEPTH) {
        const words = `the import @${shownPath(written)} is left out: imports go at most four levels deep`;
        this.#tooDeep.push({ realPath, problem: problemOf(path, words, lines.get(written) ?? 1) });
        continue;
      }
      if (!(await this.#mayImport(target, dirname(path), kind))) {
        const allowed = (await this.#places.approved?.())?.has(realPath) ?? false;
        this.#outside.push({ path: realPath, importedBy: path, allowed });
        if (!allowed) {
          refuse(`is left out until you allow it in /memory: ${target} is outside the project`);
          continue;
        }
      }
      await this.load(target, 'import', importer);
    }
  }

  #resolve(written: string, folder: string): string {
    if (written.startsWith('~/')) return join(this.#places.home, written.slice(2));
    return isAbsolute(written) ? written : resolve(folder, written);
  }

  /** A repository may hold a link to any file of the user; what is above it is the user's own. */
  async #leadsOut(path: string, kind: MemoryFile['kind']): Promise<boolean> {
    const isTheirs = !isInside(path, this.#places.cwd);
    return !isTheirs && !(await this.#mayImport(path, dirname(path), kind));
  }

  /**
   * The user's own files import from anywhere; a project's only from the project, and Markdown from the user's
   * folder, which holds keys and conversations too.
   */
  async #mayImport(target: string, folder: string, kind: MemoryFile['kind']): Promise<boolean> {
    if (kind === 'managed' || kind === 'user') return true;
    const real = await this.#realPath(target);
    const { cwd, userFolder } = this.#places;
    const roots = real.endsWith('.md') ? [cwd, folder, userFolder] : [cwd, folder];
    const realRoots = await Promise.all(roots.map((root) => this.#realPath(root)));
    return realRoots.some((root) => isInside(real, root));
  }

  /** Returns where a path itself lies, should it be no link. */
  async #placeOf(path: string): Promise<string> {
    return join(await this.#realPath(dirname(path)), basename(path));
  }

  async #realPath(path: string): Promise<string> {
    const real = await this.#files.realPath(path);
    return real.ok ? real.value : path;
  }
}
