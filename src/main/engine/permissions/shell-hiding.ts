import { matchesSegment } from './patterns';
import {
  asTracked,
  coversPrinted,
  mayCoverPrinted,
  type Printed,
  printedBy,
} from './printed-files';
import { readOnlyUse } from './read-only/read-only-use';
import { type Hiding, NO_COMMAND, type ShellCommand } from './request';
import { allowableTexts, allowsCommand, mayNameOneOf, VALUED_BY_GIT } from './rule-match';
import { namesOf } from './rule-set';
import { coversTool, type ParsedRule } from './rules';
import { harmlessCode, harmlessCodeBehind } from './shell-analysis/interpreters';
import {
  givenToScript,
  isMessage,
  mayTakeCode,
  NAMES_THINGS,
  namesThings,
  takesInputForCode,
} from './shell-analysis/launchers';
import { hasPlainFolders, lookupKey, type ShellContext } from './shell-paths';

/** A command that may do, unseen, what a rule restricts. */
export interface Hidden {
  readonly command: ShellCommand;
  readonly why: string;
}

/** Commands that use what the same line makes: run it, show copies of files, or go through links. */
export interface OwnFacts {
  readonly ownMakings: Hidden | null;
  readonly ownCopies: Hidden | null;
  readonly ownLinks: Hidden | null;
  /** Everything that its commands hide, but for what an allow rule vouches for. */
  readonly unseen: readonly Unseen[];
}

interface Unseen extends Hidden {
  readonly what: Hiding['what'];
  readonly names?: readonly string[];
  /** The committed files that it shows. */
  readonly printed: Printed;
  /** An allow rule names its program. It stands only against rules that cover a tracked file for sure. */
  readonly isVouched?: true;
}

/**
 * Finds a command of a line that may do what a deny or ask rule restricts without showing it: what no analysis can know is
 * asked, in every mode, unless an allow rule names the program. Null when there is none. The last
 * argument is found once for all rules.
 */
export function hiddenFrom(
  shell: ShellContext,
  rule: ParsedRule,
  { ownMakings, ownCopies, ownLinks, unseen }: OwnFacts,
): Hidden | null {
  const isBash = rule.tool === 'Bash';
  if (!isBash && !/^(?:Read|Edit|Write)$/.test(rule.tool)) return null;
  const found =
    unseen.find(
      (one) =>
        mayMean(shell, rule, isBash, one.names) &&
        (one.isVouched
          ? coversPrinted(shell, rule, one.printed)
          : concerns(shell, rule, isBash, one)),
    ) ?? ownMakings;
  if (found) return found;
  if (isBash) return mentioned(shell, rule);
  return ownLinks ?? (rule.tool === 'Read' ? ownCopies : null);
}

/** Returns what the commands of a line hide, but for what an allow rule vouches for. */
export const unseenIn = (shell: ShellContext): Unseen[] =>
  shell.request.analysis.commands.flatMap((command) =>
    (command.hides ?? []).flatMap((found) => {
      const hiding = asTracked(shell, found);
      const { what, why, names, ofCommits, isExtension, ifCut, byShell, isChanged } = hiding;
      if (ifCut && hasPlainFolders(shell.context)) return [];
      // Its folders are looked at as what the command reads.
      if (hiding.below && !command.directories?.includes(null)) return [];
      // A rule for git does not mean what a repository holds that nobody knows, or holds only by a change in the line.
      const isVouched =
        ![byShell, isChanged, hiding.folder === null].includes(true) &&
        isVouchedFor(shell, command, isExtension);
      if (isVouched && !ofCommits) return [];
      return [
        {
          ...{ command, why, what, printed: printedBy(shell, hiding) },
          ...(names ? { names } : {}),
          ...(isVouched ? ({ isVouched } as const) : {}),
        },
      ];
    }),
  );

/** Returns the words by which a command may start the program of a rule. */
export const wordsThatStart = (shell: ShellContext): string[] =>
  shell.request.analysis.commands.flatMap((command, index) =>
    onlyReads(shell, index)
      ? []
      : [
          ...ownWords(command).flatMap((_, at) => (at === 0 ? [] : textsOf(shell, index, at))),
          ...handedOn(command),
        ],
  );

