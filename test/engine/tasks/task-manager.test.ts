import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { createTaskNews } from '../../../src/main/engine/attachments/task-news';
import { SILENT_MS } from '../../../src/main/engine/tasks/live-task';
import { settle, setUp } from './set-up';

const never = new AbortController().signal;

describe('a task', () => {
  it('is pending until its work has started, running, and settles with its terminal', async () => {
    const { terminals, events, typesOf, tasks, begin } = await setUp();
    const gate = Promise.withResolvers<void>();
    terminals.gate = gate.promise;
    const { taskId, running } = begin(1);
    expect(taskId).toBe('b_1');
    const registered = { id: 'b_1', type: 'local_bash', status: 'pending', command: 'run 1' };
    expect(tasks.get('b_1')).toMatchObject(registered);
    expect(events).toMatchObject([{ type: 'task_changed', task: registered }]);
    gate.resolve();
    expect((await running).ok).toBe(true);
    expect(tasks.get('b_1')).toMatchObject({ status: 'running', terminalId: 'trm_1' });
    terminals.exit('trm_1', { exitCode: 3, bytes: 12 });
    await settle();
    expect(tasks.get('b_1')).toMatchObject({
      ...{ status: 'failed', outputBytes: 12, endedAt: expect.any(Number) },
      result: { code: 3, interrupted: false },
    });
    expect(typesOf()).toEqual(['task_changed', 'task_started', 'task_settled']);
    expect(terminals.listeners('trm_1')).toBe(0);
  });

  it('that cannot be started says so to the call and to the list, and is not told again', async () => {
    const { terminals, events, tasks, begin } = await setUp();
    terminals.refuse = 'no more ptys';
    const { running } = begin(1);
    expect(await running).toMatchObject({ ok: false, error: { message: 'no more ptys' } });
    expect(events.at(-1)).toMatchObject({
      type: 'task_settled',
      task: { status: 'failed', note: 'It could not be started: no more ptys', endTold: true },
    });
    expect(tasks.notices()).toEqual([]);
  });

  it('tells of progress at most four times a second, and always the newest', async () => {
    const { clock, terminals, events, begin } = await setUp();
    await begin(1).running;
    for (let i = 1; i <= 100; i += 1) {
      terminals.progress('trm_1', { bytes: i, lines: i, tail: `\x1b[32mline ${i}\x1b[0m\r\n` });
    }
    expect(events).toHaveLength(2);
    await clock.advance(250);
    expect(events).toHaveLength(3);
    const task = { outputBytes: 100, outputLines: 100, lastLine: 'line 100' };
    expect(events[2]).toMatchObject({ type: 'task_changed', task });
    terminals.progress('trm_1', { bytes: 101, lines: 101, tail: 'more' });
    await clock.advance(250);
    expect(events).toHaveLength(4);
  });

  it('says nothing of progress after its end, and leaves nothing that sleeps', async () => {
    const { clock, terminals, typesOf, begin } = await setUp();
    await begin(1).running;
    terminals.progress('trm_1', { bytes: 1, lines: 1, tail: 'x' });
    terminals.exit('trm_1', {});
    await settle();
    await clock.advance(1000);
    expect(typesOf()).toEqual(['task_changed', 'task_started', 'task_settled']);
    expect(clock.sleepers()).toBe(0);
  });
});

describe('a foreground task', () => {
  it('is written down but on no list, and its end is up to its call', async () => {
    const { terminals, events, manager, tasks, begin } = await setUp();
    const { running, settled, cleanup } = begin(1, { background: false });
    await running;
    terminals.progress('trm_1', { bytes: 1, lines: 1, tail: 'x' });
    expect(events).toMatchObject([{ type: 'task_started', task: { isBackgrounded: false } }]);
    expect(manager.list()).toEqual([]);
    terminals.exit('trm_1', { exitCode: 0, output: 'x' });
    expect(await settled).toMatchObject({ status: 'completed', output: 'x' });
    expect(tasks.notices()).toEqual([]);
    cleanup();
    expect(tasks.get('b_1')).toBeNull();
    expect(events).toHaveLength(1);
  });

  it('goes on in the background when it is moved, and cleaning up after its call leaves it alone', async () => {
    const { terminals, events, tasks, begin } = await setUp();
    const { running, cleanup } = begin(1, { background: false });
    await running;
    expect(tasks.moveToBackground('b_1')).toBe(true);
    expect(tasks.moveToBackground('b_1')).toBe(false);
    cleanup();
    expect(events.at(-1)).toMatchObject({ type: 'task_started', task: { isBackgrounded: true } });
    terminals.exit('trm_1', {});
    await settle();
    expect(events.at(-1)).toMatchObject({ type: 'task_settled', task: { status: 'completed' } });
    expect(tasks.notices()).toHaveLength(1);
    expect(tasks.moveToBackground('b_9')).toBe(false);
  });
});

