import { createShellParser } from '../../src/main/engine/permissions/shell-analysis/parser';
import type { AgentTasks } from '../../src/main/engine/tasks/agent-tasks';
import { TASK_RUNNERS } from '../../src/main/engine/tasks/runners';
import { createTaskManager, type TaskManager } from '../../src/main/engine/tasks/task-manager';
import { createFileReadState } from '../../src/main/engine/tools/file-read-state';
import type { ToolEnvironment } from '../../src/main/engine/tools/tool';
import { createNodeFiles } from '../../src/main/node/files';
import { createNodePrograms } from '../../src/main/node/programs';
import { loadWasm } from '../../src/main/node/runtime';
import type { AgentEvent } from '../../src/shared/agent-event';
import type { PermissionMode } from '../../src/shared/permission';
import { countingIds, memoryClock } from './memory-clock';
import { pdfsHere } from './pdfs';

/** Takes shell lines apart; loaded at the first one. */
export const shellParser = createShellParser(loadWasm);

const none = () => {
  throw new Error('This test gave its tools no terminals.');
};

/** For tests without a sandbox. */
const NO_SANDBOX: ToolEnvironment['sandbox'] = {
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

/** Surroundings for a tool under test: the real disk, a clock that stands still, no terminals unless given. */
export function toolEnvironment(overrides: Partial<ToolEnvironment> = {}): ToolEnvironment {
  const project = overrides.project ?? '/nowhere';
  let cwd = project;
  let mode: PermissionMode = 'default';
  return {
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
      dismiss: none,
    },
    web: { get: none, readable: none },
    deferredTools: { search: () => [], pending: () => [], onChange: () => () => {} },
    mayReachPrivate: () => false,
    ask: none,
    agents: null,
    sandbox: NO_SANDBOX,
    tasks: NO_TASKS,
    clock: memoryClock(),
    ids: countingIds(),
    reads: createFileReadState(),
    cwd: {
      get: () => cwd,
      set: (path) => {
        cwd = path;
      },
    },
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
    ...overrides,
  };
}

/** The same surroundings with background tasks, as the main agent of a session has them. */
export function withTasks(
  base: ToolEnvironment,
  emit: (event: AgentEvent) => void = () => {},
): ToolEnvironment & { readonly manager: TaskManager } {
  const manager = createTaskManager({ ...base, runners: TASK_RUNNERS, emit });
  return { ...base, manager, tasks: manager.forAgent('main') };
}
