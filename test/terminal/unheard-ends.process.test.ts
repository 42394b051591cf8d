import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isDurable } from '../../src/main/engine/event-log';
import { TASK_RUNNERS } from '../../src/main/engine/tasks/runners';
import { localBash } from '../../src/main/engine/tasks/runners/local-bash';
import { createTaskManager } from '../../src/main/engine/tasks/task-manager';
import { createNodeFiles } from '../../src/main/node/files';
import type { TerminalClient } from '../../src/main/terminal/client/terminal-client';
import { MAX_ENDED_COMMANDS } from '../../src/main/terminal/host/hosted-terminals';
import { hostPlace, readHostRecord } from '../../src/main/terminal/run-folder';
import type { AgentEvent } from '../../src/shared/agent-event';
import { unheardEndPath } from '../../src/shared/terminal';
import { countingIds, memoryClock } from '../support/memory-clock';
import { startTestTerminals, type TestTerminals } from '../support/terminal-client';
import { bash, isAlive, spawned, until } from './support';

let terminals: TestTerminals;
beforeEach(async () => {
  terminals = await startTestTerminals();
});
afterEach(() => terminals.stop());

/** Returns the tasks of the one session of these tests, in a main process with this client. */
function sessionIn(client: TerminalClient) {
  const events: AgentEvent[] = [];
  const manager = createTaskManager({
    terminals: client,
    clock: memoryClock(),
    ids: countingIds(),
    files: createNodeFiles(),
    sessionId: 'ses',
    sessionFolder: terminals.folder,
    runners: TASK_RUNNERS,
    emit: (event) => events.push(event),
  });
  return { manager, tasks: manager.forAgent('main'), log: () => events.filter(isDurable) };
}

/** Starts a task that ends with 3 once the file `go` is there, in a main process that hears nothing from then on. Returns its log. */
async function startAndHang() {
  const {
    id,
    argv,
    cwd,
    env,
    command = '',
  } = bash(terminals, 'until [ -e go ]; do sleep 0.05; done; echo done; exit 3');
  const { manager, tasks, log } = sessionIn(terminals.client);
  const spec = { terminalId: id, project: cwd, command, argv, cwd, env };
  const about = { callId: 'toolu', title: 'wait', command, background: true };
  await tasks.start(localBash, spec, about).running;
  manager.close();
  return { id, log: log() };
}

/** The same in a main process that is gone then. */
async function startAndGo() {
  const started = await startAndHang();
  await terminals.client.close({ keepTerminals: true });
  return started;
}

/** Lets the task end while a main process is there that knows nothing of its session. */
async function endBeside(other: TerminalClient, id: string): Promise<void> {
  expect((await other.list()).map((info) => info.id)).toContain(id);
  await writeFile(join(terminals.folder, 'go'), '');
  expect(await other.exited(id)).toMatchObject({ exitCode: 3 });
}

/** Runs as many commands as the host keeps ended ones, and one more. */
async function pushOut(client: TerminalClient, id: string): Promise<void> {
  for (let count = 0; count <= MAX_ENDED_COMMANDS; count += 1) {
    const spec = bash(terminals, ':');
    await spawned(client, spec);
    await client.exited(spec.id);
  }
  expect((await client.list()).map((info) => info.id)).not.toContain(id);
}

async function expectTold(client: TerminalClient, log: ReturnType<typeof sessionIn>['log']) {
  const { manager, tasks } = sessionIn(client);
  await manager.resume(log());
  await until(() => tasks.notices().length > 0);
  const [task] = tasks.list();
  expect(task).toMatchObject({ status: 'failed', result: { code: 3 } });
  expect(task?.endedAt).toBeGreaterThan(0);
  expect(tasks.notices()).toHaveLength(1);
  expect(tasks.notices()[0]?.text).not.toContain('Lost');
  expect((await tasks.readNewOutput(task?.id ?? '')).text).toBe('done\n');
}

test('the end of a task is told to its session after more commands than the host keeps', async () => {
  const { id, log } = await startAndGo();
  const other = terminals.connect();
  await endBeside(other, id);
  await pushOut(other, id);
  await expectTold(other, () => log);
});

test('the same after its Lathe hung, heard nothing of all that, and was killed', async () => {
  const { id, log } = await startAndHang();
  const other = terminals.connect();
  await endBeside(other, id);
  await pushOut(other, id);
  await terminals.client.close({ keepTerminals: true });
  await expectTold(other, () => log);
});

test('the end of a task is told to its session after the host was ended by who did not know of it', async () => {
  const { id, log } = await startAndGo();
  const other = terminals.connect();
  await endBeside(other, id);
  const host = (await readHostRecord(hostPlace(terminals.runFolder)))?.pid ?? 0;
  await other.close({ keepTerminals: false });
  await until(() => !isAlive(host));
  await expectTold(terminals.connect(), () => log);
});

test('the end of a task is told to its session after the host was killed beside a client that knows nothing of it', async () => {
  const { id, log } = await startAndGo();
  const other = terminals.connect();
  await endBeside(other, id);
  const host = (await readHostRecord(hostPlace(terminals.runFolder)))?.pid ?? 0;
  process.kill(host, 'SIGKILL');
  await until(() => !isAlive(host));
  await expectTold(terminals.connect(), () => log);
});

test('the end of a task is told to its session after a Lathe that hung was killed, and the host with it', async () => {
  const { id, log } = await startAndHang();
  const other = terminals.connect();
  await endBeside(other, id);
  await terminals.client.close({ keepTerminals: true });
  const started = log.find((event) => event.type === 'task_started');
  const end = unheardEndPath(started?.task.outputFile ?? '');
  await until(() => existsSync(end));
  const host = (await readHostRecord(hostPlace(terminals.runFolder)))?.pid ?? 0;
  process.kill(host, 'SIGKILL');
  await until(() => !isAlive(host));
  await expectTold(terminals.connect(), () => log);
});
