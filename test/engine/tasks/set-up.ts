import type { AnyTaskRunner } from '../../../src/main/engine/tasks/runners';
import { TASK_RUNNERS } from '../../../src/main/engine/tasks/runners';
import { localBash } from '../../../src/main/engine/tasks/runners/local-bash';
import { createTaskManager } from '../../../src/main/engine/tasks/task-manager';
import { createNodeFiles } from '../../../src/main/node/files';
import type { AgentEvent } from '../../../src/shared/agent-event';
import { tempFolder } from '../../node/temp-folder';
import { countingIds, memoryClock } from '../../support/memory-clock';
import { fakeTerminals } from './fake-terminals';

/** Lets everything go on that waits for nothing but its turn. */
export const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Lets the real disk answer: every wait of a test ends with something that holds. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await settle();
}

/** A task manager over terminals in memory. */
export async function setUp(
  over: {
    readonly terminals?: ReturnType<typeof fakeTerminals>;
    readonly runners?: readonly AnyTaskRunner[];
    readonly sessionId?: string;
    readonly folder?: string;
  } = {},
) {
  const clock = memoryClock();
  const terminals = over.terminals ?? fakeTerminals();
  const folder = over.folder ?? (await tempFolder());
  const events: AgentEvent[] = [];
  const manager = createTaskManager({
    terminals,
    clock,
    ids: countingIds(),
    files: createNodeFiles(),
    sessionId: over.sessionId ?? 's',
    sessionFolder: folder,
    runners: over.runners ?? TASK_RUNNERS,
    emit: (event) => events.push(event),
  });
  const tasks = manager.forAgent('main');
  /** Registers command `n` in terminal `trm_n`; the id of its task counts with it when all begin here. */
  const begin = (n: number, { background = true } = {}) =>
    tasks.start(
      localBash,
      {
        ...{ terminalId: `trm_${n}`, project: folder, command: `run ${n}` },
        ...{ argv: ['sh'], cwd: folder, env: {} },
      },
      { callId: `toolu_${n}`, title: `task ${n}`, command: `run ${n}`, background },
    );
  const typesOf = () => events.map((event) => event.type);
  return { clock, terminals, folder, events, typesOf, manager, tasks, begin };
}
