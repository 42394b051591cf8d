import type { AgentState } from '../agent-state';
import type { DecisionContext } from '../permissions/request';
import { noteFolder, ownNotesCount } from '../prompt/auto-memory';
import type { Services } from '../services';
import type { SessionPaths } from '../sessions/paths';
import type { EffectiveSettings } from '../settings/effective';

/** The parts of a session that decisions about calls depend on. */
interface DecisionScope {
  readonly services: Pick<Services, 'configDir' | 'home' | 'platform'>;
  readonly project: string;
  readonly settings: () => EffectiveSettings;
  readonly paths: SessionPaths;
}

/** Returns the folders in which an agent may work without asking more than usual. Real paths. */
export const workingDirectories = (
  { project, settings }: DecisionScope,
  { worktree }: Pick<AgentState, 'worktree'>,
): readonly string[] => {
  const own = worktree.get();
  // One that a hook made can be anywhere.
  return [project, ...settings().additionalDirectories, ...(own === null ? [] : [own])];
};

/** Returns the folder of the notes about a project; null where none count. */
export const notesOf = ({
  services,
  project,
  settings,
}: Pick<DecisionScope, 'services' | 'project' | 'settings'>): string | null =>
  ownNotesCount(settings()) ? noteFolder(services.configDir, project) : null;

/** Builds the context of decisions about an agent's calls. */
export function decisionContext(session: DecisionScope, state: AgentState): DecisionContext {
  const { services, project, paths } = session;
  const notes = notesOf(session);
  return {
    cwd: state.cwd.get(),
    home: services.home,
    project,
    workingDirectories: workingDirectories(session, state),
    ownFolders: [paths.folder],
    noteFolders: notes === null ? [] : [notes],
    ownNotes: session.settings().trusted ? (notes ?? undefined) : undefined,
    scratchFolders: [paths.scratch, ...state.ownFolders],
    caseInsensitive: services.platform === 'darwin' || services.platform === 'win32',
  };
}
