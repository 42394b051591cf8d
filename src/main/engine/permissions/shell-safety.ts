import type { Cause } from './decision';
import {
  criticalRemovalReason,
  isInWorkingDirectories,
  protectedReason,
  strangePath,
} from './paths';
import type { ShellCommand, Touch } from './request';
import { mayRemoveAtRoot } from './root-removals';
import { coversFile } from './rule-match';
import { coversTool } from './rules';
import { realPathsOf, type ShellContext } from './shell-paths';
import { freshIn } from './temporary-folders';

/** Checks that no rule and no mode overrides: not understood, critical removals, protected files. */
export function hardChecks(shell: ShellContext): Cause[] {
  const { analysis } = shell.request;
  const causes: Cause[] = [];
  const fresh = freshIn(shell.request.command);
  if (!analysis.ok)
    causes.push({ reason: `the command could not be fully understood: ${analysis.reason}` });
  analysis.commands.forEach((command, index) => {
    for (const touch of shell.request.touches[index]?.touches ?? []) {
      if (touch.access !== 'edit' || !touch.certain) continue;
      const reason =
        (touch.removes ? criticalReason(shell, touch) : null) ?? guardedReason(shell, touch);
      if (reason !== null) causes.push({ reason: `${touch.path}: ${reason}`, part: command });
    }
    const use = shell.request.touches[index]?.use ?? null;
    if (mayRemoveAtRoot(shell, command, use, fresh))
      causes.push({
        reason: 'what it removes is only known at run time and may be at the root of the disk',
        part: command,
      });
  });
  return causes;
}

function criticalReason(shell: ShellContext, touch: Touch): string | null {
  if (!touch.glob)
    return firstReason(endsOf(shell, touch), (end) =>
      criticalRemovalReason(end, false, shell.context),
    );
  if (/[*?[].*\/\.\.(?:\/|$)/.test(touch.route ?? ''))
    return 'what it fits may be a link, and “..” behind that leads anywhere';
  const cut = touch.path.lastIndexOf('/');
  const folder = touch.path.slice(0, cut) || '/';
  const name = touch.path.slice(cut + 1);
  if (/[*?[]/.test(folder))
    return folder.lastIndexOf('/') <= 1 ? 'it may match top-level folders' : null;
  if (folder === '/') return 'it may match top-level folders';
  // `*`, `.*`, `?*`, `[!x]*`: as good as the folder itself.
  const matchesAll = /^[.?*]+$|^\.?\[[!^].\]\*$/.test(name);
  return matchesAll ? criticalRemovalReason(folder, true, shell.context) : null;
}

function guardedReason(shell: ShellContext, touch: Touch): string | null {
  return firstReason(endsOf(shell, touch), protectedReason);
}

const endsOf = (shell: ShellContext, touch: Touch): readonly string[] => [
  touch.path,
  ...(realPathsOf(shell, touch) ?? []),
];

function firstReason(
  ends: readonly string[],
  reasonFor: (end: string) => string | null,
): string | null {
  for (const end of ends) {
    const reason = reasonFor(end);
    if (reason !== null) return reason;
  }
  return null;
}

/** Checks that only an exact rule or `bypassPermissions` overrides. */
export function softChecks(shell: ShellContext): Cause[] {
  const { commands } = shell.request.analysis;
  const causes: Cause[] = [];
  const git = commands.find((command) => isNamed(command, 'git'));
  const cd = commands.some(
    (command, index) =>
      isNamed(command, 'pushd', 'popd') || (isNamed(command, 'cd') && !staysHere(shell, index)),
  );
  if (git && cd)
    causes.push({
      reason: 'it changes the folder and then runs git, which runs what that folder configures',
      part: git,
    });
  if (git && shell.request.gitRuns !== undefined)
    causes.push({
      reason: `this folder is not trusted, and ${shell.request.gitRuns}`,
      part: git,
    });
  // A rule for every command vouches for plain arithmetic with what the environment holds.
  const allowsAll =
    shell.mode !== 'plan' &&
    shell.rules.all.some(
      ({ rule, tool, specifier }) =>
        rule.behavior === 'allow' && specifier === null && coversTool(tool, shell.request.tool),
    );
  commands.forEach((command, index) => {
    const isTrusted = command.inherits && allowsAll;
    if (command.doubt !== undefined && command.role !== 'inner' && !isTrusted)
      causes.push({ reason: command.doubt, part: command });
    if (command.role === 'inner') return;
    const evaluated = allowsAll ? undefined : command.hides?.find(({ byShell }) => byShell);
    if (evaluated && command.doubt === undefined)
      causes.push({ reason: evaluated.why, part: command });
    const { touches = [], unknown = null } = shell.request.touches[index] ?? {};
    if (unknown !== null) causes.push({ reason: unknown, part: command });
    for (const touch of touches) {
      const strays = touch.stays === true && !isHere(shell, touch);
      const reason = strays
        ? `it runs git in ${touch.path}, and so what that folder configures`
        : touch.certain
          ? outsideReason(shell, touch)
          : null;
      if (reason !== null) causes.push({ reason, part: command });
    }
  });
  return causes;
}

/** Tells whether a `cd` leads to the folder the line starts in. */
function staysHere(shell: ShellContext, index: number): boolean {
  const { touches = [], unknown = null } = shell.request.touches[index] ?? {};
  return unknown === null && touches.length > 0 && touches.every((touch) => isHere(shell, touch));
}

/** Tells whether a touch is the folder the line starts in; one that goes up may lead elsewhere. */
const isHere = (shell: ShellContext, { path, route }: Touch): boolean =>
  path === shell.context.cwd && route === undefined;

const isNamed = (command: ShellCommand, ...names: readonly string[]): boolean =>
  names.includes(command.words[0]?.split('/').at(-1) ?? '');

/**
 * Returns why a path may not be used without asking; null when it and where it leads are inside or
 * allowed by a file rule.
 */
function outsideReason(shell: ShellContext, touch: Touch): string | null {
  const real = realPathsOf(shell, touch);
  if (real === null)
    return touch.below?.plain
      ? `names below ${touch.path} may be read as something else, or are too many to look at`
      : `${touch.path} could not be looked up`;
  for (const end of [touch.path, ...real]) {
    const strange = strangePath(end);
    if (strange !== null) return `${end}: ${strange}`;
    if (isInWorkingDirectories(end, shell.context)) continue;
    const tool = touch.access === 'read' ? 'Read' : 'Edit';
    const allowing = shell.rules
      .select('allow', () => ({ paths: [end] }))
      .some(
        (rule) =>
          rule.tool === tool &&
          !touch.glob &&
          coversFile(rule, end, touch.access === 'read', shell.context),
      );
    if (allowing && shell.mode !== 'plan') continue;
    return end === touch.path
      ? `${end} lies outside the working directories`
      : `${touch.path} leads to ${end}, outside the working directories`;
  }
  return null;
}
