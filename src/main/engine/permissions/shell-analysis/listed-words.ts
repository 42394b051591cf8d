import { NO_COMMAND, type ShellCommand } from '../request';

/** Programs that print the names of what is there. */
export const LISTS =
  /^(?:\S*\/)?g?(?:(?:find|fd|fdfind|ls|tree|du|locate|git\s+ls-files)\b|(?:grep|rg|ag)\s(?:.*\s)?(?:-[a-zA-Z]*[lL]|--files))/;
/** Programs that print the words they are given. */
const PRINTS = /^(?:\S*\/)?(?:echo|printf)\b/;

/** The variable that a word begins with, or the value of an option, also behind a folder. */
const USED =
  /(?:^|\s)["']?(?:\.\/|@|--?[\w-]+[= ]?@?|\w+=@?)?(?:\$\{?PWD\}?\/)?["']?\$(?:\{?#?(\w+)|\{?([@*]))/g;

/**
 * Returns the commands of a line, with those that print what their words stand for: `for f in $(find .); do cp "$f" x; done`.
 * It tells of files that a command may be given: never more than a reason to ask. Pure.
 */
export function withListings(
  line: string,
  commands: readonly ShellCommand[],
): readonly ShellCommand[] {
  if (!commands.some(prints)) return commands;
  const settings = new Settings(line, commands);
  return commands.map((command) => {
    const isXargs = /^(?:xargs|parallel|rush)$/.test(command.words[0] ?? '');
    if (!isXargs && !command.words.includes(null)) return command;
    const inside = within(commands, command).filter((one) => one !== command);
    const used = namesUsed(command);
    const held = settings.pipesOf(used);
    if (held === null) return { ...command, listedBy: [ANY_LISTING] };
    // The commands of a text have one place: each of them may print what a variable in it holds.
    const others = used.some((name) => settings.areIn(name)) ? besides(commands, command) : [];
    const listedBy = [...printing([inside, ...others]), ...held];
    return listedBy.length > 0 ? { ...command, listedBy } : command;
  });
}

const prints = ({ text }: ShellCommand): boolean => LISTS.test(text) || PRINTS.test(text);

type Pipe = readonly ShellCommand[];

/** Returns those pipes that print names, each from the command that does. */
const printing = (pipes: readonly Pipe[]): readonly Pipe[] =>
  pipes.flatMap((pipe) => {
    const from = pipe.findIndex(prints);
    return from < 0 ? [] : [pipe.slice(from)];
  });

/** The pipe of a program of which nobody knows what it lists. */
const ANY_LISTING: Pipe = [{ ...NO_COMMAND, words: ['find', null], text: 'find' }];

interface Part {
  readonly start: number;
  readonly end: number;
}

/** Returns the commands that stand in a part of the line. Those in a text have the place of what runs it. */
const within = (commands: readonly ShellCommand[], { start, end }: Part): readonly ShellCommand[] =>
  commands.filter((one) => one.start > start && one.end <= end);

/** Returns the commands that stand in the same text as another one, each by itself. */
const besides = (
  commands: readonly ShellCommand[],
  command: ShellCommand,
): readonly (readonly ShellCommand[])[] =>
  commands
    .filter(({ start, end }) => start === command.start && end === command.end)
    .flatMap((one) => (one !== command && LISTS.test(one.text) ? [[one]] : []));

/** Returns the variables by which a command names files. The target of a copy is none of them. */
function namesUsed({ words, text }: ShellCommand): readonly string[] {
  const isCopy = /^(?:cp|mv|ln)$/.test(words[0] ?? '');
  const isAside = words.some((word) => /^(?:-[a-zA-Z]*t|--t)/.test(word ?? ''));
  const given = isCopy && !isAside && words.at(-1) === null ? text.replace(/\s\S+$/, '') : text;
  return [...given.matchAll(USED)].map(([, name, all]) => name ?? all ?? '');
}

/** More variables of a line, and places that set them, are not looked at. */
const MAX_NAMES = 200;
const MAX_PLACES = 400;

/** The words that a variable may hold: the output of pipes, and the values of other variables. */
interface Held {
  readonly pipes: readonly Pipe[];
  readonly others: readonly string[];
}

/** The places where a line sets its variables. Each variable is looked for once. */
class Settings {
  readonly #line: string;
  readonly #commands: readonly ShellCommand[];
  readonly #known = new Map<string, Held>();
  /** The parts of the line that give variables what they read. */
  readonly #reads: readonly RegExpMatchArray[];
  readonly #setters: string;
  #places = 0;

  constructor(line: string, commands: readonly ShellCommand[]) {
    this.#line = line;
    this.#commands = commands;
    this.#reads = [...line.matchAll(/\b(?:read|mapfile|readarray)\b[^;&|\n<]*/g)];
    const setters = line.match(/\b(?:for|read|mapfile|readarray)\b[^;&|\n]*/g) ?? [];
    this.#setters = setters.join('\n');
  }

  /** Tells whether the line sets a variable anywhere, also in a text. */
  areIn(name: string): boolean {
    return (
      /^\w+$/.test(name) &&
      (new RegExp(`\\s${name}\\b`).test(this.#setters) ||
        new RegExp(`\\b${name}\\+?=`).test(this.#line))
    );
  }

  /** Returns the pipes that print what variables may hold, through other variables, too; null where there are too many. */
  pipesOf(names: readonly string[]): readonly Pipe[] | null {
    const all = new Set(names);
    const pipes: Pipe[] = [];
    // What is added on the way is looked at, too.
    for (const name of all) {
      const held = this.#heldBy(name);
      if (held === null || all.size > MAX_NAMES) return null;
      pipes.push(...held.pipes);
      for (const other of held.others) all.add(other);
    }
    return pipes;
  }

  #heldBy(name: string): Held | null {
    const known = this.#known.get(name);
    if (known) return known;
    const places = this.#placesOf(name);
    this.#places += places.length;
    if (this.#known.size >= MAX_NAMES || this.#places > MAX_PLACES) return null;
    const parts = places.map((place) => place());
    const others = parts.flatMap(({ start, end }) =>
      [...this.#line.slice(start, end).matchAll(/[=\s(]["']?\$\{?(\w+|@)/g)].map(
        ([, other = '']) => other,
      ),
    );
    const pipes = printing(parts.map((part) => within(this.#commands, part)));
    const held = { pipes, others: [...new Set(others)] };
    this.#known.set(name, held);
    return held;
  }

  /** Returns the places that set a variable, as what finds the part of the line that it is set to. */
  #placesOf(name: string): readonly (() => Part)[] {
    const line = this.#line;
    const upToFrom = (setting: string, sign: RegExp) =>
      [...line.matchAll(new RegExp(setting, 'g'))].map(
        ({ index }) =>
          () =>
            upTo(sign, line, index),
      );
    if (/^[@*\d]$/.test(name)) return upToFrom('\\bset\\s+--\\s', /[;\n]/y);
    const word = `(?<![\\w$])${name}(?!\\w)`;
    const isGiven = new RegExp(`\\s${word}`);
    return [
      ...upToFrom(`\\bfor\\s+${word}\\s+in\\s`, /\bdo\b/y),
      ...upToFrom(`${word}\\+?=`, /[;\n&]/y),
      ...this.#reads
        .filter(([text]) => isGiven.test(text))
        .map(
          ({ index = 0 }) =>
            () =>
              givenAt(index, line, this.#commands),
        ),
    ];
  }
}

/** Returns the part of the line whose output a builtin at a place reads: in the pipe before it, or in a redirection. */
function givenAt(at: number, line: string, commands: readonly ShellCommand[]): Part {
  if (isPiped(line, at)) return { start: -1, end: at };
  const first = commands.find((one) => one.start > at && LISTS.test(one.text));
  return { start: at, end: first ? upTo(/$^/y, line, first.start).end : at };
}

/** Tells whether what stands at a place of the line, or the loop that begins right before it, is given the output of a pipe. */
const isPiped = (line: string, at: number): boolean =>
  /(?<!\|)\|(?!\|)&?\s*(?:\{\s*)?(?:while\s+(?:\w*=\S*\s+)*)?(?:\w*=\S*\s+)*$/.test(
    line.slice(0, at),
  );

/** Returns the part from a place in the line to a sign, a sticky expression, that does not stand in brackets. */
function upTo(sign: RegExp, line: string, start: number): Part {
  let open = 0;
  for (let at = start; at < line.length; at++) {
    const char = line.charAt(at);
    if (char === '(') open++;
    else if (char === ')') open--;
    sign.lastIndex = at;
    if (open < 0 || (open === 0 && sign.test(line))) return { start, end: at };
  }
  return { start, end: line.length };
}
