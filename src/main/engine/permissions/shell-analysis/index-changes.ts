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
  const changes = commands.filter(changesIndex);
  if (changes.length === 0) return commands;
  const isRepeated = REPEATS.test(line);
  return commands.map((command) => {
    const { hides, words } = command;
    // A substitution in a command runs before it.
    const isBehind = changes.some((one) => one !== command && one.start < command.end);
    if (hides === undefined || !(isRepeated || isBehind) || words.includes('worktree'))
      return command;
    return { ...command, hides: hides.map(ofAnyCommit) };
  });
}

/** Signs that a part of a line may run again, behind others that stand after it. */
const REPEATS = /\b(?:for|while|until|select)\b[\s\S]*\bdo\b|\bfunction\b|\(\s*\)/;

function ofAnyCommit(hiding: Hiding): Hiding {
  if (!hiding.ofCommits || hiding.copies) return hiding;
  const { limits, ...others } = hiding;
  if (limits === undefined) return { ...others, what: 'prints' };
  const { isCurrent: _, ...open } = limits;
  return { ...others, what: 'prints', limits: open };
}

/** Subcommands of git that make other files the tracked ones: always, or with such words behind them. */
const CHANGES: Readonly<Record<string, RegExp | null>> = {
  // A new branch begins where one is, and what stands behind `--` is a file.
  checkout: /^(?!(?:-\S+ )*(?:-- |\.$)|(?:-[bB]|--orphan) \S+$)/,
  switch: /^(?!(?:-[cC]|--c\S*|--orphan) \S+$)/,
  reset: /^(?!(?:-\S+ )*(?:HEAD|@|--)(?: |$))(?:-\S+ )*[^-]/,
  restore: /(?:^| )(?:-[a-zA-Z]*s|--so)/,
  stash: /(?:^| )(?:pop|apply|branch)(?: |$)/,
  apply: /(?:^| )(?:-[a-zA-Z]*3|--(?:3|ind|cac))/,
  add: /(?:^| )(?:-[a-zA-Z]*f|--fo)/,
  stage: /(?:^| )(?:-[a-zA-Z]*f|--fo)/,
  'update-index': /(?:^| )--(?:add|cac|index|stdin)/,
  'read-tree': null,
  pull: null,
  merge: null,
  rebase: null,
  'cherry-pick': null,
  revert: null,
  am: null,
  bisect: null,
  subtree: null,
  'filter-branch': null,
  'update-ref': null,
  'symbolic-ref': null,
};

/** Commands of programs around git that do so. */
const CHECKS_OUT: Readonly<Record<string, RegExp>> = {
  gh: /\b(?:pr checkout|repo sync|co)\b/,
  glab: /\bmr checkout\b/,
  hub: /\b(?:checkout|pull|merge|am|cherry-pick|sync)\b/,
  jj: /\b(?:new|edit|rebase|restore|undo)\b/,
};

/** Tells whether a command makes other files the tracked ones, or another commit the current one. */
function changesIndex({ words }: ShellCommand): boolean {
  const name = words[0]?.split('/').at(-1) ?? '';
  const texts = words.map((word) => word ?? '$');
  const outside = Object.hasOwn(CHECKS_OUT, name) ? CHECKS_OUT[name] : undefined;
  if (outside !== undefined) return outside.test(texts.slice(1).join(' '));
  const at = name === 'git' ? subcommandAt(words) : -1;
  const subcommand = texts[at] ?? '';
  if (at < 0 || !Object.hasOwn(CHANGES, subcommand)) return false;
  return CHANGES[subcommand]?.test(texts.slice(at + 1).join(' ')) !== false;
}
