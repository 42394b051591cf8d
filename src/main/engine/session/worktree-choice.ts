import type { WorktreeChoice } from '../agents/carried-files';
import { fileRequest } from '../permissions/build-request';
import { relativeInside } from '../permissions/paths';
import { coversPath, parsePathPattern } from '../permissions/patterns';
import type { Services } from '../services';
import type { EffectiveSettings } from '../settings/effective';

/**
 * Returns what settings and rules say of new worktrees of a project. A file is copied only where it may be read without a
 * question in the project: elsewhere, a rule for its path would not hold for the copy.
 */
export function worktreeChoice(
  services: Pick<Services, 'files' | 'decide' | 'home' | 'platform'>,
  project: string,
  settings: EffectiveSettings,
): WorktreeChoice {
  const caseInsensitive = services.platform === 'darwin' || services.platform === 'win32';
  const where = { cwd: project, home: services.home };
  const context = { ...where, project, workingDirectories: [project], caseInsensitive };
  const {
    denyRead = [],
    credentialFiles = [],
    maskedFiles = [],
    allowRead = [],
  } = settings.sandbox ?? {};
  const masked = maskedFiles.map(({ name }) => name);
  const holds = (folder: string, path: string) =>
    relativeInside(folder, path, caseInsensitive) !== null;
  // As the sandbox has it: only what is allowed further down than it is denied may be read.
  const isHiddenBy = (denied: string, path: string): boolean =>
    isMeant(denied, path, caseInsensitive) ||
    (holds(denied, path) &&
      !allowRead.some((allowed) => holds(denied, allowed) && holds(allowed, path)));
  const realPathOf = async (path: string) => {
    const real = await services.files.realPath(path);
    return real.ok ? real.value : path;
  };
  return {
    baseRef: settings.worktree?.baseRef ?? 'fresh',
    symlinkDirectories: settings.worktree?.symlinkDirectories ?? [],
    mayCopy: async (path) => {
      for (const denied of [...denyRead, ...credentialFiles, ...masked])
        if (isHiddenBy(denied, path) || isHiddenBy(await realPathOf(denied), path)) return false;
      const request = await fileRequest('Read', 'read', path, where, services.files);
      return services.decide(request, settings.rules, 'default', context).behavior === 'allow';
    },
  };
}

/** Tells whether a pattern of the sandbox means a path. */
function isMeant(pattern: string, path: string, ignoreCase: boolean): boolean {
  if (!/[*?[]/.test(pattern)) return false;
  const parsed = parsePathPattern(pattern.slice(1), true);
  return parsed !== null && coversPath(parsed, path.slice(1), { isDirectory: false, ignoreCase });
}
