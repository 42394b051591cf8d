import path from 'node:path';
import type { PermissionMode } from '../../../shared/permission';
import { takesAll, unpacksInto, writeUse } from './file-commands';
import { filesHanded } from './handed-files';
import { filesOfSql, mayBePath, piecesOf, piecesOfLine } from './path-pieces';
import { climbs, relativeInside } from './paths';
import type { PathUse } from './read-only/command-shape';
import type { PipedNames } from './read-only/piped-names';
import { readOnlyUse } from './read-only/read-only-use';
import {
  type DecisionContext,
  type PermissionRequest,
  type ShellAnalysis,
  type ShellCommand,
  scanKey,
  type Touch,
  type Touches,
} from './request';
import { placesOf, type Whereabouts } from './rule-match';
import type { RuleSet } from './rule-set';
import { isInterpreter } from './shell-analysis/interpreters';
import { isMessage, SHELLS, takesInputForCode } from './shell-analysis/launchers';
import { givesAway, isFileReader, showsContent } from './shown-files';

/** Returns the key of a touch among the real paths of a line. */
export const lookupKey = ({ path, route = path, below }: Touch): string =>
  below ? scanKey(route, below) : route;

/** Always there and harmless to read or write. */
const HARMLESS_DEVICE = /^\/dev\/(null|stdin|stdout|stderr|zero|fd\/\d+)$/;

/**
 * Returns what a command may reach, by its redirections, its known operands, or else by every word
 * it has. Pure.
 */
function touchesOf(open: ShellCommand, where: Whereabouts): Touches {
  const command = withPlaces(open, where);
  const collect = new Collector(command, where);
  for (const target of command.reads) collect.redirect(target, 'read');
  for (const target of command.writes) collect.redirect(target, 'edit');
  // What is set in front of it is no reason to know less of what it reads.
  const strict = readOnlyUse(command);
  const reading = strict ?? (isEncumbered(command) ? readOnlyUse(withoutDoubt(command)) : null);
  const writing = reading ? null : writeUse(command);
  collect.use = strict ? 'reads' : writing ? 'writes' : null;
  if (reading) {
    const here = reading.searches && reading.paths.length === 0;
    const paths = here ? [{ word: '.', glob: false }] : reading.paths;
    const follows = reading.follows === true;
    const deep = reading.searches || comparesFolders(command.words[0] ?? '', reading.paths);
    const names = searchedNames(command);
    collect.uses(paths, { access: 'read', deep, ...(names ? { names } : {}) });
    if (follows) {
      const below = { follows, links: true, plain: false };
      const through = paths.length > 0 ? paths : [{ word: '.', glob: false }];
      collect.uses(through, { access: 'read', deep: reading.searches, below });
    }
    if (reading.piped) collect.pipedNames(reading.piped);
    collect.uses(reading.stays ?? [], { access: 'read', stays: true });
  } else if (writing) {
    const deep =
      writing.removes ||
      /^-\w*[rR]|^--(recursive|archive)$/m.test(command.words.join('\n')) ||
      (command.words[0] === 'cp' && /^-\w*a/m.test(command.words.join('\n')));
    collect.uses(writing.reads, { access: 'read', ...(deep ? { deep } : {}) });
    collect.uses(writing.writes, { access: 'edit', deep, removes: writing.removes });
    collect.uses(writing.uproots ?? [], { access: 'edit', deep, removes: true });
    if (!/^g?sed$/.test(command.words[0] ?? '')) collect.options();
  } else collect.words();
  collect.uses(unpacksInto(command), { access: 'edit', deep: true });
  collect.values();
  if (GO_ELSEWHERE.test(command.words[0] ?? '')) collect.elsewhere();
  if (
    !reading &&
    command.words[0] === 'xargs' &&
    command.role !== 'wrapper' &&
    command.words.some((word) => showsContent(word ?? ''))
  )
    collect.runtime.add('read');
  for (const handed of reading ? [] : filesHanded(command)) {
    if (handed.kind === 'listing') collect.pipedNames({ ...handed.names, below: null }, false);
    else if (handed.kind === 'words')
      collect.uses(handed.uses, {
        ...{ access: 'read', certain: false, guessed: true },
        deep: handed.isDeep,
      });
    else {
      if (collect.runtime.size === 0 && command.found) collect.runtimeNames = namesFound(command);
      collect.runtime.add('read');
    }
  }
  for (const { below = [], names } of command.hides ?? [])
    collect.uses(
      below.map((word) => ({ word, glob: false })),
      {
        ...{ access: 'read', certain: false, deep: true, guessed: true, vouchable: true },
        ...(names ? { names } : {}),
      },
    );
  const isOpen = command.words.some((word, i) => word === null && command.globs?.[i] === undefined);
  if (isOpen && reading?.piped === undefined) {
    if (collect.runtime.size === 0) collect.runtimeNames = namesFound(command);
    if (writing) {
      collect.runtime.add('edit');
      collect.parts();
    }
    if (showsContent(command.words[0] ?? '') || givesAway(command)) collect.runtime.add('read');
  }
  return collect;
}

