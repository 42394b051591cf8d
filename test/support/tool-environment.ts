import type { ServerResources } from '../../src/main/engine/mcp/resource-tools';
import { createShellParser } from '../../src/main/engine/permissions/shell-analysis/parser';
import { TASK_RUNNERS } from '../../src/main/engine/tasks/runners';
import { createTaskManager, type TaskManager } from '../../src/main/engine/tasks/task-manager';
import type { AgentTasks } from '../../src/main/engine/tasks/task-runner';
import type {
  CommandSandbox,
  ToolAgent,
  ToolEnvironment,
  ToolServices,
  ToolSession,
} from '../../src/main/engine/tools/environment';
import { createFileReadState } from '../../src/main/engine/tools/file-read-state';
import { createNodeFiles } from '../../src/main/node/files';
import { createNodePrograms } from '../../src/main/node/programs';
import { loadWasm } from '../../src/main/node/runtime';
import type { AgentEvent } from '../../src/shared/agent-event';
import type { PermissionMode } from '../../src/shared/permission';
import { err, ok } from '../../src/shared/result';
import { countingIds, memoryClock } from './memory-clock';
import { pdfsHere } from './pdfs';

/** Takes shell lines apart; loaded at the first one. */
export const shellParser = createShellParser(loadWasm);

const none = () => {
  throw new Error('This test gave its tools no terminals.');
};

/** For tests without a sandbox. */
const NO_SANDBOX: CommandSandbox = {
  terms: async () => null,
  enter: none,
  follow: none,
};

/** For tests that start no tasks. */
const NO_TASKS: AgentTasks = {
  list: () => [],
  get: () => null,
  start: none,
  moveToBackground: none,
  stop: none,
  message: none,
  settled: none,
  onProgress: none,
  readNewOutput: none,
  endSeen: none,
  notices: () => [],
  noticeTold: none,
};

/** The parts of an environment, without their scopes, for tests that change a few. */
export type EnvironmentParts = ToolServices &
  ToolAgent &
  Omit<ToolSession, 'id' | 'folder'> & {
    readonly sessionId: string;
    readonly sessionFolder: string;
  };

/** A session without tool servers that have resources. */
export const noResources: ServerResources = {
  servers: () => [],
  list: async () => err('none'),
  templates: async () => err('none'),
  read: async () => err('none'),
};

/** Returns an environment for a tool under test: the real disk, a clock that stands still, no terminals unless given. */
export function toolEnvironment(overrides: Partial<EnvironmentParts> = {}): ToolEnvironment {
  const project = overrides.project ?? '/nowhere';
  let cwd = project;
  let mode: PermissionMode = 'default';
  return scoped({
    sessionId: 'test-session',
    project,
    sessionFolder: `${project}/.session`,
    home: '/nobody',
    files: createNodeFiles(),
    parser: shellParser,
    programs: createNodePrograms(),
    pdfs: pdfsHere,
    takesPdf: () => true,
    terminals: {
      spawn: none,
      onProgress: none,
      exited: none,
      kill: none,
      list: none,
      mayRun: none,
      text: none,
      dismiss: none,
    },
    web: { get: none, readable: none },
    deferredTools: { search: () => [], pending: () => [], onChange: () => () => {} },
    mayReachPrivate: () => false,
    ask: none,
    agents: null,
    skills: { use: () => {}, waiting: () => [], told: () => {}, recent: () => [] },
    sandbox: NO_SANDBOX,
    tasks: NO_TASKS,
    locks: { acquire: async () => ok(async () => {}), endSibling: none },
    clock: memoryClock(),
    ids: countingIds(),
    reads: createFileReadState(),
    cwd: {
      get: () => cwd,
      set: (path) => {
        cwd = path;
      },
    },
    worktree: { get: () => null, set: () => {} },
    todos: () => [],
    plan: () => null,
    mode: {
      get: () => mode,
      set: (next) => {
        mode = next;
      },
    },
    shellEnv: async () => ({}),
    shell: '/bin/bash',
    trusted: () => true,
    workingDirectories: () => [project],
    hiddenFiles: () => () => false,
    hidesFiles: () => overrides.hiddenFiles !== undefined,
    ...overrides,
  });
}

/** Returns the environment with some parts replaced. */
export const changedEnvironment = (
  { services, session, agent }: ToolEnvironment,
  changes: Partial<EnvironmentParts>,
): ToolEnvironment => {
  const { id: sessionId, folder: sessionFolder, ...rest } = session;
  return scoped({ ...services, ...rest, sessionId, sessionFolder, ...agent, ...changes });
};

/** Sorts the parts into their scopes. */
function scoped(parts: EnvironmentParts): ToolEnvironment {
  const { clock, ids, files, programs, locks, terminals, web, ...further } = parts;
  const { pdfs, parser, home, shell, ...others } = further;
  const { sessionId, project, sessionFolder, sandbox, shellEnv, trusted, ...more } = others;
  const { workingDirectories, mayReachPrivate, ...agent } = more;
  return {
    services: { clock, ids, files, programs, locks, terminals, web, pdfs, parser, home, shell },
    session: {
      id: sessionId,
      project,
      folder: sessionFolder,
      sandbox,
      shellEnv,
      trusted,
      workingDirectories,
      mayReachPrivate,
    },
    agent,
  };
}

/** Returns the environment with background tasks, as the main agent of a session has them. */
export function withTasks(
  base: ToolEnvironment,
  emit: (event: AgentEvent) => void = () => {},
): ToolEnvironment & { readonly manager: TaskManager } {
  const { id: sessionId, folder: sessionFolder } = base.session;
  const manager = createTaskManager({
    ...base.services,
    sessionId,
    sessionFolder,
    runners: TASK_RUNNERS,
    emit,
  });
  return { ...changedEnvironment(base, { tasks: manager.forAgent('main') }), manager };
}