/** Returns what a word of a command may stand for: its text, the place it names, or the names of what a pattern fits. */
function textsOf({ request }: ShellContext, index: number, at: number): readonly string[] {
  const command = request.analysis.commands[index];
  const text = command?.words[at] ?? command?.located?.[at]?.path;
  if (text !== undefined) return [text];
  const glob = command?.globs?.[at];
  if (glob === undefined || NAMES_THINGS.has(command ? nameOf(command) : '')) return [];
  return (touchesOfGlob(request, index, glob) ?? [])
    .flatMap((touch) => request.realPaths[lookupKey(touch)] ?? [])
    .map(baseOf);
}

/** Returns the places that a pattern of a command means; null where it is not known in which folder that runs. */
function touchesOfGlob({ touches }: ShellContext['request'], index: number, glob: string) {
  const found = (touches[index]?.touches ?? []).filter(
    (touch) => touch.glob && touch.path.endsWith(glob.replace(/^(?:\.\.?\/)+/, '')),
  );
  return found.length === 0 ? null : found;
}

/** Returns the pattern that a word of a command is in a folder nobody knows; null when it is none. */
function unplacedPattern({ request }: ShellContext, index: number, at: number): string | null {
  const command = request.analysis.commands[index];
  const glob = command?.globs?.[at];
  if (!command || glob === undefined || at === 0 || NAMES_THINGS.has(nameOf(command))) return null;
  return touchesOfGlob(request, index, glob) === null ? baseOf(glob) : null;
}

/** Tells whether a line may start programs by patterns in a folder nobody knows, so that no word of it leads to their rules. */
export const startsByPattern = (shell: ShellContext): boolean =>
  shell.request.analysis.commands.some(
    (command, index) =>
      !onlyReads(shell, index) &&
      ownWords(command).some((_, at) => unplacedPattern(shell, index, at) !== null),
  );

const onlyReads = ({ request }: ShellContext, index: number): boolean =>
  request.touches[index]?.use === 'reads';

/** Returns the words of a command that are not judged as those of another one which it starts. */
const ownWords = ({ words, ownWords: end }: ShellCommand) => words.slice(0, end);

/** Tells whether a command is a reader as far as it is shown: what is set in front of it, or filled in, names no program. */
const readsAsShown = ({ doubt: _, role: __, ...command }: ShellCommand): boolean =>
  readOnlyUse({
    ...command,
    words: command.words.map((word) => word ?? './x'),
    assignments: [],
  }) !== null;

/** Tells whether a rule may mean a file with a name that fits one of the patterns; any when there are none. */
const mayMean = (
  { context }: ShellContext,
  rule: ParsedRule,
  isBash: boolean,
  names: readonly string[] | undefined,
): boolean =>
  names === undefined ||
  (isBash
    ? names.some((pattern) => matchesSegment(pattern, baseOf(namesOf(rule)[0] ?? '')))
    : mayNameOneOf(rule, names, context));

function concerns(
  shell: ShellContext,
  rule: ParsedRule,
  isBash: boolean,
  { what, printed }: Unseen,
): boolean {
  if (what === 'runs') return true;
  if (isBash) return false;
  if (what === 'reads') return true;
  return mayCoverPrinted(shell, rule, printed);
}

/**
 * Tells whether an allow rule names a program, and so allows what that runs. For an extension (`git name`) it has to say
 * more than the name of the command it extends.
 */
export const isVouchedFor = (
  shell: ShellContext,
  command: ShellCommand,
  isExtension?: true,
): boolean =>
  shell.rules
    .select('allow', () => ({ texts: allowableTexts(command) }))
    .some(
      (rule) =>
        rule.specifier !== null &&
        coversTool(rule.tool, shell.request.tool) &&
        allowsCommand(rule, command) !== 'none' &&
        !(isExtension && allowsCommand(rule, anyOf(nameOf(command))) !== 'none'),
    );

/** Returns a use of a program that only rules for all its uses cover. */
const anyOf = (name: string): ShellCommand => ({
  ...NO_COMMAND,
  words: [name, '\u0001'],
  text: `${name} \u0001`,
});

