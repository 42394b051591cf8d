import path from 'node:path';
import type { Hiding, ShellCommand, ShellRole } from '../request';
import { rawCommands } from './guesses';
import { hidingAround, hidingOf } from './hiding';
import { type Input, isStream } from './interpreters';
import type { Draft } from './simple-command';
import { type Started, unwrap } from './unwrap';
import { programIn, readingsOf, splitsReading, variableRisk } from './variables';
import type { Word } from './words';

/** No honest line has more; the rest is not looked at and the line is asked. */
const MAX_COMMANDS = 500;
const MAX_DEPTH = 8;
/** Each makes the paths of what follows longer, and more of them. */
const MAX_FOLDER_CHANGES = 40;
/** Words of all commands together: runners of runners name the same words again and again. */
const MAX_WORDS = 20_000;
const MAX_DIRECTORIES = 8;
/** No system takes a longer path. UTF-16 units. */
const MAX_DIRECTORY_LENGTH = 4_096;
/** Words of a command that cannot be read which may be commands themselves. */
const MAX_GUESSES = 12;

/** A function that reads scripts inside a line (`bash -c '…'`). */
export type ReadScript = (script: string, line: Line, place: ScriptOrigin) => void;

/** The part of the line that a command inside a script belongs to, and how it was started. */
export interface ScriptOrigin {
  readonly start: number;
  readonly end: number;
  readonly role: ShellRole | undefined;
  readonly depth: number;
}

/** The state of reading one shell line. One instance per analysis. */
export class Line {
  readonly commands: ShellCommand[] = [];
  readonly problems: string[] = [];
  changesDirectory = false;
  /** The text the next command reads from the one before it in a pipe, if the line spells it out. */
  pipedText: string | undefined;
  /** The commands of the pipe before the one that is read now. */
  piped: readonly ShellCommand[] | undefined;
  /** Set inside loops and functions, where a `cd` may happen any number of times. */
  repeats = 0;
  #directories: readonly (string | null)[] = [''];
  /** The folders the last `cd` leads to if it succeeds. */
  #arrived: readonly (string | null)[] = [''];
  #lostTrack = false;
  #folderChanges = 0;
  /** True when the line had more than is looked at. */
  tooMuch = false;
  readonly #scripts = new Set<string>();
  readonly #unknowns = new Set<string>();
  readonly #text: string;
  readonly #bindings = new Map<string, readonly Word[]>();
  #words = 0;
  readonly #readScript: ReadScript;

  /** `text` is the whole line. */
  constructor(text: string, readScript: ReadScript) {
    this.#text = text;
    this.#readScript = readScript;
  }

  problem(text: string): void {
    if (this.problems.length < 10) this.problems.push(text);
  }

  /** Adds a finished draft and everything it starts. `place` is set for commands inside scripts. */
  add(draft: Draft, source: string, place: ScriptOrigin | null): void {
    for (const problem of draft.findings.problems) this.problem(problem);
    const text = joinSources(draft.words);
    const stdin = draft.stdin === undefined ? this.pipedText : draft.stdin;
    const pipedFrom = draft.stdin === undefined ? this.piped : undefined;
    const input = this.#inputOf(draft);
    const whole = source === this.#text ? source : `${this.#text}\n${source}`;
    this.pipedText = undefined;
    this.piped = undefined;
    const found = {
      stdin,
      input,
      pipedFrom,
      hides: hidingAround(draft, whole),
      text: text === '' ? source.slice(draft.start, draft.end) : text,
      draft,
      doubt: doubtOf(draft),
      start: place?.start ?? draft.start,
      end: place?.end ?? draft.end,
    };
    const readings = place ? [draft.words] : readingsOf(draft.words, this.#bindings, source);
    for (const words of readings) {
      const built = words[0] !== undefined && isBuiltName(words[0]);
      const doubt = found.doubt ?? (built ? 'the name of the command is put together' : null);
      this.#emit({ ...found, words, doubt }, place?.role, place?.depth ?? 0);
    }
    for (const { name, value } of draft.assigned) {
      const script = programIn(name, value);
      const depth = (place?.depth ?? 0) + 1;
      if (script !== undefined)
        this.#start(
          { kind: 'script', script, role: 'inner' },
          { ...found, words: [] },
          'inner',
          depth,
        );
    }
    // In front of a command a variable is set for that command only.
    if (draft.binding && draft.words.length === 0 && !place)
      this.#bindings.set(draft.binding.name, draft.binding.values);
  }