describe('notices', () => {
  it('each end is told exactly once, and wakes who listens', async () => {
    const { terminals, manager, tasks, begin, events } = await setUp();
    const wake = vi.fn();
    const stopListening = manager.onNotice(wake);
    for (const n of [1, 2]) await begin(n).running;
    terminals.exit('trm_2', {});
    await settle();
    expect(wake).toHaveBeenCalledTimes(1);
    terminals.exit('trm_1', { exitCode: 1 });
    await settle();
    expect(tasks.notices().map(({ taskId }) => taskId)).toEqual(['b_2', 'b_1']);
    for (const notice of tasks.notices()) tasks.noticeTold(notice);
    expect(tasks.notices()).toEqual([]);
    expect(events.at(-1)).toMatchObject({ type: 'task_changed', task: { endTold: true } });
    stopListening();
    await begin(3).running;
    terminals.exit('trm_3', {});
    await settle();
    expect(wake).toHaveBeenCalledTimes(2);
    expect(tasks.notices()).toHaveLength(1);
  });

  it('go to the agent whose task it is, and no other sees its end', async () => {
    const { terminals, manager, tasks, begin } = await setUp();
    const other = manager.forAgent('agt_1');
    await begin(1).running;
    terminals.exit('trm_1', {});
    await settle();
    expect(other.notices()).toEqual([]);
    other.endSeen('b_1');
    expect(tasks.notices()).toHaveLength(1);
    tasks.endSeen('b_1');
    expect(tasks.notices()).toEqual([]);
  });

  it('an end is not seen before it has come', async () => {
    const { terminals, tasks, begin } = await setUp();
    await begin(1).running;
    tasks.endSeen('b_1');
    terminals.exit('trm_1', {});
    await settle();
    expect(tasks.notices()).toHaveLength(1);
  });

  it('say once that a task waits for input: to the agent, and on screen while it does', async () => {
    const { clock, terminals, tasks, begin } = await setUp();
    await begin(1).running;
    terminals.progress('trm_1', { bytes: 9, lines: 0, tail: 'Continue? [y/N] ' });
    await clock.advance(SILENT_MS - 1);
    expect(tasks.get('b_1')).not.toHaveProperty('waitsForInput');
    await clock.advance(1);
    expect(tasks.get('b_1')?.waitsForInput).toBe(true);
    expect(tasks.notices().map(({ about }) => about)).toEqual(['b_1 waits']);
    terminals.progress('trm_1', { bytes: 19, lines: 1, tail: 'Really? ' });
    expect(tasks.get('b_1')).not.toHaveProperty('waitsForInput');
    await clock.advance(SILENT_MS);
    await clock.advance(SILENT_MS);
    expect(tasks.get('b_1')?.waitsForInput).toBe(true);
    expect(tasks.notices()).toHaveLength(1);
  });

  it('say nothing of a task that is silent without a question, or was asked by nobody in the background', async () => {
    const { clock, terminals, tasks, begin } = await setUp();
    await begin(1).running;
    await begin(2, { background: false }).running;
    terminals.progress('trm_1', { bytes: 9, lines: 1, tail: 'listening on 3000' });
    terminals.progress('trm_2', { bytes: 9, lines: 1, tail: 'Password:' });
    const seen = vi.fn();
    tasks.onProgress('b_2', (task) => seen(task.waitsForInput));
    await clock.advance(10 * SILENT_MS);
    expect(tasks.get('b_1')).not.toHaveProperty('waitsForInput');
    expect(seen.mock.calls).toEqual([[true]]);
    expect(tasks.notices()).toEqual([]);
  });
});