/** Tells whether the folder of a line and the home folder stay one word and no pattern without quotes. */
export const hasPlainFolders = ({ cwd, home }: Whereabouts): boolean =>
  /^[\w./@+-]*$/.test(cwd + home);

/** Returns a command with the words filled in that name one place, whatever their text will be. */
export function withPlaces(command: ShellCommand, where: Whereabouts): ShellCommand {
  const { located } = command;
  if (located === undefined) return command;
  const isPlain = hasPlainFolders(where);
  const words = command.words.map((word, at) => {
    const place = located[at];
    return place && (isPlain || !place.isBare) ? place.path : word;
  });
  return { ...command, words };
}

/** Returns what each command of a line may reach, in their order. Pure. */
export const touchesIn = (analysis: ShellAnalysis, where: Whereabouts): readonly Touches[] =>
  analysis.commands.map((command) => touchesOf(command, where));

const isEncumbered = ({ assignments, doubt, role }: ShellCommand): boolean =>
  assignments.length > 0 || doubt !== undefined || role === 'launcher';

const withoutDoubt = ({ doubt: _, role: __, ...command }: ShellCommand): ShellCommand => ({
  ...command,
  assignments: [],
});

/** Returns the patterns that the names of all files fit which a command is given when it runs; undefined for any. */
function namesFound({ words, globs, found }: ShellCommand): readonly string[] | undefined {
  const open = words.flatMap((word, at) =>
    word === null && globs?.[at] === undefined ? [at] : [],
  );
  const names = open.map((at) => found?.[at]);
  return names.every((some) => some !== undefined) ? names.flat() : undefined;
}

/** Returns the patterns of names that `grep --include` is limited to; undefined for any. */
function searchedNames({ words }: ShellCommand): readonly string[] | undefined {
  if (!/^[ef]?grep$/.test(words[0] ?? '')) return undefined;
  const names = words.flatMap((word) => /^--include=(.+)$/.exec(word ?? '')?.[1] ?? []);
  return names.length > 0 && !words.includes(null) ? names : undefined;
}

const holds = (folder: string, target: string): boolean =>
  relativeInside(folder, target, false) !== null;

/** Returns the path a place is by its text. A network path stays what it is. */
const pathOf = (place: string): string => (place.startsWith('/') ? path.resolve(place) : place);

const placed = (place: string): Pick<Touch, 'path' | 'route'> => ({
  path: pathOf(place),
  ...(climbs(place) ? { route: place } : {}),
});

class Collector {
  readonly touches: Touch[] = [];
  unknown: string | null = null;
  use: Touches['use'] = null;
  runtimeNames: readonly string[] | undefined = undefined;
  readonly runtime = new Set<Touch['access']>();
  readonly #command: ShellCommand;
  readonly #where: Whereabouts;

  constructor(command: ShellCommand, where: Whereabouts) {
    this.#command = command;
    this.#where = where;
  }

  redirect(target: string | null, access: 'read' | 'edit'): void {
    if (target === null) {
      this.unknown = 'a redirection goes to a file that is only known at run time';
      this.runtime.add(access);
    } else if (!HARMLESS_DEVICE.test(target))
      this.uses([{ word: target, glob: false }], { access, redirection: true });
  }

