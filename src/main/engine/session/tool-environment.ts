import type { AgentState } from '../agent-state';
import { isReadRestricted } from '../permissions/decide-file';
import { readRules } from '../permissions/rules';
import { namesHost } from '../permissions/web-request';
import type { ToolEnvironment } from '../tools/tool';
import { decisionContext, workingDirectories } from './decision-context';
import type { SessionScope } from './session-scope';

/** What the rest of an agent gives its tools. */
type AgentParts = Pick<ToolEnvironment, 'deferredTools' | 'ask' | 'takesPdf' | 'agents'>;

/** Returns what the tools of one agent may use. */
export function createToolEnvironment(
  session: SessionScope,
  state: AgentState,
  parts: AgentParts,
): ToolEnvironment {
  const { services, settings, project } = session;
  return {
    ...parts,
    sessionId: session.log.sessionId,
    project,
    sessionFolder: session.paths.folder,
    home: services.home,
    files: services.files,
    parser: services.parser,
    programs: services.programs,
    terminals: services.terminals,
    web: services.web,
    pdfs: services.pdfs,
    clock: services.clock,
    ids: services.ids,
    tasks: session.tasks.forAgent(state.id),
    sandbox: session.sandbox,
    reads: state.reads,
    cwd: state.cwd,
    todos: () => state.transcript().todos,
    plan: () => state.transcript().plan,
    mode: {
      get: () => state.config().mode,
      set: (mode) => state.configure({ mode }),
    },
    shellEnv: () => services.shellEnv(settings().env),
    shell: services.shell,
    trusted: () => settings().trusted,
    workingDirectories: () => workingDirectories(session),
    hiddenFiles: () => {
      const rules = readRules(settings().rules);
      const context = decisionContext(session, state);
      return (realPath) => isReadRestricted({ path: realPath, realPath }, rules, context);
    },
    mayReachPrivate: (host) => namesHost(settings().rules, host),
  };
}