describe('stopping', () => {
  it('kills the tree with two seconds grace and settles as killed', async () => {
    const { terminals, tasks, begin } = await setUp();
    await begin(1).running;
    const stopped = await tasks.stop('b_1', 'Stopped by the user.');
    expect(stopped).toMatchObject({ ok: true, report: { killed: [1], survivors: [] } });
    expect(terminals.killed).toEqual([{ id: 'trm_1', graceMs: 2000 }]);
    expect(tasks.get('b_1')).toMatchObject({ status: 'killed', note: 'Stopped by the user.' });
  });

  it('by the user tells the model of it, and wakes nobody', async () => {
    const { manager, tasks, begin } = await setUp();
    const woken = vi.fn();
    manager.onNotice(woken);
    await begin(1).running;
    await begin(2).running;
    await manager.stopByUser('b_1');
    expect(woken).not.toHaveBeenCalled();
    expect(createTaskNews(tasks).waits()).toBe(false);
    expect(tasks.notices()).toMatchObject([{ taskId: 'b_1', quiet: true }]);
    await tasks.stop('b_2', 'The model wished so.');
    expect(woken).toHaveBeenCalledOnce();
    expect(createTaskNews(tasks).waits()).toBe(true);
  });

  it('reaches a task that is only being started', async () => {
    const { terminals, tasks, begin } = await setUp();
    const gate = Promise.withResolvers<void>();
    terminals.gate = gate.promise;
    const { running } = begin(1);
    const stopping = tasks.stop('b_1', 'Stopped by the user.');
    gate.resolve();
    await running;
    expect((await stopping).ok).toBe(true);
    expect(tasks.get('b_1')?.status).toBe('killed');
  });

  it('tells the truth about survivors', async () => {
    const { clock, terminals, tasks, begin } = await setUp();
    terminals.survivors = [77];
    await begin(1).running;
    const stopping = tasks.stop('b_1', 'Stopped.');
    await settle();
    await clock.advance(5000);
    expect(await stopping).toMatchObject({ ok: false, report: { survivors: [77] } });
    expect((await stopping).message).toContain('77');
    expect(tasks.get('b_1')?.status).toBe('running');
  });

  it('says in the end that survivors were seen although the terminal ended', async () => {
    const { manager, terminals, tasks, begin } = await setUp();
    terminals.survivors = [77];
    await begin(1).running;
    const stopping = manager.stopByUser('b_1');
    terminals.exit('trm_1', { exitCode: null, signal: 15 });
    expect((await stopping).message).toBe(
      'Task b_1 was stopped, but not all of it. These processes would not end: 77.',
    );
    const note = 'Stopped by the user. These processes would not end: 77.';
    expect(tasks.get('b_1')).toMatchObject({ status: 'killed', note });
    expect(tasks.notices()[0]?.text).toContain(note);
  });

  it('says what may live on where no control group held its programs', async () => {
    const { manager, terminals, tasks, begin } = await setUp();
    terminals.loose = true;
    await begin(1).running;
    await begin(2).running;
    const left = 'A program that cut every tie to its terminal may live on.';
    expect(await tasks.stop('b_1', 'Stopped by the model.')).toMatchObject({
      ok: true,
      message: `Task b_1 was stopped. ${left}`,
    });
    await manager.stopByUser('b_2');
    expect(tasks.get('b_2')?.note).toBe(`Stopped by the user. ${left}`);
    expect(tasks.notices().map(({ text }) => text.includes(left))).toEqual([true, true]);
  });

  it('refuses what has ended and what never was', async () => {
    const { terminals, tasks, begin } = await setUp();
    await begin(1).running;
    terminals.exit('trm_1', {});
    await settle();
    expect(await tasks.stop('b_1', 'x')).toMatchObject({ ok: false });
    expect(await tasks.stop('__proto__', 'x')).toMatchObject({ ok: false });
    expect(terminals.killed).toEqual([]);
  });

  it('stopAll ends all that run with the grace it is given, foreground too', async () => {
    const { terminals, manager, tasks, begin } = await setUp();
    for (const n of [1, 2]) await begin(n).running;
    await begin(3, { background: false }).running;
    terminals.exit('trm_2', {});
    await settle();
    const report = await manager.stopAll(500, 'Ended with its session.');
    expect(report).toEqual({ killed: [1, 1], survivors: [] });
    expect(terminals.killed.map((kill) => kill.graceMs)).toEqual([500, 500]);
    expect(['b_1', 'b_2', 'b_3'].map((id) => tasks.get(id)?.status)).toEqual([
      'killed',
      'completed',
      'killed',
    ]);
  });

  it('stopAll leaves tasks in the terminals that are kept, and all when all are', async () => {
    const { terminals, manager, tasks, begin } = await setUp();
    for (const n of [1, 2]) await begin(n).running;
    await manager.stopAll(500, 'Over.', true);
    expect(terminals.killed).toEqual([]);
    await manager.stopAll(500, 'Over.', new Set([terminals.spawned[0]?.id ?? '']));
    expect(['b_1', 'b_2'].map((id) => tasks.get(id)?.status)).toEqual(['running', 'killed']);
  });

  it('says nothing any more once the manager is closed, and what runs goes on', async () => {
    const { clock, terminals, manager, events, begin } = await setUp();
    await begin(1).running;
    terminals.progress('trm_1', { bytes: 9, lines: 1, tail: 'Sure?' });
    await clock.advance(250);
    const before = events.length;
    manager.close();
    await clock.advance(SILENT_MS);
    terminals.exit('trm_1', { exitCode: null, lost: 'Lathe has left the terminal host.' });
    await settle();
    expect(events).toHaveLength(before);
    expect(terminals.killed).toEqual([]);
    expect(clock.sleepers()).toBe(0);
  });
});

