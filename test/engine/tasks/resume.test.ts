import { appendFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { isDurable } from '../../../src/main/engine/event-log';
import { SILENT_MS } from '../../../src/main/engine/tasks/live-task';
import { monitor } from '../../../src/main/engine/tasks/runners/monitor';
import type { AgentEvent, DurableEvent } from '../../../src/shared/agent-event';
import { unheardEndPath } from '../../../src/shared/terminal';
import { fakeTerminals } from './fake-terminals';
import { settle, setUp, until } from './set-up';

const logOf = (events: readonly AgentEvent[]): DurableEvent[] => events.filter(isDurable);

/** Returns what an accepted notice becomes in the log. */
const toldOf = ({ about, text }: { about: string; text: string }): DurableEvent => ({
  ...{ type: 'attachment', id: 'att', kind: 'task_notification', about, text },
});

/** A session that starts tasks, and the same session in a new process. */
async function restarted(
  begin: (
    before: Awaited<ReturnType<typeof setUp>>,
  ) => Promise<readonly DurableEvent[] | undefined>,
  over: { readonly terminals?: ReturnType<typeof fakeTerminals>; readonly sessionId?: string } = {},
) {
  const before = await setUp();
  const more = (await begin(before)) ?? [];
  const log = [...logOf(before.events), ...more];
  before.manager.close();
  const { terminals, folder } = before;
  const after = await setUp({ terminals, folder, ...over });
  const wake = vi.fn();
  after.manager.onNotice(wake);
  await after.manager.resume(log);
  return { ...after, before, log: () => [...log, ...logOf(after.events)], wake };
}

describe('a task that had ended and was told before a restart', () => {
  it('is on no list, but its state and its output are known', async () => {
    const t = await restarted(async ({ begin, tasks, terminals }) => {
      const { outputFile, running } = begin(1);
      await running;
      await writeFile(outputFile, 'one\n');
      terminals.exit('trm_1', { exitCode: 2 });
      await settle();
      return tasks.notices().map(toldOf);
    });
    expect(t.tasks.list()).toEqual([]);
    expect(t.tasks.notices()).toEqual([]);
    expect(t.tasks.get('b_1')).toMatchObject({ status: 'failed', result: { code: 2 } });
    expect(await t.tasks.readNewOutput('b_1')).toMatchObject({ text: 'one\n', readTo: 4 });
    expect((await t.tasks.readNewOutput('b_1')).text).toBe('');
    expect(t.wake).not.toHaveBeenCalled();
  });
});

describe('a task that still runs after a restart', () => {
  it('goes on: listed, read from where it was read, stopped or ended, and told once', async () => {
    const t = await restarted(async ({ begin, tasks }) => {
      const { outputFile, running } = begin(1);
      await running;
      await writeFile(outputFile, 'one\n');
      const { readTo } = await tasks.readNewOutput('b_1');
      await appendFile(outputFile, 'two\n');
      return [
        {
          ...{ type: 'call_settled', callId: 'c', tool: 'TaskOutput', isError: false },
          ...{ title: { verb: '', target: '' }, status: 'done', content: [], durationMs: 0 },
          view: {
            ...{ kind: 'shell', command: '', tail: '', totalLines: 1, exitCode: null, readTo },
            ...{ taskId: 'b_1', taskStatus: 'running', background: true },
          },
        },
      ];
    });
    expect(t.tasks.list()).toMatchObject([{ id: 'b_1', status: 'running', terminalId: 'trm_1' }]);
    expect((await t.tasks.readNewOutput('b_1')).text).toBe('two\n');
    expect(t.tasks.notices()).toEqual([]);
    t.terminals.exit('trm_1', { exitCode: 1 });
    await settle();
    expect(t.wake).toHaveBeenCalledTimes(1);
    const [notice] = t.tasks.notices();
    expect(notice?.text).toContain('failed with exit code 1');
    if (notice === undefined) throw new Error('no notice');
    const again = await setUp({ terminals: t.terminals, folder: t.folder });
    await again.manager.resume(t.log());
    expect(again.tasks.notices().map(({ about }) => about)).toEqual(['b_1 ended']);
    const once = await setUp({ terminals: t.terminals, folder: t.folder });
    await once.manager.resume([...t.log(), toldOf(notice)]);
    expect(once.tasks.notices()).toEqual([]);
  });

  it('is a background task from now on when its call was cut off', async () => {
    const t = await restarted(async ({ begin }) => {
      await begin(1, { background: false }).running;
    });
    expect(t.tasks.list()).toMatchObject([{ id: 'b_1', status: 'running', isBackgrounded: true }]);
    expect(t.events).toMatchObject([{ type: 'task_started', task: { isBackgrounded: true } }]);
  });

  it('is not said to wait for input a second time', async () => {
    const ask = (terminals: ReturnType<typeof fakeTerminals>) =>
      terminals.progress('trm_1', { bytes: 3, lines: 0, tail: 'OK?' });
    const t = await restarted(async ({ begin, terminals, clock, tasks }) => {
      await begin(1).running;
      ask(terminals);
      await clock.advance(SILENT_MS);
      return tasks.notices().map(toldOf);
    });
    ask(t.terminals);
    await t.clock.advance(SILENT_MS);
    expect(t.tasks.list()[0]?.waitsForInput).toBe(true);
    expect(t.tasks.notices()).toEqual([]);
  });

  it('is neither gone nor settled while its terminal host is silent, and is owned when that answers', async () => {
    const t = await restarted(async ({ begin, terminals }) => {
      await begin(1).running;
      terminals.isSilent = true;
    });
    expect(t.tasks.list()).toMatchObject([
      { status: 'running', note: expect.stringContaining('does not answer') },
    ]);
    expect(t.tasks.notices()).toEqual([]);
    t.terminals.progress('trm_1', { bytes: 3, lines: 1, tail: 'one' });
    expect(t.tasks.list()[0]).not.toHaveProperty('note');
    t.terminals.exit('trm_1', { exitCode: 0 });
    await settle();
    expect(t.tasks.notices()).toHaveLength(1);
    expect(t.tasks.list()).toMatchObject([{ status: 'completed' }]);
  });

  it('as a monitor it goes on where it was, with its pattern and its time', async () => {
    const t = await restarted(async ({ tasks, folder, terminals }) => {
      const spec = {
        ...{ terminalId: 'trm_1', project: folder, command: 'tail', argv: ['sh'], cwd: folder },
        ...{ env: {}, pattern: '^E', timeoutMs: 60_000 },
      };
      const { running, outputFile } = tasks.start(monitor, spec, {
        title: 'log',
        background: true,
      });
      await running;
      await writeFile(outputFile, 'E one\nother\n');
      terminals.progress('trm_1', { bytes: 12, lines: 2, tail: '' });
      await until(() => tasks.notices().length === 1);
      await appendFile(outputFile, 'E two\nother\n');
      return tasks.notices().map(toldOf);
    });
    t.terminals.progress('trm_1', { bytes: 24, lines: 4, tail: '' });
    await until(() => t.tasks.notices().length === 1);
    expect(t.tasks.notices()[0]?.text).toContain('<lines>\nE two\n</lines>');
    await t.clock.advance(60_000);
    await until(() => t.tasks.list()[0]?.status === 'killed');
    expect(t.tasks.list()[0]?.note).toBe('Its time was up.');
  });
});

describe('a task that ended meanwhile', () => {
  it('is settled as it ended, told with the next prompt, and wakes nobody', async () => {
    const t = await restarted(async ({ begin, terminals, manager }) => {
      await begin(1).running;
      manager.close();
      terminals.exit('trm_1', { exitCode: 3, bytes: 5 });
    });
    expect(t.tasks.list()).toMatchObject([{ status: 'failed', result: { code: 3 } }]);
    expect(t.tasks.notices()[0]?.text).toContain('failed with exit code 3');
    expect(t.wake).not.toHaveBeenCalled();
  });

  it('is told although it ended before the restart, when nobody was told then', async () => {
    const t = await restarted(async ({ begin, terminals }) => {
      await begin(1).running;
      terminals.exit('trm_1', {});
      await settle();
    });
    expect(t.tasks.list()).toMatchObject([{ id: 'b_1', status: 'completed', endTold: false }]);
    expect(t.tasks.notices().map(({ about }) => about)).toEqual(['b_1 ended']);
    expect(t.wake).not.toHaveBeenCalled();
  });
});

describe('a task that ended while no Lathe was there', () => {
  it('is settled as its terminal host wrote down, when that is gone too', async () => {
    const end = {
      exitCode: 4,
      bytes: 7,
      endedAt: 2_000_000,
      note: 'Part of the output was not saved.',
    };
    const t = await restarted(
      async ({ begin }) => {
        const { outputFile, running } = begin(1);
        await running;
        await writeFile(outputFile, 'so far\n');
        await writeFile(unheardEndPath(outputFile), JSON.stringify(end));
        return undefined;
      },
      { terminals: fakeTerminals() },
    );
    expect(t.tasks.list()).toMatchObject([
      { status: 'failed', result: { code: 4 }, endedAt: 2_000_000, note: end.note },
    ]);
    expect((await t.tasks.readNewOutput('b_1')).text).toBe('so far\n');
    expect(t.tasks.notices()).toHaveLength(1);
    expect(t.wake).not.toHaveBeenCalled();
  });

  it('is lost when that cannot be read', async () => {
    const t = await restarted(
      async ({ begin }) => {
        const { outputFile, running } = begin(1);
        await running;
        await writeFile(unheardEndPath(outputFile), '{"exitCode": "no');
        return undefined;
      },
      { terminals: fakeTerminals() },
    );
    expect(t.tasks.list()[0]?.note).toContain('Lost');
  });
});

describe('an end that a terminal host left', () => {
  it('goes when its session is opened and has told it, and stays while that has not', async () => {
    const t = await restarted(async ({ begin, tasks, terminals }) => {
      const told = begin(1);
      const untold = begin(2);
      await Promise.all([told.running, untold.running]);
      terminals.exit('trm_1', {});
      await until(() => tasks.notices().length === 1);
      for (const { outputFile } of [told, untold]) {
        await writeFile(outputFile, 'said');
        await writeFile(unheardEndPath(outputFile), 'torn');
      }
      return tasks.notices().map(toldOf);
    });
    const left = await readdir(join(t.folder, 'tasks'));
    expect(left.toSorted()).toEqual(['b_1.output', 'b_2.output', 'b_2.output.end']);
  });
});

describe('a task whose terminal is gone', () => {
  it('is lost, with what it printed, and told once', async () => {
    const t = await restarted(
      async ({ begin }) => {
        const { outputFile, running } = begin(1);
        await running;
        await writeFile(outputFile, 'so far\n');
      },
      { terminals: fakeTerminals() },
    );
    expect(t.tasks.list()).toMatchObject([
      { status: 'failed', outputBytes: 7, note: expect.stringContaining('Lost: Lathe ended') },
    ]);
    expect(t.tasks.notices()).toHaveLength(1);
    expect(t.wake).not.toHaveBeenCalled();
    const again = await setUp();
    await again.manager.resume([...t.log(), ...t.tasks.notices().map(toldOf)]);
    expect(again.tasks.notices()).toEqual([]);
  });

  it('is not told of when its call says already that nobody saw its end', async () => {
    const t = await restarted(
      async ({ begin }) => {
        await begin(1, { background: false }).running;
      },
      { terminals: fakeTerminals() },
    );
    expect(t.tasks.list()).toEqual([]);
    expect(t.tasks.notices()).toEqual([]);
    const again = await setUp({ terminals: t.terminals });
    await again.manager.resume(t.log());
    expect(again.events).toEqual([]);
  });

  it('stays with its own session when that was forked', async () => {
    const t = await restarted(
      async ({ begin }) => {
        await begin(1).running;
      },
      { sessionId: 'fork' },
    );
    expect(t.tasks.list()).toMatchObject([
      { status: 'failed', note: 'It stayed with the session this one was forked from.' },
    ]);
    expect(t.terminals.killed).toEqual([]);
  });

  it('of a kind that nobody knows any more is lost too', async () => {
    const t = await restarted(async ({ begin, events }) => {
      await begin(1).running;
      const [first] = logOf(events);
      if (first?.type !== 'task_started') throw new Error('not started');
      return [{ ...first, task: { ...first.task, id: 'x_1', type: 'dream' } }];
    });
    expect(t.tasks.list().map(({ id, status }) => `${id} ${status}`)).toEqual([
      'b_1 running',
      'x_1 failed',
    ]);
  });
});
