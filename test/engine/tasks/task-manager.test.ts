import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { createTaskManager } from '../../../src/main/engine/tasks/task-manager';
import type { TaskRegistry } from '../../../src/main/engine/tools/tool';
import { createNodeFiles } from '../../../src/main/node/files';
import type { AgentEvent } from '../../../src/shared/agent-event';
import { tempFolder } from '../../node/temp-folder';
import { memoryClock } from '../../support/memory-clock';
import { fakeTerminals } from './fake-terminals';

function setUp(folder = '/nowhere') {
  const clock = memoryClock();
  const terminals = fakeTerminals();
  const events: AgentEvent[] = [];
  const manager = createTaskManager({
    terminals,
    clock,
    files: createNodeFiles(),
    sessionId: 's',
    emit: (event) => events.push(event),
  });
  /** The manager is what tools know as the registry. */
  const registry: TaskRegistry = manager;
  const adopt = (n: number) =>
    registry.adoptTerminal({
      taskId: `b_${n}`,
      callId: `toolu_${n}`,
      terminalId: `trm_${n}`,
      title: `task ${n}`,
      command: `run ${n}`,
      outputFile: join(folder, `b_${n}.output`),
    });
  return { clock, terminals, events, manager, adopt };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));
const never = new AbortController().signal;

describe('a task', () => {
  it('is running from the start and settles with its terminal', async () => {
    const { terminals, events, manager, adopt } = setUp();
    expect(adopt(1)).toMatchObject({
      id: 'b_1',
      type: 'local_bash',
      status: 'running',
      command: 'run 1',
    });
    expect(events.map((event) => event.type)).toEqual(['task_changed']);
    terminals.exit('trm_1', { exitCode: 3, bytes: 12 });
    await settle();
    expect(manager.get('b_1')).toMatchObject({ status: 'failed', exitCode: 3, outputBytes: 12 });
    expect(events.map((event) => event.type)).toEqual(['task_changed', 'task_settled']);
    expect(terminals.listeners('trm_1')).toBe(0);
  });

  it('tells of progress at most four times a second, and always the newest', async () => {
    const { clock, terminals, events, adopt } = setUp();
    adopt(1);
    for (let i = 1; i <= 100; i += 1) {
      terminals.progress('trm_1', { bytes: i, lines: i, tail: `\x1b[32mline ${i}\x1b[0m\r\n` });
    }
    expect(events).toHaveLength(1);
    await clock.advance(250);
    expect(events).toHaveLength(2);
    expect(events[1]).toMatchObject({ task: { outputBytes: 100, lastLine: 'line 100' } });
    terminals.progress('trm_1', { bytes: 101, lines: 101, tail: 'more' });
    await clock.advance(250);
    expect(events).toHaveLength(3);
  });

  it('says nothing of progress after its end', async () => {
    const { clock, terminals, events, adopt } = setUp();
    adopt(1);
    terminals.progress('trm_1', { bytes: 1, lines: 1, tail: 'x' });
    terminals.exit('trm_1', {});
    await settle();
    await clock.advance(1000);
    expect(events.map((event) => event.type)).toEqual(['task_changed', 'task_settled']);
    expect(clock.sleepers()).toBe(0);
  });
});

describe('notifications', () => {
  it('each end is told exactly once, and wakes who listens', async () => {
    const { terminals, manager, adopt } = setUp();
    const wake = vi.fn();
    const stopListening = manager.onNotification(wake);
    adopt(1);
    adopt(2);
    terminals.exit('trm_2', {});
    await settle();
    expect(wake).toHaveBeenCalledTimes(1);
    terminals.exit('trm_1', { exitCode: 1 });
    await settle();
    const taken = manager.takeNotifications();
    expect(taken.map((text) => /<task-id>(.+)<\/task-id>/.exec(text)?.[1])).toEqual(['b_2', 'b_1']);
    expect(manager.takeNotifications()).toEqual([]);
    stopListening();
    adopt(3);
    terminals.exit('trm_3', {});
    await settle();
    expect(wake).toHaveBeenCalledTimes(2);
    expect(manager.takeNotifications()).toHaveLength(1);
  });
});