  /** Removes the pipe from the commands read since `from`, because their input is redirected. */
  forgetPipes(from: number): void {
    for (const [at, command] of this.commands.entries()) {
      const { pipedFrom, ...alone } = command;
      if (at >= from && pipedFrom !== undefined) this.commands[at] = alone;
    }
  }

  /**
   * Adds the commands guessed in a script that may run but cannot be read, and one that may be
   * anything.
   */
  addUnknown(script: string, { start, end }: ScriptOrigin): void {
    this.#guess(script, { start, end }, true);
    if (!/\{[^}]*,|[$`*?[]/.test(script)) return;
    const unknown: ShellCommand = {
      words: [null],
      text: '',
      start,
      end,
      writes: [],
      reads: [],
      assignments: [],
      role: 'inner',
    };
    this.commands.push(unknown);
  }

  /** Returns the commands, with the facts that only the whole line tells. */
  finish(): ShellCommand[] {
    if (!this.#lostTrack) return this.commands;
    return this.commands.map((command) => ({ ...command, directories: [null] }));
  }

  #emit(found: Found, role: ShellRole | undefined, depth: number): void {
    this.#words += found.words.length;
    this.tooMuch ||=
      this.commands.length >= MAX_COMMANDS || depth > MAX_DEPTH || this.#words > MAX_WORDS;
    if (this.tooMuch) return;
    if (!found.listed && RESERVED.has(found.words[0]?.source ?? ''))
      this.problem(`the shell reads “${found.words[0]?.source}” otherwise than the parser`);
    const unwrapped = unwrap(found.words, found.stdin);
    // What a runner starts was listed position by position already.
    const name = path.posix.basename(found.words[0]?.value ?? '');
    const started =
      found.listed && name !== 'xargs'
        ? unwrapped.started.filter((s) => s.kind !== 'words' || s.role !== 'inner')
        : unwrapped.started;
    const hides = [
      ...found.hides,
      ...hidingOf({ name, words: found.words, input: found.input, line: this.#text }),
    ];
    const directories = found.elsewhere ? [null] : this.#directories;
    this.commands.push(toCommand({ ...found, hides }, role ?? unwrapped.role, directories));
    this.#followDirectory(found.words);
    for (const inner of started) {
      if (this.tooMuch) return;
      this.#start(inner, found, role, depth + 1);
    }
  }

  #start(inner: Started, outer: Found, outerRole: ShellRole | undefined, depth: number): void {
    if (inner.kind === 'code') {
      this.#guess(inner.text, outer, false);
      return;
    }
    const role = outerRole === 'inner' ? 'inner' : inner.role;
    const { start, end } = outer;
    if (inner.kind === 'words') {
      const text = joinSources(inner.words);
      const draft =
        role === 'inner' ? null : outer.draft && { ...outer.draft, writes: [], reads: [] };
      const { stdin, doubt, pipedFrom, input } = outer;
      const listed = role === 'inner';
      const before = outer.words.slice(0, Math.max(1, outer.words.length - inner.words.length));
      const elsewhere = outer.elsewhere === true || changesFolder(before);
      const words = { words: inner.words, text, listed, elsewhere, hides: [] };
      this.#emit({ ...words, stdin, input, pipedFrom, draft, doubt, start, end }, role, depth);
    } else if (inner.script === null) {
      const key = `${role}:${start}:${end}`;
      if (this.#unknowns.has(key)) return;
      this.#unknowns.add(key);
      const unknown: Word = { value: null, glob: null, source: '*', start, end };
      const found = { words: [unknown], stdin: undefined, input: NO_INPUT, text: '', hides: [] };
      this.#emit({ ...found, draft: null, doubt: null, start, end }, role, depth);
    } else if (depth > MAX_DEPTH) {
      this.tooMuch = true;
    } else this.#read(inner.script, { start, end, role, depth });
  }

  /** Returns what a command reads as its input. In a line that redirects or pipes it may be that of a group around it. */
  #inputOf({ stdin, reads }: Draft): Input {
    if (typeof stdin === 'string') return { kind: 'text', text: stdin };
    if (stdin === null)
      return {
        kind: reads.length > 0 && !reads.some((file) => isStream(file ?? '')) ? 'file' : 'unknown',
      };
    const text = this.pipedText;
    // What `echo` and `printf` make of signs of their own is only guessed.
    if (text !== undefined && !/[\\%]/.test(text)) return { kind: 'text', text };
    return { kind: /[|<]/.test(this.#text) ? 'unknown' : 'none' };
  }

  /** Reads a script once in each role: nested runners name the same one many times. */
  #read(script: string, place: ScriptOrigin): void {
    const key = `${place.role}:${script}`;
    if (this.#scripts.has(key)) return;
    this.#scripts.add(key);
    this.#readScript(script, this, place);
  }

  /**
   * Adds what may be commands in a text of another language: never more than a reason to deny or
   * ask.
   */
  #guess(text: string, { start, end }: Pick<Found, 'start' | 'end'>, starts: boolean): void {
    for (const command of rawCommands(text)) {
      // Any word of it may be started by those before.
      for (let at = 0; at < Math.min(command.words.length, MAX_GUESSES); at++) {
        if (this.commands.length >= MAX_COMMANDS) {
          this.tooMuch = true;
          return;
        }
        const words = at === 0 || starts ? command.words.slice(at) : [];
        if (words.length > 0)
          this.commands.push({ ...command, words, text: words.join(' '), start, end });
      }
    }
  }

  #followDirectory(words: readonly Word[]): void {
    const name = words[0]?.value;
    if (name === 'pushd' || name === 'popd' || name === 'dirs') this.#lostTrack = true;
    else if (name !== 'cd') return;
    this.changesDirectory = true;
    this.tooMuch ||= ++this.#folderChanges > MAX_FOLDER_CHANGES;
    if (this.repeats > 0) this.#lostTrack = true;
    const operands = words.slice(1).filter((word) => !/^(-[LPe@]+|--)$/.test(word.value ?? ''));
    const target = operands.length === 1 ? (operands[0]?.value ?? null) : null;
    const next =
      target === null || target === '-'
        ? [null]
        : [...new Set(this.#directories.flatMap((from) => joinDirectory(from, target)))];
    this.#arrived = next;
    this.#mayBeIn(next);
  }

  /** Reads what only runs after a `cd` that succeeded; what follows may run where that one failed too. */
  afterArriving(read: () => void): void {
    const before = this.#directories;
    this.#directories = this.#arrived;
    read();
    this.#mayBeIn(before);
  }

  #mayBeIn(folders: readonly (string | null)[]): void {
    const all = [...new Set([...this.#directories, ...folders])];
    this.#directories = all.length > MAX_DIRECTORIES ? [null] : all;
  }
}

const NO_INPUT: Input = { kind: 'none' };

/** Options by which `env`, `sudo` and their like start a command in another folder, or with another root. */
const ELSEWHERE = /^(?:-C|--chdir|-D|-w|--wd|-R|--root|-r|--working-directory|-l|-$|--login|-i|-d)/;
const MOVERS =
  /^(?:env|sudo|doas|su|runuser|chroot|unshare|nsenter|start-stop-daemon|systemd-run|proot|firejail|bwrap|docker|podman|kubectl|ssh)$/;

function changesFolder(words: readonly Word[]): boolean {
  const at = words.findIndex((word) => MOVERS.test(path.posix.basename(word.value ?? '')));
  if (at < 0) return false;
  return (
    /^(?:chroot|docker|podman|kubectl|ssh)$/.test(path.posix.basename(words[at]?.value ?? '')) ||
    words.slice(at).some((word) => ELSEWHERE.test(word.value ?? ''))
  );
}

interface Found {
  readonly words: readonly Word[];
  /** Its words were listed as commands of their own already. */
  readonly listed?: boolean;
  /** The text it reads as standard input; null when known at run time only, undefined when not from the line. */
  readonly stdin: string | null | undefined;
  readonly input: Input;
  readonly hides: readonly Hiding[];
  /** It is started in another folder than the line says. */
  readonly elsewhere?: boolean;
  /** The commands before it in a pipe, as long as nothing else is its input. */
  readonly pipedFrom?: readonly ShellCommand[] | undefined;
  readonly text: string;
  readonly draft: Draft | null;
  readonly doubt: string | null;
  readonly start: number;
  readonly end: number;
}

/**
 * Tells whether a name was filled in from a variable or braces: denials see through that, but no
 * allow rule does.
 */
const isBuiltName = ({ value, source }: Word): boolean =>
  value !== null && /^(?:"?\$\w|"?\$\{\w|[\w./-]*\{[^}]*,)/.test(source);

/** Joins the source texts of words; words that only the shell or a wrapper adds have none. */
const joinSources = (words: readonly Word[]): string =>
  words
    .map((word) => word.source)
    .filter((source) => source !== '')
    .join(' ');

/**
 * Returns the folders a `cd` may lead to: as text, as shells do, and with every `..` kept, as the system
 * does when a shell is told to (`cd -P`). Null where it is not known.
 */
function joinDirectory(from: string | null, target: string): (string | null)[] {
  const isFixed = /^(\/|~$|~\/)/.test(target);
  if (from === null && !isFixed) return [null];
  const joined = isFixed || from === '' ? target : `${from}/${target}`;
  if (joined.length > MAX_DIRECTORY_LENGTH) return [null];
  const isClimbing = /(^|\/)\.\.(\/|$)/.test(target);
  // What `~` means is not known here; where it goes up is told apart when it is.
  if (joined.startsWith('~')) return [joined];
  const text = path.posix.join(joined);
  return isClimbing && text !== joined ? [text, joined] : [text];
}

/** Words the parser may take for a command where the shell begins or ends a statement. */
const RESERVED = new Set(
  '{ } ! [[ ]] if then else elif fi do done case esac for while until select function'.split(' '),
);

/** Commands that change what later words of the line mean. */
const REDEFINES = new Set(['alias', 'unalias', 'enable', 'hash', 'shopt', 'function']);

function doubtOf(draft: Draft): string | null {
  const name = draft.words[0]?.value ?? '';
  if (REDEFINES.has(name)) return `${name} can change what other commands mean`;
  const variable = draft.assignments.find(
    (text) => variableRisk(text) === 'dangerous' && !(name === 'read' && splitsReading(text)),
  );
  if (variable !== undefined) {
    return `setting ${/^[^=+[]*/.exec(variable)?.[0]} can make programs run or load something else`;
  }
  return draft.findings.doubts[0] ?? null;
}

function toCommand(
  found: Found,
  role: ShellRole | undefined,
  directories: readonly (string | null)[],
): ShellCommand {
  const globs: Record<number, string> = {};
  found.words.forEach((word, index) => {
    if (word.glob !== null) globs[index] = word.glob;
  });
  const moved = directories.length > 1 || directories[0] !== '';
  return {
    words: found.words.map((word) => word.value),
    text: found.text,
    start: found.start,
    end: found.end,
    writes: found.draft?.writes ?? [],
    reads: found.draft?.reads ?? [],
    assignments: found.draft?.assignments ?? [],
    ...(Object.keys(globs).length > 0 ? { globs } : {}),
    ...(role ? { role } : {}),
    ...(found.doubt === null ? {} : { doubt: found.doubt }),
    ...(found.hides.length === 0 ? {} : { hides: found.hides }),
    ...(moved ? { directories } : {}),
    ...(found.draft?.stdin === undefined ? {} : { hasInput: true }),
    ...(found.pipedFrom && isGivenWords(found) ? { pipedFrom: found.pipedFrom } : {}),
  };
}

/**
 * Tells whether a command is `xargs` or started by it, with a last word that stands for its input.
 */
const isGivenWords = ({ words }: Found): boolean =>
  words[0]?.value === 'xargs' || (words.at(-1)?.source === '' && words.at(-1)?.value === null);