export const baseOf = (word: string): string => word.slice(word.lastIndexOf('/') + 1);

export const nameOf = ({ words }: ShellCommand): string => baseOf(words[0] ?? '');

/**
 * Finds a command that names the program of a rule in a place where it may be started: behind a launcher nobody knows, or in
 * an option.
 */
function mentioned(shell: ShellContext, rule: ParsedRule): Hidden | null {
  const names = namesOf(rule);
  const [first = ''] = names;
  if (first.length < 2) return null;
  for (const [index, command] of shell.request.analysis.commands.entries()) {
    const base = baseOf(first);
    if (onlyReads(shell, index)) continue;
    const texts = ownWords(command).map((_, at) => textsOf(shell, index, at));
    const fits = texts.some((_, at) => {
      const pattern = unplacedPattern(shell, index, at);
      return pattern !== null && matchesSegment(pattern, base);
    });
    const handed = handedOn(command);
    if (!fits && ![...texts.flat(), ...handed].some((text) => text.includes(base))) continue;
    const values = command.words.map((value) => ({ value }));
    const name = nameOf(command);
    const code = [...harmlessCode(name, values), ...harmlessCodeBehind(name, values).code];
    const isNaming = namesThings(name) && !setsSettings(command);
    const expression = mention(names);
    const isHanded = handed.some((text) => expression.test(text));
    const found =
      isHanded ||
      (!readsAsShown(command) &&
        texts.some((some, at) => {
          if (at === 0 || isMessage(command.words, at) || code.includes(command.words[at] ?? null))
            return false;
          return some.some(
            (text) => expression.test(text) && (!isNaming || !/^[\w./@:+-]+$/.test(text)),
          );
        }));
    if ((found || fits) && !isVouchedFor(shell, command))
      return { command, why: `it may start ${first}` };
  }
  return null;
}

/**
 * Returns what a command hands on beside its words: variables without their quotes (those in front of it, and alone by custom
 * those in capitals), the input of a program that may take it for commands, and what a program of the project is given.
 */
const handedOn = (command: ShellCommand): readonly string[] => {
  const { words, assignments, input = command.openInput } = command;
  const set = assignments.filter((text) => words.length > 0 || /^[A-Z]/.test(text));
  const name = nameOf(command);
  return [
    ...set.map((text) => text.replace(/["'\\]/g, '')),
    ...(input !== undefined && mayTakeCode(name) && takesInputForCode(name) ? [input] : []),
    // With folders in front it is a file like any other, but for one that may lie where programs are.
    ...givenToScript(words).flatMap((word) =>
      /^(?!\.{1,2}\/|(?:.*[/.])?s?bin\/)[\w.@+-]+(?:\/[\w.@+-]+)+$/.test(word ?? '')
        ? []
        : (word ?? []),
    ),
  ];
};

/** Tells whether a program is told to keep a setting, which may name a program that it runs later. */
const setsSettings = ({ words }: ShellCommand): boolean =>
  words.slice(1, 4).some((word) => word === 'config' || word === 'set');

/** An option between `git` and its subcommand, in a text or a list of words. */
const GIT_OPTION = `[\\s"',]+(?:(?:${VALUED_BY_GIT})[\\s"',]+?(?:"[^"]*"|'[^']*'|[^\\s"',])+|(?!(?:${VALUED_BY_GIT})[\\s"',])-[^\\s"',]+)`;
/** Each is read in one way only: to try every reading of many takes for ever. */
const GIT_OPTIONS = `(?:(?=(?<option>${GIT_OPTION}))\\k<option>)*`;

/** A program name as it may stand in a word: by itself, with its folder, behind the letter of an option. */
function mention(names: readonly string[]): RegExp {
  const escaped = names.map((name) => baseOf(name).replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const end = '(?:\\.(?:exe|cmd|bat|com))?(?![\\w/.=-])';
  const [first = '', ...more] = escaped;
  const program = first === 'git' ? `git${GIT_OPTIONS}` : first;
  return new RegExp(`(?:^-\\w|^|[^\\w.-])${[program, ...more].join('[^\\w]+')}${end}`);
}
