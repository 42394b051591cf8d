import { describe, expect, it } from 'vitest';
import type { TaskEnd, TaskRunner } from '../../../src/main/engine/tasks/task-runner';
import { ok } from '../../../src/shared/result';
import type { KillReport } from '../../../src/shared/terminal';
import { setUp, until } from './set-up';

const never = new AbortController().signal;

describe('a kind of task of one’s own', () => {
  /** Counts what it is told until it is stopped. */
  function toyRunner() {
    const said: string[] = [];
    const end = Promise.withResolvers<TaskEnd>();
    const steps: string[] = [];
    const runner: TaskRunner<{ readonly greeting: string }> = {
      type: 'toy',
      idPrefix: 'toy',
      kind: 'Toy',
      start: async ({ greeting }, host) => {
        host.progress({ bytes: greeting.length, lines: 1, tail: greeting });
        host.tell(`<task-notification>${greeting}</task-notification>`, 5);
        return ok({
          memo: { greeting },
          output: {
            readNew: async () => ({ text: greeting, skippedBytes: 0 }),
            offset: () => greeting.length,
          },
          settled: end.promise,
          flush: async () => void steps.push('flushed'),
          stop: async (): Promise<KillReport> => {
            end.resolve({ status: 'failed', result: { code: null, interrupted: true }, bytes: 5 });
            return { killed: [], survivors: [] };
          },
          message: async (text) => {
            said.push(text);
            return ok(null);
          },
        });
      },
      resume: async (task, memo, host) => {
        const { greeting } = memo as { greeting: string };
        const again = await runner.start({ greeting: `${greeting} again, ${task.title}` }, host);
        return again.ok ? again.value : null;
      },
    };
    return { runner, said, steps };
  }

  it('is started, read, told things, notified of, and stopped like any other', async () => {
    const { runner, said, steps } = toyRunner();
    const { clock, tasks, events } = await setUp({ runners: [runner] });
    const started = tasks.start(
      runner,
      { greeting: 'hello' },
      { title: 'a toy', background: true },
    );
    await started.running;
    expect(started.taskId).toBe('toy_1');
    expect(tasks.list()).toMatchObject([
      { type: 'toy', kind: 'Toy', status: 'running', lastLine: 'hello' },
    ]);
    expect((await tasks.readNewOutput('toy_1')).text).toBe('hello');
    expect(tasks.notices()).toMatchObject([{ about: 'toy_1 output 5' }]);
    expect((await tasks.message('toy_1', 'and you?', never)).ok).toBe(true);
    expect(said).toEqual(['and you?']);
    tasks.onProgress('toy_1', ({ status }) => steps.push(status));
    await tasks.stop('toy_1', 'Enough.');
    await until(() => tasks.notices().length === 2);
    // What is left is told before the status is set.
    expect(steps).toEqual(['flushed', 'killed']);
    expect(tasks.notices()[1]?.text).toContain('Toy "a toy" was stopped. Enough.');
    expect((await tasks.message('toy_1', 'still there?', never)).ok).toBe(false);
    expect(events.find((event) => event.type === 'task_started')).toMatchObject({
      memo: { greeting: 'hello' },
    });
    expect(clock.sleepers()).toBe(0);
  });

  it('takes its work up again from what it left in the log', async () => {
    const first = toyRunner();
    const before = await setUp({ runners: [first.runner] });
    const about = { title: 'toy', background: true };
    await before.tasks.start(first.runner, { greeting: 'hello' }, about).running;
    const log = before.events.flatMap((event) => (event.type === 'task_started' ? [event] : []));
    const second = toyRunner();
    const after = await setUp({ runners: [second.runner] });
    await after.manager.resume(log);
    expect(after.tasks.list()).toMatchObject([
      { id: 'toy_1', status: 'running', lastLine: 'hello again, toy' },
    ]);
  });

  it('that takes no messages says so', async () => {
    const { tasks, begin } = await setUp();
    await begin(1).running;
    expect(await tasks.message('b_1', 'x', never)).toMatchObject({
      error: { message: 'Task b_1 takes no messages.' },
    });
  });
});
