import type { AgentState } from '../agent-state';
import type { DecisionContext } from '../permissions/request';
import type { Services } from '../services';
import { type SessionPaths, scratchFolder } from '../sessions/paths';
import type { EffectiveSettings } from '../settings/effective';

/** What decisions need to know of a session. */
export interface DecisionScope {
  readonly services: Pick<Services, 'home' | 'platform'>;
  readonly project: string;
  readonly settings: () => EffectiveSettings;
  readonly paths: SessionPaths;
}

/** The folders in which an agent of the session may work without asking more than usual. Real paths. */
export const workingDirectories = ({ project, settings }: DecisionScope): readonly string[] => [
  project,
  ...settings().additionalDirectories,
];

/** Returns what decisions about an agent's calls go by. */
export const decisionContext = (session: DecisionScope, state: AgentState): DecisionContext => ({
  cwd: state.cwd.get(),
  home: session.services.home,
  project: session.project,
  workingDirectories: workingDirectories(session),
  ownFolders: [session.paths.folder],
  scratchFolders: [scratchFolder(session.paths.folder)],
  caseInsensitive: session.services.platform === 'darwin' || session.services.platform === 'win32',
});