  uses(uses: readonly PathUse[], kind: Pick<Touch, 'access'> & Partial<Touch>): void {
    const certain = kind.certain ?? true;
    for (const { word, glob } of uses) {
      if (HARMLESS_DEVICE.test(word)) continue;
      const places = placesOf(word, this.#command, this.#where);
      // A pattern fits who knows what in a folder nobody knows.
      if (places === null && (glob || takesAll(this.#command))) this.runtime.add(kind.access);
      if (places === null && certain) {
        this.unknown = 'it is not known in which folder it runs';
        this.runtime.add(kind.access);
      }
      for (const place of places ?? []) {
        const { access, removes = false, redirection = false, below, stays, guessed, names } = kind;
        const { vouchable } = kind;
        // Given the working directory or what is above it, they take every file of it along.
        const deep =
          kind.deep ?? (takesAll(this.#command) && holds(pathOf(place), this.#where.cwd));
        const touch = { ...placed(place), glob, access, certain, removes, redirection, deep };
        this.touches.push({
          ...touch,
          ...(below && !glob ? { below } : {}),
          ...(stays ? { stays } : {}),
          ...(guessed ? { guessed } : {}),
          ...(vouchable ? { vouchable } : {}),
          ...(names ? { names } : {}),
        });
      }
    }
  }

  /** Names that a pipe hands over: anything below where they come from is read. */
  pipedNames({ roots, lister, below, names }: PipedNames, certain = true): void {
    for (const { word, glob } of roots) {
      const folder = glob ? word.slice(0, word.search(/[*?[]/)).replace(/[^/]*$/, '') || '.' : word;
      const places = placesOf(folder, lister, this.#where);
      if (places === null) this.runtime.add('read');
      if (places === null && certain) this.unknown = 'it is not known in which folder it runs';
      for (const place of places ?? []) {
        const touch = { ...placed(place), glob: false, access: 'read', certain } as const;
        const only = names ? { names } : {};
        const whole = { ...touch, ...only, removes: false, redirection: false, deep: true };
        this.touches.push(whole, ...(below ? [{ ...whole, below }] : []));
      }
    }
  }

  /** Collects the words of an unknown command, any of which may be a path it reads. */
  words(): void {
    const [name, ...rest] = this.#command.words;
    const certain = isFileReader(name ?? '');
    const base = name?.split('/').at(-1) ?? '';
    const uses: PathUse[] = [];
    const pieces = new Set<string>();
    rest.forEach((word, i) => {
      const glob = this.#command.globs?.[i + 1];
      if (word === null && glob !== undefined) uses.push({ word: glob, glob: true });
      if (word === null) return;
      // What stands behind the name of a machine is there, and not here.
      if (base === 'scp' && /^(?!-)(?:[\w.-]+@)?[\w.-]+:/.test(word)) return;
      const isPath = mayBePath(word);
      if (isPath && !word.startsWith('-')) uses.push({ word, glob: false });
      const part = /^[^=:]*[=:]@?(.+)$/.exec(word)?.[1] ?? /^[-@]\w?([/~.].*)$/.exec(word)?.[1];
      if (isPath && part) uses.push({ word: part, glob: false });
      // What a shell runs is taken apart by itself.
      const isText = SHELLS.has(name ?? '') && /\s/.test(word);
      if (!isText && !isMessage(this.#command.words, i + 1))
        for (const piece of piecesOf(word)) pieces.add(piece);
    });
    const deep =
      (RECURSES.test(name ?? '') && RECURSIVE.test(rest.join('\n'))) ||
      comparesFolders(name ?? '', uses);
    const all = /^(?:rg|ag|ack)$/.test(name ?? '');
    const here = all && !uses.slice(1).some(({ word }) => !word.startsWith('-'));
    if (here) uses.push({ word: '.', glob: false });
    const { input = '' } = this.#command;
    if (isInterpreter(base))
      for (const word of [...rest, input].flatMap((text) => filesOfSql(text ?? '')))
        uses.push({ word, glob: false });
    this.uses(uses, { access: 'read', certain, ...(deep || all ? { deep: true } : {}) });
    for (const { word } of uses) pieces.delete(word);
    // A program in another language, or commands: what it names may be read.
    if (takesInputForCode(name ?? '')) for (const piece of piecesOf(input)) pieces.add(piece);
    this.#guess([...pieces]);
    if (this.#command.words.includes(null)) this.parts();
  }

  /** Collects what may be files in options and commands among the words of a program that writes others. */
  options(): void {
    const words = this.#command.words.filter((word) => /^[-+]|\s/.test(word ?? ''));
    this.#guess(words.flatMap((word) => piecesOf(word ?? '')));
  }

  /** Collects the parts of a command with words only known at run time that may name files. */
  parts(): void {
    this.#guess(piecesOfLine(this.#command.text));
  }

  /** Collects what is set in front of a command: a program may read the file that a variable names. */
  values(): void {
    this.#guess(
      this.#command.assignments.flatMap((text) => {
        const value = /^[A-Z][A-Z0-9_]*\+?=(.+)$/s.exec(text)?.[1]?.replace(/^["']|["']$/g, '');
        return value === undefined ? [] : [value, ...piecesOf(value)].filter(mayBePath);
      }),
    );
  }

  /** `tar -C folder file`, `git -C folder …`: names count from the folders it goes to. */
  elsewhere(): void {
    const { words, globs } = this.#command;
    const uses = words.flatMap((word, at) => {
      const text = word ?? globs?.[at];
      return at === 0 || text === undefined ? [] : [{ word: text, glob: word === null }];
    });
    const folders = words.flatMap((word, at) => {
      const option = /^(?:-[a-zA-Z]*C|--d[irectoy]*=?)(.*)$/s.exec(word ?? '');
      return option && at > 0 ? option[1] || (words[at + 1] ?? []) : [];
    });
    const inside = uses.filter(({ word }) => !/^[/~-]/.test(word));
    if (folders.length * inside.length > MAX_PIECES) {
      this.runtime.add('read');
      return;
    }
    const joined = folders.flatMap((folder) =>
      inside.map(({ word, glob }) => ({ word: `${folder}/${word}`, glob })),
    );
    this.uses(joined, { access: 'read', certain: false });
  }

  #guess(pieces: readonly string[]): void {
    if (pieces.length > MAX_PIECES) this.runtime.add('read');
    const named = pieces.slice(0, MAX_PIECES).map((word) => ({ word, glob: false }));
    if (named.length > 0) this.uses(named, { access: 'read', certain: false, guessed: true });
  }
}

/** Readers that go through whole folders with an option. */
const RECURSES = /^(?:[ef]?grep|zgrep|diff)$/;
const RECURSIVE =
  /^(?:-[a-zA-Z]*[rR]|--(?:dereference-)?recursive$|--dir[a-z]*[=\n]rec|-[a-zA-Z]*d\n?rec)/m;
/** Programs that compare folders read the files in them, too. A name without an ending may be a folder. */
const COMPARES = /^(?:[sc]?diff|colordiff|cmp|diff3)$/;

/** Programs that go to a folder before they take names. */
const GO_ELSEWHERE = /^(?:(?:bsd|g)?tar|git)$/;

/** Tells whether a comparison may be one of folders. */
const comparesFolders = (name: string, uses: readonly PathUse[]): boolean =>
  COMPARES.test(name) &&
  (uses.every(({ word }) => /^-|^[^.]*$/.test(word)) ||
    uses.some(({ word }) => /(?:^|\/)(?:\.{1,2}\/?)?$/.test(word)));

/** More parts of the words of a command are not looked at as paths. */
const MAX_PIECES = 300;

/** Inputs that the steps of a decision on a shell line share. */
export interface ShellContext {
  readonly request: Extract<PermissionRequest, { kind: 'shell' }>;
  readonly rules: RuleSet;
  readonly mode: PermissionMode;
  /** `cwd` is where the line starts. */
  readonly context: DecisionContext;
}

/** Returns where a touched path really leads; null when it was not looked up. */
export function realPathsOf(shell: ShellContext, touch: Touch): readonly string[] | null {
  const { realPaths } = shell.request;
  const key = lookupKey(touch);
  return Object.hasOwn(realPaths, key) ? (realPaths[key] ?? null) : null;
}

/** Only the kind of access matters here, not where it leads. */
const ANYWHERE = { cwd: '/', home: '/' };

/**
 * Tells whether everything a shell line runs is known to only read; harmless devices such as
 * /dev/null may be written.
 */
export const onlyReads = (analysis: ShellAnalysis): boolean =>
  analysis.ok &&
  analysis.commands.every((command) => {
    const onlyStarts = command.role === 'wrapper' && command.doubt === undefined;
    if (!onlyStarts && readOnlyUse(command) === null) return false;
    const { touches, runtime } = touchesOf(command, ANYWHERE);
    return !runtime.has('edit') && touches.every(({ access }) => access === 'read');
  });
