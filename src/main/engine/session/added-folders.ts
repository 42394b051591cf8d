import { err, fault, ok, type Result } from '../../../shared/result';
import type { AgentState } from '../agent-state';
import type { FolderSource } from '../hooks/told-facts';
import { absolutePath, relativeInside } from '../permissions/paths';
import { workingDirectories } from './decision-context';
import type { SessionScope } from './session-scope';

/** The parts of a folder that are read again when it joins a session. */
export interface FolderWishes {
  /** Gives the model its memory file without waiting for a file of it to be read. */
  readonly memory?: boolean;
  /** Looks for skills in it. */
  readonly skills?: boolean;
}

/** Adds a folder to those that a session works in, until it ends; returns its real path. */
export type AddFolder = (
  name: string,
  source: FolderSource,
  wishes?: FolderWishes,
) => Promise<Result<string>>;

/**
 * Creates what adds folders. A user may name any; a program only one strictly inside a folder that the run was started
 * with, so that words it passes on open nothing new.
 */
export function createFolderAdder(
  scope: SessionScope,
  main: Pick<AgentState, 'cwd' | 'worktree'>,
): AddFolder {
  const { services, host, overlay, mcp, definitions } = scope;
  const ignoreCase = services.platform === 'darwin' || services.platform === 'win32';
  return async (name, source, wishes = {}) => {
    const real = await services.files.realPath(absolutePath(name, main.cwd.get(), services.home));
    const stat = real.ok ? await services.files.stat(real.value) : real;
    if (!real.ok || !stat.ok || stat.value.kind !== 'directory')
      return err(fault('no_folder', `There is no folder ${name}.`));
    const folder = real.value;
    const now = workingDirectories(scope, main);
    if (now.includes(folder)) return err(fault('already_added', `${folder} is worked in already.`));
    const started = [scope.project, ...host.settings().additionalDirectories];
    const isInside = (root: string) => relativeInside(root, folder, ignoreCase) !== null;
    if (source === 'register_repo_root' && !started.some(isInside))
      return err(
        fault('outside', `${folder} is not inside a folder that the session was started with.`),
      );
    if (source === 'slash_command' && now.some(isInside))
      return err(fault('already_added', `${folder} lies in a folder that is worked in already.`));
    overlay.take({ type: 'addDirectories', directories: [folder], destination: 'session' });
    if (wishes.memory === true) scope.memoryRoots.add(folder);
    if (wishes.skills === true) await definitions.lookIn([folder]);
    mcp.sync();
    scope.hooks.main?.onDirectoryAdded(folder, source);
    return ok(folder);
  };
}
