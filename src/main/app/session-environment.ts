import type { DurableEvent } from '../../shared/agent-event';
import type { TodoItem } from '../../shared/tool-call';
import { isReadRestricted } from '../engine/permissions/decide-file';
import type { DecisionContext } from '../engine/permissions/request';
import { readRules } from '../engine/permissions/rules';
import { namesHost } from '../engine/permissions/web-request';
import type { Clock, Files, Ids, Programs, Terminals } from '../engine/ports';
import type { Pdfs, Web } from '../engine/ports-documents';
import type { OpenLog } from '../engine/sessions/open-log';
import { scratchFolder } from '../engine/sessions/paths';
import type { EffectiveSettings } from '../engine/settings/effective';
import { createFileReadState } from '../engine/tools/file-read-state';
import type { ToolEnvironment } from '../engine/tools/tool';
import type { ToolShelf } from '../engine/tools/tool-shelf';

/** What the tools of all sessions of a process share. */
export interface EnvironmentWorld {
  readonly files: Files;
  readonly programs: Programs;
  readonly terminals: Terminals;
  readonly web: Web;
  readonly pdfs: Pdfs;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly home: string;
  readonly platform: string;
  readonly shell: string;
  /** The environment of shell commands with what settings add, secrets removed from both. */
  shellEnv(added: Readonly<Record<string, string>>): Promise<Readonly<Record<string, string>>>;
}

/** What the tools of one session stand on. */
export interface EnvironmentParts {
  readonly project: string;
  readonly settings: () => EffectiveSettings;
  readonly shelf: ToolShelf;
}

/** What the rest of the session gives its tools. */
interface SessionOwned
  extends Pick<ToolEnvironment, 'tasks' | 'mode' | 'ask' | 'takesPdf' | 'sandbox'> {
  /** Shell commands run in another folder from now on. */
  onCwdChanged(from: string, to: string): void;
}

/** The surroundings of a session's tools. Working directory, reads, todos and plan live in it. */
export function createEnvironment(
  world: EnvironmentWorld,
  open: OpenLog,
  parts: EnvironmentParts,
  owned: SessionOwned,
): ToolEnvironment {
  let cwd = parts.project;
  let todos = lastTodos(open.events);
  let plan = lastPlan(open.events);
  const environment: ToolEnvironment = {
    ...owned,
    sessionId: open.log.sessionId,
    project: parts.project,
    sessionFolder: open.paths.folder,
    files: world.files,
    programs: world.programs,
    terminals: world.terminals,
    web: world.web,
    shelf: parts.shelf,
    pdfs: world.pdfs,
    clock: world.clock,
    ids: world.ids,
    reads: createFileReadState(),
    cwd: {
      get: () => cwd,
      set: (path) => {
        const from = cwd;
        cwd = path;
        if (path !== from) owned.onCwdChanged(from, path);
      },
    },
    todos: {
      get: () => todos,
      set: (items) => {
        todos = items;
      },
    },
    plan: {
      get: () => plan,
      set: (approved) => {
        plan = approved;
      },
    },
    shellEnv: () => world.shellEnv(parts.settings().env),
    shell: world.shell,
    trusted: () => parts.settings().trusted,
    workingDirectories: () => [parts.project, ...parts.settings().additionalDirectories],
    hiddenFiles: () => {
      const rules = readRules(parts.settings().rules);
      const context = decisionContext(world, parts, environment);
      return (realPath) => isReadRestricted({ path: realPath, realPath }, rules, context);
    },
    mayReachPrivate: (host) => namesHost(parts.settings().rules, host),
  };
  return environment;
}

/** What decisions about this session's calls go by. */
export const decisionContext = (
  world: EnvironmentWorld,
  parts: EnvironmentParts,
  environment: ToolEnvironment,
): DecisionContext => ({
  cwd: environment.cwd.get(),
  home: world.home,
  project: parts.project,
  workingDirectories: environment.workingDirectories(),
  ownFolders: [environment.sessionFolder],
  scratchFolders: [scratchFolder(environment.sessionFolder)],
  caseInsensitive: world.platform === 'darwin' || world.platform === 'win32',
});

/** The todo list as a resumed session left it. */
function lastTodos(events: readonly DurableEvent[]): readonly TodoItem[] {
  const last = events.findLast((e) => e.type === 'call_settled' && e.view?.kind === 'todo');
  return last?.type === 'call_settled' && last.view?.kind === 'todo' ? last.view.items : [];
}

/** The plan that was approved last, as a resumed session left it. */
function lastPlan(events: readonly DurableEvent[]): string | null {
  const plans = events.flatMap((e) =>
    e.type === 'call_settled' && e.view?.kind === 'plan' && e.view.state === 'approved'
      ? [e.view.plan]
      : [],
  );
  return plans.at(-1) ?? null;
}
