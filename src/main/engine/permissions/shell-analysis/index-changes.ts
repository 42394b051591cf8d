import type { Hiding, ShellCommand } from '../request';
import { subcommandAt } from './git-hiding';

/**
 * Returns the commands of a line, with what they show of tracked files taken for what any commit may hold, where another one
 * changes before which files those are: `git checkout x && git grep y`. Pure.
 */
export function afterIndexChanges(
  line: string,
  commands: readonly ShellCommand[],
): readonly ShellCommand[] {
  const changes = commands.flatMap((command) => changeBy(command) ?? []);
  if (changes.length === 0) return commands;
  const parts = [...laterParts(line), ...commands.filter(repeats)];
  return commands.map((command) => {
    const { hides } = command;
    // A substitution in a command runs before it, and a part that runs again or later behind what stands after it.
    const before = changes.filter(
      ({ by }) =>
        by !== command &&
        (by.start < command.end || parts.some((part) => isIn(by, part) && isIn(command, part))),
    );
    if (hides === undefined || before.length === 0 || subcommandOf(command) === 'worktree')
      return command;
    const isSure = before.some(({ unlessTracked }) => unlessTracked === undefined);
    const unlessTracked = before.flatMap((change) => change.unlessTracked ?? []);
    const places = before.flatMap(({ adds = [] }) => adds);
    const added = places.length > 0 ? { withAdded: places } : {};
    return {
      ...command,
      hides: hides.map((hiding) =>
        isSure || !hiding.ofCommits ? ofAnyCommit(hiding) : { ...hiding, unlessTracked, ...added },
      ),
    };
  });
}

/** A command that may make other files the tracked ones; not where all of some words are files that are tracked. */
interface Change {
  readonly by: ShellCommand;
  readonly unlessTracked?: readonly string[];
  /** It makes tracked files of others, in these places; the empty one is the whole repository. */
  readonly adds?: readonly string[];
}

function changeBy(command: ShellCommand): Change | null {
  if (!changesIndex(command)) {
    const adds = placesAdded(command);
    return adds.length > 0 ? { by: command, unlessTracked: [], adds } : null;
  }
  const unlessTracked = checkedOut(command);
  return { by: command, ...(unlessTracked ? { unlessTracked } : {}) };
}

/** Returns the words of `git checkout` that name files or a branch; null where there are others. */
export function checkedOut({ words, directories }: ShellCommand): readonly string[] | null {
  if (words[0] !== 'git' || words[1] !== 'checkout' || directories !== undefined) return null;
  const operands = words
    .slice(2)
    .filter((word) => !/^(?:-[qf]|--quiet|--force)$/.test(word ?? '$'));
  return operands.every((word) => /^[\w.@+][\w./@+-]*$/.test(word ?? '$'))
    ? (operands as string[])
    : null;
}

/** Options by which `git add` takes up no other files: it updates, edits, asks or only tells. */
const ADDS_NONE = /^(?:-[a-zA-Z]*[upien]|--(?:u|patc|inter|e|d|ref|ren))/;

