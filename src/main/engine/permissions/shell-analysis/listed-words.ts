import type { ShellCommand } from '../request';

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
  const prints = ({ text }: ShellCommand) => LISTS.test(text) || PRINTS.test(text);
  if (!commands.some(prints)) return commands;
  return commands.map((command) => {
    const isXargs = /^(?:xargs|parallel|rush)$/.test(command.words[0] ?? '');
    if (!isXargs && !command.words.includes(null)) return command;
    const inside = within(commands, command).filter((one) => one !== command);
    const used = namesUsed(command);
    const pipes = [
      inside,
      ...used.flatMap((name) => heldBy(name, line, commands)),
      // The commands of a text have one place: each of them may print what a variable in it holds.
      ...(used.some((name) => isSetIn(name, line)) ? besides(commands, command) : []),
    ];
    const listedBy = pipes.flatMap((pipe) => {
      const from = pipe.findIndex(prints);
      return from < 0 ? [] : [pipe.slice(from)];
    });
    return listedBy.length > 0 ? { ...command, listedBy } : command;
  });
}

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

const isSetIn = (name: string, line: string): boolean =>
  /^\w+$/.test(name) &&
  new RegExp(`\\b(?:for|read|mapfile|readarray)\\b[^;&|\\n]*\\s${name}\\b|\\b${name}\\+?=`).test(
    line,
  );

/** Returns the variables by which a command names files. The target of a copy is none of them. */
function namesUsed({ words, text }: ShellCommand): readonly string[] {
  const isCopy = /^(?:cp|mv|ln)$/.test(words[0] ?? '');
  const isAside = words.some((word) => /^(?:-[a-zA-Z]*t|--t)/.test(word ?? ''));
  const given = isCopy && !isAside && words.at(-1) === null ? text.replace(/\s\S+$/, '') : text;
  return [...given.matchAll(USED)].map(([, name, all]) => name ?? all ?? '');
}

/** Variables that are set to one another are followed so far. */
const MAX_STEPS = 3;

/** Returns the commands that print what a variable may hold, those of each place where a line sets it. */
function heldBy(
  name: string,
  line: string,
  commands: readonly ShellCommand[],
  steps = 0,
): readonly (readonly ShellCommand[])[] {
  const at = (setting: string) => [...line.matchAll(new RegExp(setting, 'g'))];
  const word = `(?<![\\w$])${name}(?!\\w)`;
  const parts = /^[@*\d]$/.test(name)
    ? at('\\bset\\s+--\\s').map(({ index }) => upTo(/[;\n]/g, line, index))
    : [
        ...at(`\\bfor\\s+${word}\\s+in\\s`).map(({ index }) => upTo(/\bdo\b/g, line, index)),
        ...at(`${word}\\+?=`).map(({ index }) => upTo(/[;\n&]/g, line, index)),
        ...at(`\\b(?:read|mapfile|readarray)\\b[^;&|\\n<]*\\s${word}`).map(({ index }) =>
          givenAt(index, line, commands),
        ),
      ];
  const others = parts.flatMap(({ start, end }) =>
    [...line.slice(start, end).matchAll(/[=\s(]["']?\$\{?(\w+|@)/g)].flatMap(([, other = '']) =>
      other === name || steps >= MAX_STEPS ? [] : heldBy(other, line, commands, steps + 1),
    ),
  );
  return [...parts.map((part) => within(commands, part)), ...others];
}

/** Returns the part of the line whose output a builtin at a place reads: in the pipe before it, or in a redirection. */
function givenAt(at: number, line: string, commands: readonly ShellCommand[]): Part {
  if (isPiped(line, at)) return { start: -1, end: at };
  const first = commands.find((one) => one.start > at && LISTS.test(one.text));
  return { start: at, end: first ? upTo(/$^/g, line, first.start).end : at };
}

/** Tells whether what stands at a place of the line, or the loop that begins right before it, is given the output of a pipe. */
const isPiped = (line: string, at: number): boolean =>
  /(?<!\|)\|(?!\|)&?\s*(?:\{\s*)?(?:while\s+(?:\w*=\S*\s+)*)?(?:\w*=\S*\s+)*$/.test(
    line.slice(0, at),
  );

/** Returns the part from a place in the line to a sign that does not stand in brackets or quotes. */
function upTo(sign: RegExp, line: string, start: number): Part {
  let open = 0;
  for (let at = start; at < line.length; at++) {
    const char = line.charAt(at);
    if (char === '(') open++;
    else if (char === ')') open--;
    sign.lastIndex = at;
    if (open < 0 || (open === 0 && sign.exec(line)?.index === at)) return { start, end: at };
  }
  return { start, end: line.length };
}
