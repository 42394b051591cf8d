import { afterEach, describe, expect, it } from 'vitest';
import { createBashTool } from '../../../src/main/engine/tools/builtin/bash/bash';
import { createTaskOutputTool } from '../../../src/main/engine/tools/builtin/task-output/task-output';
import type { Script } from '../../support/scripted-api';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession } from '../../support/session';
import { fakeTerminals } from './fake-terminals';
import { settle } from './set-up';

const tools = [createBashTool(), createTaskOutputTool()];

let open: TestSession | null = null;
afterEach(async () => {
  expect(open?.api.refusals ?? []).toEqual([]);
  await open?.close();
  open = null;
});

async function start(script: Script) {
  const terminals = fakeTerminals();
  open = await openTestSession(script, { tools, terminals });
  return { t: open, terminals };
}

const background = toolUse('Bash', { command: 'make', run_in_background: true });

/** Returns how often the newest request tells that the task has ended. */
function timesTold({ api }: TestSession): number {
  const body = JSON.stringify(api.requests.at(-1)?.body.messages);
  return (
    body.split('<status>completed</status>').length -
    1 +
    body.split('is completed, exit').length -
    1
  );
}

const idOf = ({ session }: TestSession) => session.tasks.list()[0]?.id ?? '';
const terminalOf = ({ session }: TestSession) => session.tasks.list()[0]?.terminalId ?? '';

describe('the end of a background task is told exactly once', () => {
  it('by a notification, also in a session that is opened again', async () => {
    const { t, terminals } = await start([
      reply([background]),
      reply('started'),
      reply('seen'),
      reply('and on'),
      reply('later'),
    ]);
    await t.run('go');
    terminals.exit(terminalOf(t), { exitCode: 0 });
    await settle();
    expect(t.session.hasNews()).toBe(true);
    await t.run(null);
    expect(timesTold(t)).toBe(1);
    await t.run('more');
    expect(timesTold(t)).toBe(1);
    await t.reopen();
    expect(t.session.hasNews()).toBe(false);
    await t.run('and now?');
    expect(timesTold(t)).toBe(1);
  });

  it('by TaskOutput, when that saw it first', async () => {
    const { t, terminals } = await start((_request, number) => {
      switch (number) {
        case 0:
          return reply([background]);
        case 1:
          return reply([toolUse('TaskOutput', { task_id: idOf(t) })]);
        default:
          return reply('seen');
      }
    });
    const running = t.run('go');
    while (
      !t.session.log
        .transcript()
        .active.some((i) => i.kind === 'call' && i.tool === 'TaskOutput' && i.status === 'running')
    )
      await settle();
    terminals.exit(terminalOf(t), { exitCode: 0 });
    const events = await running;
    expect(events.filter(({ type }) => type === 'attachment')).toEqual([]);
    expect(t.session.hasNews()).toBe(false);
    expect(timesTold(t)).toBe(1);
    await t.run('more');
    expect(timesTold(t)).toBe(1);
    await t.reopen();
    await t.run('and now?');
    expect(timesTold(t)).toBe(1);
  });

  it('after a restart, when Lathe ended before it could be told', async () => {
    const { t, terminals } = await start([
      reply([background]),
      reply('started'),
      reply('seen'),
      reply('and on'),
    ]);
    await t.run('go');
    terminals.exit(terminalOf(t), { exitCode: 0 });
    await settle();
    await t.reopen();
    // It costs no turn of its own: the next prompt tells it.
    expect(t.session.hasNews()).toBe(false);
    await t.run('hello again');
    expect(timesTold(t)).toBe(1);
    await t.reopen();
    await t.run('and now?');
    expect(timesTold(t)).toBe(1);
  });
});

describe('a session that is opened again while its task runs', () => {
  it('has it on its list and tells the model that it goes on', async () => {
    const { t } = await start([reply([background]), reply('started'), reply('fine')]);
    await t.run('go');
    const id = idOf(t);
    await t.reopen();
    expect(t.session.tasks.list()).toMatchObject([{ id, status: 'running' }]);
    expect(t.session.log.transcript().tasks).toMatchObject([{ id, status: 'running' }]);
    await t.run('hello again');
    const body = JSON.stringify(t.api.requests.at(-1)?.body.messages);
    expect(body).toContain(`These tasks still run in the background:\\n${id}: make`);
  });
});