/** Returns the places whose files a command makes tracked ones; the empty one is the whole repository. */
function placesAdded(command: ShellCommand): readonly string[] {
  if (!/^(?:add|stage)$/.test(subcommandOf(command) ?? '')) return [];
  const at = subcommandAt(command.words);
  const rest = command.words.slice(at + 1);
  const end = rest.indexOf('--');
  const before = end < 0 ? rest : rest.slice(0, end);
  const options = before.filter((word) => word?.startsWith('-'));
  const has = (option: RegExp) => options.some((word) => option.test(word ?? ''));
  if (has(ADDS_NONE) && !has(/^--no-/)) return [];
  const operands = [
    ...before.filter((word) => !word?.startsWith('-')),
    ...(end < 0 ? [] : rest.slice(end + 1)),
  ];
  const isElsewhere = at > 1 || command.directories !== undefined;
  const isAll = operands.length === 0 && has(/^(?:-[a-zA-Z]*A|--a)/);
  const isOpen = operands.some((word) => word === null || /^:|[*?[\\]/.test(word));
  if (isAll || has(/^--paths/) || (operands.length > 0 && (isElsewhere || isOpen))) return [''];
  return operands as string[];
}

/** Programs that run what they are given more than once: what one run changes, the next one sees. */
const REPEATS = /^(?:xargs|parallel|rush|watch|entr|find|fd|fdfind|hyperfine|nodemon|watchexec)$/;

const repeats = (command: ShellCommand): boolean => REPEATS.test(nameOf(command));

interface Part {
  readonly start: number;
  readonly end: number;
}

/** Tells whether a command stands in a part of the line. One in quotes has the place of what runs that text. */
const isIn = ({ start, end }: ShellCommand, part: Part): boolean =>
  end > part.start && start < part.end;

/** The beginning of a loop. */
const LOOP = /(?:^|[;&|({\n"'`]|\b(?:do|then|else|time))\s*(?:for|while|until|select)(?=[\s(])/g;
/** Signs that a part runs later: functions, traps and what runs in the background. */
const LATER =
  /(?:^|[;&|({\n"'`]|\b(?:do|then|else))[ \t]*(?:function\s+\S|trap\s)|\(\s*\)\s*(?:[{(]|\[\[|(?:if|for|while|until|case|select)\b)|(?<![&<>|\\])&(?![&>])/;

/** Returns the parts of a line whose commands may run behind others that stand after them. */
function laterParts(line: string): readonly Part[] {
  // A quote behind a backslash or in a comment is none.
  const isPlain = !/\\["']|(?:^|\s)#/.test(line);
  const blank = (text: string) => (/\bgit\b/.test(text) ? text : ' '.repeat(text.length));
  const code = isPlain ? line.replace(/'[^']*'|"[^"]*"/g, blank) : line;
  if (LATER.test(code)) return [{ start: 0, end: line.length }];
  const end = Math.max(0, ...[...code.matchAll(/\bdone\b/g)].map(({ index }) => index));
  return [...code.matchAll(LOOP)].map(({ index }) => ({ start: index + 1, end }));
}

/** Returns what a command hides where the files it shows may be of any commit. */
export function ofAnyCommit(hiding: Hiding): Hiding {
  if (!hiding.ofCommits || hiding.copies) return hiding;
  const { limits, unlessTracked: _, withAdded: __, ...others } = hiding;
  const changed = { ...others, what: 'prints', isChanged: true } as const;
  if (limits === undefined) return changed;
  const { isCurrent: ___, ...open } = limits;
  return { ...changed, limits: open };
}

/** Subcommands of git that make other files the tracked ones: always, or with such words behind them. */
const CHANGES: Readonly<Record<string, RegExp | null>> = {
  // A new branch begins where one is, and what stands behind `--` is a file: of another commit only where its name tells so.
  checkout:
    /^(?!(?:-\S+ )*(?:-- |\.$)|[^-\s]\S* --(?: [^\s:*?[\\]*\w\.(?!d(?: |$))\w+)+$|(?:-q )?(?:-[bB]|--orphan) \S+$)/,
  switch: /^(?!(?:-q |--quiet )*(?:-[cC] |(?:--cr\w*|--orphan)[ =])\S+$)/,
  reset: /^(?!(?:-\S+ )*(?:HEAD|@|--)(?: |$))(?:-\S+ )*[^-]/,
  restore: /^(?=(?:.* )?(?:-[a-zA-Z]*s|--so))(?=(?:.* )?(?:-[a-zA-Z]*S|--st))/,
  stash: /(?:^| )(?:pop|apply|branch)(?: |$)/,
  apply: /(?:^| )(?:-[a-zA-Z]*3|--(?:3|ind|cac))/,
  add: /(?:^| )(?:-[a-zA-Z]*f|--f)/,
  stage: /(?:^| )(?:-[a-zA-Z]*f|--f)/,
  'update-index': /(?:^| )--(?:add|cac|index|stdin)/,
  'read-tree': null,
  pull: null,
  merge: null,
  rebase: null,
  'cherry-pick': null,
  revert: null,
  am: null,
  bisect: /^(?!(?:log|view|visualize|help|terms)(?: |$))/,
  subtree: null,
  'filter-branch': null,
  'update-ref': null,
  'merge-recursive': null,
  'merge-resolve': null,
  'merge-octopus': null,
  'fast-import': null,
  replace: /^(?!(?:$|-l|--l))/,
  fetch: /(?:^| )(?:-[a-zA-Z]*u|--up)/,
  'symbolic-ref': /(?:^| )(?:-d|--d|[^-]\S* \S)/,
};

/** Commands of programs around git that do so. */
const CHECKS_OUT: Readonly<Record<string, RegExp>> = {
  gh: /^(?:pr (?:-\S+ (?:\S+\/\S+ )?)*(?:checkout|co|merge)|repo sync|co)\b/,
  glab: /\bmr checkout\b/,
  hub: /\b(?:checkout|pull|merge|am|cherry-pick|sync)\b/,
  jj: /\b(?:new|edit|rebase|restore|undo)\b/,
};

/** Tells whether a command makes other files the tracked ones, or another commit the current one. */
function changesIndex(command: ShellCommand): boolean {
  const name = nameOf(command);
  const texts = command.words.map((word) => word ?? '$');
  const outside = Object.hasOwn(CHECKS_OUT, name) ? CHECKS_OUT[name] : undefined;
  if (outside !== undefined) return outside.test(texts.slice(1).join(' '));
  const subcommand = subcommandOf(command) ?? '';
  if (!Object.hasOwn(CHANGES, subcommand)) return false;
  const behind = texts.slice(subcommandAt(command.words) + 1).join(' ');
  return CHANGES[subcommand]?.test(behind) !== false;
}

const nameOf = ({ words }: ShellCommand): string => words[0]?.split('/').at(-1) ?? '';

/** Returns the subcommand of a command of git. */
const subcommandOf = (command: ShellCommand): string | null | undefined =>
  nameOf(command) === 'git' ? command.words[subcommandAt(command.words)] : undefined;
