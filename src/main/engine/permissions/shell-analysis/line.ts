import path from 'node:path';
import { type Hiding, NO_COMMAND, type ShellCommand, type ShellRole } from '../request';
import type { Dialect } from './dialect';
import { type Doubt, doubtOf, testDoubt } from './doubts';
import { isAtRootWhenEmpty } from './empty-variables';
import { Folders, readsElsewhere, startsElsewhere } from './folders';
import { type Found, isBuiltName, joinSources, toCommand } from './found-command';
import { rawCommands } from './guesses';
import { HeldTexts } from './held-texts';
import { hidingAround, hidingOf } from './hiding';
import { type Input, isStream } from './interpreters';
import { type Draft, type InputText, setsForLine } from './simple-command';
import type { Started } from './started-scripts';
import { unwrap } from './unwrap';
import { VariableChanges } from './variable-changes';
import { type Bindings, bind, programIn, readingsOf } from './variables';
import type { Word } from './words';

/** No honest line has more; the rest is not looked at and the line is asked. */
const MAX_COMMANDS = 500;
const MAX_DEPTH = 8;
/** Words of all commands together: runners of runners name the same words again and again. */
const MAX_WORDS = 20_000;
/** Words of a command that cannot be read which may be commands themselves. */
const MAX_GUESSES = 12;

/** Reads a script inside a line (`bash -c '…'`). Returns why its shell may read it otherwise than bash; null when it does not. */
export type ReadScript = (script: string, line: Line, place: ScriptOrigin) => string | null;

/** The part of the line that a command inside a script belongs to, and how it was started. */
export interface ScriptOrigin {
  readonly start: number;
  readonly end: number;
  readonly role: ShellRole | undefined;
  readonly depth: number;
  /** Of the shell that reads the script. */
  readonly dialect: Dialect;
}

/** The state of reading one shell line. One instance per analysis. */
export class Line {
  readonly commands: ShellCommand[] = [];
  readonly problems: string[] = [];
  /** The text the next command reads from the one before it in a pipe, if the line spells it out. */
  pipedText: InputText | undefined;
  /** The commands of the pipe before the one that is read now. */
  piped: readonly ShellCommand[] | undefined;
  /** Set inside loops and functions, where a `cd` may happen any number of times. */
  repeats = 0;
  readonly folders = new Folders();
  /** True when the line had more than is looked at. */
  tooMuch = false;
  /** Scripts that were read, and why their shell may read them otherwise. */
  readonly #scripts = new Map<string, string | null>();
  readonly #unknowns = new Set<string>();
  readonly #text: string;
  /** The values of variables that the line has set for sure by now; never changed, but replaced. */
  bindings: Bindings = new Map();
  /** The same behind the last list (`a && b`), whatever came of it. */
  surely: Bindings = new Map();
  readonly held = new HeldTexts();
  /** The variables that the commands may set, found while they are read. */
  readonly changes = new VariableChanges();
  /** True when a variable was taken for what the line sets it to. */
  isFilled = false;
  /** The variables that commands may set, as an earlier reading of the line found them: none of these is filled in. */
  readonly #known: VariableChanges;
  /** Scripts around the command that is read now which other shells run. */
  #others = 0;
  #words = 0;
  readonly #dialect: Dialect;
  readonly #readScript: ReadScript;

