import { afterEach, expect, test } from 'vitest';
import { createSessionRuntime } from '../../../src/main/engine/session/session-runtime';
import { ok } from '../../../src/shared/result';
import { allItems } from '../../../src/shared/transcript';
import { error, hold, reply, text } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession } from '../../support/session';

let open: TestSession | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

const runtimeOf = ({ session }: TestSession) =>
  createSessionRuntime({ session, prepare: async () => ok(null) });
/** Ends Lathe and starts it again. */
async function restart(t: TestSession): Promise<void> {
  t.session.main.engine.interrupt('ending');
  await expect.poll(() => t.session.main.engine.isRunning).toBe(false);
  await t.reopen();
}
const HOUR = 3_600_000;
const busy = () => error(429, 'limited', { 'retry-after': '7200' });
const lastOf = ({ session }: TestSession) => allItems(session.log.transcript()).at(-1);
const told = ({ api }: TestSession) => JSON.stringify(api.requests.at(-1)?.body.messages);

test('a countdown of hours survives two restarts, and then the work goes on by itself', async () => {
  open = await openTestSession([busy(), reply('All counted.')]);
  const t = open;
  const first = runtimeOf(t);
  await first.submit('count', undefined);
  await expect.poll(() => t.session.log.transcript().waiting).not.toBeNull();
  const until = t.session.log.transcript().waiting?.until ?? 0;

  for (let restarts = 0; restarts < 2; restarts += 1) {
    await t.clock.advance(HOUR / 2);
    await restart(t);
    expect(lastOf(t)).toMatchObject({ kind: 'end', cut: true });
    await runtimeOf(t).takeUp();
    await expect.poll(() => t.session.log.transcript().waiting?.until).toBe(until);
    expect(t.api.requests).toHaveLength(1);
  }

  await t.clock.advance(HOUR);
  await expect.poll(() => lastOf(t)).toMatchObject({ kind: 'end', terminal: 'completed' });
  expect(told(t)).toContain('Lathe ended while you worked');
  expect(told(t)).toContain('count');
  await restart(t);
  expect(t.session.cutWait).toBeNull();
});

test.each([
  [3, true],
  [3 * 24, false],
])(
  'a countdown of two hours that ended while Lathe was away for %d hours goes on by itself: %s',
  async (hours, goesOn) => {
    open = await openTestSession([busy(), reply('All counted.')]);
    const t = open;
    await runtimeOf(t).submit('count', undefined);
    await expect.poll(() => t.session.log.transcript().waiting).not.toBeNull();
    t.session.main.engine.interrupt('ending');
    await expect.poll(() => t.session.main.engine.isRunning).toBe(false);
    await t.clock.advance(hours * HOUR);
    await t.reopen();
    const runtime = runtimeOf(t);
    await runtime.takeUp();
    if (!goesOn) {
      expect(lastOf(t)).toMatchObject({ kind: 'end', cut: true });
      expect(t.session.main.engine.isRunning).toBe(false);
      await runtime.continueWork();
    }
    await expect.poll(() => lastOf(t)).toMatchObject({ kind: 'end', terminal: 'completed' });
    expect(t.api.requests).toHaveLength(2);
    expect(told(t)).toContain('Lathe ended while you worked');
  },
);

test('work that was cut goes on when a user says so, and not by itself', async () => {
  const gate = Promise.withResolvers<void>();
  open = await openTestSession([reply([text('One'), hold(gate.promise)]), reply('Two.')]);
  const t = open;
  await runtimeOf(t).submit('count', undefined);
  await expect.poll(() => t.api.requests.length).toBe(1);
  await restart(t);
  gate.resolve();
  const runtime = runtimeOf(t);
  await runtime.takeUp();
  expect(t.session.main.engine.isRunning).toBe(false);
  expect(lastOf(t)).toMatchObject({ kind: 'end', cut: true });

  await runtime.continueWork();
  await expect.poll(() => lastOf(t)).toMatchObject({ kind: 'end', terminal: 'completed' });
  expect(told(t)).toContain('Lathe ended while you worked');
  expect(t.api.refusals).toEqual([]);
});

test('messages that wait survive the end of Lathe, wait again, and go in once', async () => {
  const gate = Promise.withResolvers<void>();
  open = await openTestSession([reply([text('One'), hold(gate.promise)]), reply('Two.')], {
    attended: true,
  });
  const t = open;
  const first = runtimeOf(t);
  await first.submit('count', undefined);
  await expect.poll(() => t.api.requests.length).toBe(1);
  await first.submit('then add', 'next', [], 'msg-add');
  await first.submit('then stop', 'later', [], 'msg-stop');
  await first.submit('or not', 'later', [], 'msg-not');
  first.takeBack('msg-not');
  await first.close({ keepTasks: true });
  await t.reopen();
  gate.resolve();

  const waits = () => t.session.log.transcript().queue.map(({ id }) => id);
  expect(waits()).toEqual(['msg-add', 'msg-stop']);
  expect(lastOf(t)).toMatchObject({ code: 'prompts_kept' });
  const runtime = runtimeOf(t);
  // The page did not hear that it was taken.
  await runtime.submit('then add', 'next', [], 'msg-add');
  expect(waits()).toEqual(['msg-add', 'msg-stop']);
  expect(t.api.requests).toHaveLength(1);

  await runtime.continueWork();
  await expect.poll(() => t.session.main.engine.isRunning).toBe(false);
  expect(waits()).toEqual([]);
  const prompts = allItems(t.session.log.transcript()).flatMap((item) =>
    item.kind === 'prompt' ? [item.id] : [],
  );
  expect(prompts.slice(1)).toEqual(['msg-add', 'msg-stop']);
  await restart(t);
  expect(waits()).toEqual([]);
  expect(t.api.refusals).toEqual([]);
});

test('a copy of a session begins without the messages that wait in it', async () => {
  open = await openTestSession([reply('One.')], { attended: true });
  await open.run('count');
  open.session.main.engine.enqueue('more', 'later');
  const [prompt] = allItems(open.session.log.transcript());
  await open.session.log.flush();
  const end = open.session.main.engine.record({
    ...{ type: 'rewound', id: 'rew-1', promptId: prompt?.id ?? '', text: '' },
  });
  expect(end.event.type).toBe('rewound');
  const copy = await open.fork({ kind: 'rewind', rewindId: 'rew-1' });
  expect(copy.log.transcript().queue).toEqual([]);
  expect(copy.main.engine.queue).toEqual([]);
  await copy.close({ keepTasks: false });
});