describe('stopping', () => {
  it('kills the tree with two seconds grace and settles as killed', async () => {
    const { terminals, manager, adopt } = setUp();
    adopt(1);
    const stopped = await manager.stop('b_1');
    expect(stopped).toMatchObject({ ok: true, report: { killed: [1], survivors: [] } });
    expect(terminals.killed).toEqual([{ id: 'trm_1', graceMs: 2000 }]);
    expect(manager.get('b_1')?.status).toBe('killed');
  });

  it('tells the truth about survivors', async () => {
    const { clock, terminals, manager, adopt } = setUp();
    terminals.survivors = [77];
    adopt(1);
    const stopping = manager.stop('b_1');
    await settle();
    await clock.advance(5000);
    expect(await stopping).toMatchObject({ ok: false, report: { survivors: [77] } });
    expect((await stopping).message).toContain('77');
    expect(manager.get('b_1')?.status).toBe('running');
  });

  it('refuses what has ended and what never was', async () => {
    const { terminals, manager, adopt } = setUp();
    adopt(1);
    terminals.exit('trm_1', {});
    await settle();
    expect(await manager.stop('b_1')).toMatchObject({ ok: false });
    expect(await manager.stop('__proto__')).toMatchObject({ ok: false });
    expect(terminals.killed).toEqual([]);
  });

  it('stopAll ends all that run with the grace it is given', async () => {
    const { terminals, manager, adopt } = setUp();
    for (const n of [1, 2, 3]) adopt(n);
    terminals.exit('trm_2', {});
    await settle();
    const report = await manager.stopAll(500);
    expect(report).toEqual({ killed: [1, 1], survivors: [] });
    expect(terminals.killed.map((kill) => kill.graceMs)).toEqual([500, 500]);
    expect(manager.list().map((task) => task.status)).toEqual(['killed', 'completed', 'killed']);
  });
});

describe('waiting and reading', () => {
  it('waits for the end, the time or the interruption, whichever is first', async () => {
    const { clock, terminals, manager, adopt } = setUp();
    adopt(1);
    const timed = manager.settled('b_1', 1000, never);
    const controller = new AbortController();
    const interrupted = manager.settled('b_1', 60_000, controller.signal);
    const ended = manager.settled('b_1', 60_000, never);
    await clock.advance(1000);
    expect((await timed)?.status).toBe('running');
    controller.abort();
    expect((await interrupted)?.status).toBe('running');
    terminals.exit('trm_1', {});
    expect((await ended)?.status).toBe('completed');
    expect(await manager.settled('b_9', 1000, never)).toBeNull();
  });

  it('reads new output by task', async () => {
    const folder = await tempFolder();
    const { manager, adopt } = setUp(folder);
    adopt(1);
    await writeFile(join(folder, 'b_1.output'), 'hello\r\n');
    expect((await manager.readNewOutput('b_1')).text).toBe('hello\n');
    expect((await manager.readNewOutput('b_1')).text).toBe('');
    expect((await manager.readNewOutput('b_9')).text).toBe('');
  });
});

describe('forgetting', () => {
  it('keeps at most fifty finished tasks, the newest; their notifications are not lost', async () => {
    const { clock, terminals, events, manager, adopt } = setUp();
    const finish = async (n: number) => {
      adopt(n);
      terminals.exit(`trm_${n}`, {});
      await settle();
      await clock.advance(1);
    };
    await finish(0);
    await finish(1);
    adopt(1000);
    for (let n = 2; n < 50; n += 1) await finish(n);
    expect(manager.list()).toHaveLength(51);
    await finish(50);
    expect(manager.get('b_0')).toBeNull();
    await finish(51);
    expect(manager.get('b_1')).toBeNull();
    expect(manager.get('b_51')).not.toBeNull();
    expect(manager.get('b_1000')?.status).toBe('running');
    expect(terminals.dismissed).toEqual(['trm_0', 'trm_1']);
    expect(events.filter((event) => event.type === 'task_evicted')).toHaveLength(2);
    expect(manager.takeNotifications()).toHaveLength(52);
  });
});