  /** `text` is the whole line, `dialect` of the shell that reads it. */
  constructor(text: string, dialect: Dialect, readScript: ReadScript, known: VariableChanges) {
    this.#text = text;
    this.#dialect = dialect;
    this.#readScript = readScript;
    this.#known = known;
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
    const around =
      source === this.#text
        ? { line: source, script: null }
        : { line: `${this.#text}\n${source}`, script: source };
    this.pipedText = undefined;
    this.piped = undefined;
    const found = {
      stdin,
      input,
      pipedFrom,
      around,
      hides: hidingAround(draft, around),
      text: text === '' ? source.slice(draft.start, draft.end) : text,
      draft,
      dialect: place?.dialect ?? this.#dialect,
      doubt: doubtOf(draft, around),
      start: place?.start ?? draft.start,
      end: place?.end ?? draft.end,
    };
    const readings = place
      ? [draft.words]
      : readingsOf(draft.words, this.bindings, source, this.#known);
    this.isFilled ||= !readings.includes(draft.words);
    for (const words of readings) {
      if (this.#others === 0) this.changes.note(words, place === null);
      const built = words[0] !== undefined && isBuiltName(words[0]);
      const doubt = found.doubt ?? testDoubt(draft, words, around) ?? (built ? BUILT_NAME : null);
      this.#emit({ ...found, words, doubt }, place?.role, place?.depth ?? 0);
      for (const split of this.held.readings(words)) {
        const guess = { ...found, text: joinSources(split), words: split, doubt: null };
        this.#emit(guess, 'inner', place?.depth ?? 0);
      }
    }
    for (const { name, value } of draft.findings.assigned) {
      if (place && this.#others === 0) this.changes.add(name);
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
    for (const { adds, ...binding } of draft.held) this.held.note(binding, adds);
    if (draft.words[0]?.value === 'set') this.held.noteArguments(draft.words);
    if (draft.binding && setsForLine(draft) && !place)
      this.bindings = bind(draft.binding, this.bindings, source, this.#known);
  }

  /** Removes the pipe from the commands read since `from`, because their input is redirected. */
  forgetPipes(from: number): void {
    for (const [at, command] of this.commands.entries()) {
      const { pipedFrom, ...alone } = command;
      if (at >= from && pipedFrom !== undefined) this.commands[at] = alone;
    }
  }

  /** Adds the commands guessed in a script that may run but cannot be read, and one that may be anything. */
  addUnknown(script: string, { start, end }: ScriptOrigin): void {
    this.#guess(script, { start, end }, true);
    if (!/\{[^}]*,|[$`*?[]/.test(script)) return;
    this.commands.push({ ...NO_COMMAND, words: [null], start, end, role: 'inner' });
  }

  /** Returns the commands, with the facts that only the whole line tells. */
  finish(): ShellCommand[] {
    if (!this.folders.lostTrack) return this.commands;
    return this.commands.map((command) => ({ ...command, directories: [null] }));
  }

  #emit(found: Found, role: ShellRole | undefined, depth: number): void {
    this.#words += found.words.length;
    this.tooMuch ||=
      this.commands.length >= MAX_COMMANDS || depth > MAX_DEPTH || this.#words > MAX_WORDS;
    if (this.tooMuch) return;
    if (!found.listed && RESERVED.has(found.words[0]?.source ?? ''))
      this.problem(`the shell reads “${found.words[0]?.source}” otherwise than the parser`);
    const unwrapped = unwrap(found.words, found.stdin, found.around);
    // What a runner starts was listed position by position already.
    const name = path.posix.basename(found.words[0]?.value ?? '');
    const started =
      found.listed && name !== 'xargs'
        ? unwrapped.started.filter((s) => s.kind !== 'words' || s.role !== 'inner')
        : unwrapped.started;
    const hides = [
      ...found.hides,
      ...hidingOf({
        name,
        words: found.words,
        input: found.input,
        around: found.around,
        isReading: found.isReading === true,
      }),
    ];
    const directories = found.elsewhere ? [null] : this.folders.current;
    const mayBeAtRoot =
      found.mayBeAtRoot || (this.folders.mayBeAtRoot && directories.includes(null));
    const at = this.commands.length;
    const { ownWords } = unwrapped;
    this.commands.push({
      ...toCommand({ ...found, hides, mayBeAtRoot }, role ?? unwrapped.role, directories),
      ...(ownWords === undefined ? {} : { ownWords }),
    });
    this.folders.follow(found.words, this.repeats > 0, this.held);
    this.tooMuch ||= this.folders.tooOften;
    for (const inner of started) {
      if (this.tooMuch) return;
      const why = this.#start(inner, found, role, depth + 1);
      if (why !== null) this.#hide(at, { what: 'runs', why });
    }
  }

  /** Adds an act that shows only when what a command starts was read. */
  #hide(at: number, hiding: Hiding): void {
    const command = this.commands[at];
    if (command) this.commands[at] = { ...command, hides: [...(command.hides ?? []), hiding] };
  }

  /** Adds what a command starts. Returns why that may be more than was read; null when it is not. */
  #start(
    inner: Started,
    outer: Found,
    outerRole: ShellRole | undefined,
    depth: number,
  ): string | null {
    if (inner.kind === 'code') {
      this.#guess(inner.text, outer, false);
      return null;
    }
    const role = outerRole === 'inner' ? 'inner' : inner.role;
    const { start, end } = outer;
    if (inner.kind === 'words') {
      const text = joinSources(inner.words);
      const draft =
        role === 'inner' ? null : outer.draft && { ...outer.draft, writes: [], reads: [] };
      const { stdin, doubt, pipedFrom, input, dialect, around } = outer;
      // In a script that a runner was given, a runner of its own lists nothing yet.
      const isReading = inner.role === 'inner' && !inner.isOnly;
      const listed = isReading || outer.listed === true;
      const before = outer.words.slice(0, Math.max(1, outer.words.length - inner.words.length));
      const elsewhere = outer.elsewhere === true || startsElsewhere(before);
      const moves = outer.moves === true || readsElsewhere(before);
      const mayBeAtRoot = outer.mayBeAtRoot || (moves && before.some(isAtRootWhenEmpty));
      const place = { elsewhere, moves, mayBeAtRoot, around, dialect };
      const words = { words: inner.words, text, listed, isReading, hides: [], ...place };
      this.#emit({ ...words, stdin, input, pipedFrom, draft, doubt, start, end }, role, depth);
    } else if (inner.script === null) {
      const key = `${role}:${start}:${end}`;
      if (this.#unknowns.has(key)) return null;
      this.#unknowns.add(key);
      const unknown: Word = { value: null, glob: null, source: '*', start, end };
      const found = { words: [unknown], stdin: undefined, input: NO_INPUT, text: '', hides: [] };
      const { dialect, around } = outer;
      this.#emit({ ...found, around, dialect, draft: null, doubt: null, start, end }, role, depth);
    } else if (depth > MAX_DEPTH) {
      this.tooMuch = true;
    } else {
      // Programs give their texts to the `sh` of the system.
      const own = inner.role === 'inner' && outer.dialect === 'bash' ? 'posix' : outer.dialect;
      const dialect = inner.shell ?? own;
      const script = inner.isOpen ? this.held.filledIn(inner.script) : inner.script;
      const isMoved = outer.moves === true || readsElsewhere(outer.words, script);
      const isOther = inner.shell !== undefined || role === 'inner';
      const read = () => this.#read(script, { start, end, role, depth, dialect }, isMoved);
      if (isOther) this.#others++;
      const why = isMoved
        ? this.folders.elsewhere(read)
        : inner.isOpen && isOther
          ? this.folders.apart(read)
          : read();
      if (isOther) this.#others--;
      const isSure = inner.shell !== undefined || inner.role !== 'inner';
      if (isSure && role === 'inner') return why;
    }
    return null;
  }

  /** Returns what a command reads as its input. In a line that redirects or pipes it may be that of a group around it. */
  #inputOf({ stdin, reads }: Draft): Input {
    if (stdin && !stdin.isOpen) return { kind: 'text', text: stdin.text };
    if (stdin !== undefined)
      return {
        kind: reads.length > 0 && !reads.some((file) => isStream(file ?? '')) ? 'file' : 'unknown',
      };
    const { text, isOpen } = this.pipedText ?? { text: '', isOpen: true };
    // What `echo` and `printf` make of signs of their own is only guessed.
    if (!isOpen && !/[\\%]/.test(text)) return { kind: 'text', text };
    return { kind: /[|<]/.test(this.#text) ? 'unknown' : 'none' };
  }

  /** Reads a script once in each role: nested runners name the same one many times. */
  #read(script: string, place: ScriptOrigin, isMoved: boolean): string | null {
    const key = `${place.role}:${place.dialect}:${isMoved}:${this.#others > 0}:${script}`;
    const known = this.#scripts.get(key);
    if (known !== undefined) return known;
    this.#scripts.set(key, null);
    const why = this.#readScript(script, this, place);
    this.#scripts.set(key, why);
    return why;
  }

  /** Adds what may be commands in a text of another language: never more than a reason to deny or ask. */
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
}

const BUILT_NAME: Doubt = { why: 'the name of the command is put together', isInherited: false };
const NO_INPUT: Input = { kind: 'none' };

/** Words the parser may take for a command where the shell begins or ends a statement. */
const RESERVED = new Set(
  '{ } ! [[ ]] if then else elif fi do done case esac for while until select function'.split(' '),
);