describe('waiting and reading', () => {
  it('waits for the end, the time or the interruption, whichever is first', async () => {
    const { clock, terminals, tasks, begin } = await setUp();
    await begin(1).running;
    const timed = tasks.settled('b_1', 1000, never);
    const controller = new AbortController();
    const interrupted = tasks.settled('b_1', 60_000, controller.signal);
    const ended = tasks.settled('b_1', 60_000, never);
    await clock.advance(1000);
    expect((await timed)?.status).toBe('running');
    controller.abort();
    expect((await interrupted)?.status).toBe('running');
    terminals.exit('trm_1', {});
    expect((await ended)?.status).toBe('completed');
    expect(await tasks.settled('b_9', 1000, never)).toBeNull();
  });

  it('reads new output by task, and says how far', async () => {
    const { tasks, begin } = await setUp();
    const { outputFile, running } = begin(1);
    await running;
    await writeFile(outputFile, 'hello\r\nhalf');
    expect(await tasks.readNewOutput('b_1')).toMatchObject({ text: 'hello\nhalf', readTo: 7 });
    expect((await tasks.readNewOutput('b_1')).text).toBe('');
    expect((await tasks.readNewOutput('b_9')).text).toBe('');
  });
});

describe('forgetting', () => {
  it('keeps fifty finished tasks, the newest, and all whose end was not told', async () => {
    const { clock, terminals, typesOf, tasks, begin } = await setUp();
    const finish = async (n: number) => {
      const { taskId, running } = begin(n);
      await running;
      terminals.exit(`trm_${n}`, {});
      await settle();
      await clock.advance(1);
      return taskId;
    };
    const untold = await finish(0);
    const told = [];
    for (let n = 1; n <= 60; n += 1) {
      const id = await finish(n);
      tasks.endSeen(id);
      told.push(id);
    }
    const { taskId: running } = begin(1000);
    await finish(61);
    expect(tasks.get(untold)?.status).toBe('completed');
    expect(tasks.get(running)?.status).toBe('running');
    const listed = tasks.list().map(({ id }) => id);
    expect(told.filter((id) => !listed.includes(id))).toEqual(told.slice(0, 12));
    expect(terminals.dismissed).toEqual(Array.from({ length: 12 }, (_, i) => `trm_${i + 1}`));
    expect(typesOf().filter((type) => type === 'task_evicted')).toHaveLength(12);
    expect(tasks.notices().map(({ taskId }) => taskId)).toEqual([untold, 'b_63']);
  });

  it('still gives the state and the output of a task that is on no list any more', async () => {
    const { terminals, tasks, begin } = await setUp();
    const { taskId, outputFile, running } = begin(1);
    await running;
    await mkdir(path.dirname(outputFile), { recursive: true });
    await writeFile(outputFile, 'one\n');
    expect((await tasks.readNewOutput(taskId)).text).toBe('one\n');
    await appendFile(outputFile, 'two\n');
    terminals.exit('trm_1', { exitCode: 4 });
    await settle();
    tasks.endSeen(taskId);
    for (let n = 2; n <= 60; n += 1) {
      const next = begin(n);
      await next.running;
      terminals.exit(`trm_${n}`, {});
      await settle();
      tasks.endSeen(next.taskId);
    }
    expect(tasks.list().map(({ id }) => id)).not.toContain(taskId);
    expect(tasks.get(taskId)).toMatchObject({ status: 'failed', result: { code: 4 } });
    expect(await tasks.settled(taskId, 1_000, never)).toMatchObject({ status: 'failed' });
    expect((await tasks.readNewOutput(taskId)).text).toBe('two\n');
    expect(await tasks.stop(taskId, 'why')).toMatchObject({
      message: `Task ${taskId} has already ended (failed).`,
    });
  });
});
