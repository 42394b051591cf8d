import type { AgentState } from '../agent-state';
import { isReadRestricted, restrictsReading } from '../permissions/decide-file';
import { createRuleSet } from '../permissions/rule-set';
import { readRules } from '../permissions/rules';
import { namesHost } from '../permissions/web-request';
import type { ToolAgent, ToolEnvironment } from '../tools/environment';
import { decisionContext, workingDirectories } from './decision-context';
import type { SessionScope } from './session-scope';

/** The parts of an agent that are built before its tools run, but not by its state. */
type AgentParts = Pick<ToolAgent, 'deferredTools' | 'ask' | 'takesPdf' | 'agents' | 'skills'>;

/** Returns what the tools of one agent may use, scope by scope. */
export function createToolEnvironment(
  scope: SessionScope,
  state: AgentState,
  parts: AgentParts,
): ToolEnvironment {
  const { services, settings } = scope;
  return {
    services,
    session: {
      id: scope.log.sessionId,
      project: scope.project,
      folder: scope.paths.folder,
      sandbox: scope.sandbox.forAgent(state.id, () => settings().rules),
      shellEnv: () => services.shellEnv(settings().env),
      trusted: () => settings().trusted,
      workingDirectories: () => workingDirectories(scope, state),
      mayReachPrivate: (host) => namesHost(settings().rules, host),
    },
    agent: {
      ...parts,
      reads: state.reads,
      cwd: state.cwd,
      worktree: state.worktree,
      mode: {
        get: () => state.config().mode,
        set: (mode) => state.configure({ mode }),
      },
      tasks: scope.tasks.forAgent(state.id),
      todos: () => state.transcript().todos,
      plan: () => state.transcript().plan,
      hidesFiles: () => restrictsReading(readRules(settings().rules)),
      hiddenFiles: () => {
        const rules = createRuleSet(readRules(settings().rules));
        const context = decisionContext(scope, state);
        return (realPath) => isReadRestricted({ path: realPath, realPath }, rules, context);
      },
    },
  };
}
