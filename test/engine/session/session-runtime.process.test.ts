import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { createBroker } from '../../../src/main/engine/permissions/broker';
import {
  createSessionRuntime,
  type SessionRuntime,
} from '../../../src/main/engine/session/session-runtime';
import { createBuiltinTools } from '../../../src/main/engine/tools/builtin/all';
import { err, fault, ok } from '../../../src/shared/result';
import type { Script } from '../../support/scripted-api';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession, type TestSessionOptions } from '../../support/session';
import { soon } from '../../support/soon';
import { startTestTerminals } from '../../support/terminal-client';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

/** A runtime over a real terminal host and a scripted model that may run anything. */
async function start(
  script: Script,
  options: TestSessionOptions = {},
  prepare: () => Promise<void> = async () => {},
): Promise<{ t: TestSession; runtime: SessionRuntime }> {
  const terminals = await startTestTerminals();
  cleanups.push(() => terminals.stop());
  const t = await openTestSession(script, {
    tools: createBuiltinTools(),
    terminals: terminals.client,
    ...options,
  });
  cleanups.push(() => t.close());
  const runtime = createSessionRuntime({
    session: t.session,
    prepare: async () => {
      await prepare();
      return ok(null);
    },
  });
  return { t, runtime };
}

/** Resolves at the first event that fits. */
const event = (t: TestSession, type: string): Promise<void> =>
  new Promise((resolve) => {
    const end = t.session.log.listen((stamped) => {
      if (stamped.event.type !== type) return;
      end();
      resolve();
    });
  });

test('news of a task wakes an idle session, once', async () => {
  const { t, runtime } = await start((_request, number) =>
    number === 0
      ? reply([toolUse('Bash', { command: 'exit 0', run_in_background: true })])
      : reply('fine'),
  );
  const woken = new Promise<void>((resolve) => {
    let ends = 0;
    t.session.log.listen(({ event: { type } }) => {
      if (type === 'query_finished') ends += 1;
      if (type === 'query_finished' && JSON.stringify(lastBody(t)).includes('task-notification')) {
        resolve();
      }
      expect(ends).toBeLessThan(3);
    });
  });
  await runtime.submit('go', undefined);
  await woken;
  const told = JSON.stringify(lastBody(t)).match(/<task-notification>/g);
  expect(told).toHaveLength(1);
});

test('closing ends background tasks and asks the model nothing more', async () => {
  const { t, runtime } = await start((_request, number) =>
    number === 0
      ? reply([toolUse('Bash', { command: 'sleep 300', run_in_background: true })])
      : reply('started'),
  );
  const finished = event(t, 'query_finished');
  await runtime.submit('go', undefined);
  await finished;
  const before = t.api.requests.length;
  await runtime.close({ keepTasks: false });
  expect(t.session.tasks.list().map((task) => task.status)).toEqual(['killed']);
  expect(t.api.requests).toHaveLength(before);
  expect(t.session.log.transcript().running).toBeNull();
  expect((await runtime.submit('more', undefined)).ok).toBe(false);
});

test('a prompt sent while a stop still takes effect is what comes next', async () => {
  const { t, runtime } = await start((_request, number) =>
    number === 0
      ? reply([toolUse('Bash', { command: "trap '' TERM; sleep 30" })])
      : reply(`answer ${number}`),
  );
  const running = new Promise<void>((resolve) => {
    t.session.log.listen((stamped) => {
      if (stamped.event.type === 'call_changed' && stamped.event.view !== null) resolve();
      if (stamped.event.type === 'call_changed' && stamped.event.status === 'running') resolve();
    });
  });
  await runtime.submit('go', undefined);
  await running;
  runtime.stop();
  const stopped = event(t, 'query_finished');
  expect((await runtime.submit('rather this', undefined)).ok).toBe(true);
  await stopped;
  await event(t, 'query_finished');
  expect(JSON.stringify(lastBody(t))).toContain('rather this');
  expect(t.session.main.engine.queue).toEqual([]);
});

test.each([
  ['taken', true],
  ['sent', false],
])('a stop leaves what was %s before it in the queue', async (_, isTaken) => {
  let release: () => void = () => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { t, runtime } = await start([
    reply([{ kind: 'hold', until }, 'never read']),
    reply('not asked for'),
  ]);
  const began = event(t, 'turn_started');
  await runtime.submit('go', undefined);
  await began;
  const taken = runtime.submit('later', 'later');
  if (isTaken) await taken;
  const finished = event(t, 'query_finished');
  runtime.stop();
  release();
  await finished;
  await taken;
  // What would go on does so at once.
  await setImmediate();
  expect(t.session.main.engine.queue.map((prompt) => prompt.text)).toEqual(['later']);
  expect(t.api.requests.length).toBeLessThan(2);
});

const sent = (text: string) => async (runtime: SessionRuntime, ended: Promise<void>) => {
  await runtime.submit(text, undefined);
  await ended;
};

test.each([
  ['a shell line', sent('!echo x')],
  ['a command of Lathe', sent('/cost')],
  ['a memory', sent('# user remember it')],
])(
  'what waits since a stop still waits after %s, and goes in with the next prompt',
  async (_, act) => {
    const { promise: until, resolve: release } = Promise.withResolvers<void>();
    const { t, runtime } = await start(
      (_request, number) =>
        number === 0 ? reply([{ kind: 'hold', until }, 'never read']) : reply(`answer ${number}`),
      { attended: true, createBroker },
    );
    const began = event(t, 'turn_started');
    await runtime.submit('go', undefined);
    await began;
    await runtime.submit('held', 'next');
    const finished = event(t, 'query_finished');
    runtime.stop();
    release();
    await finished;
    await soon(() => expect(t.session.main.engine.isRunning).toBe(false));
    const asked = t.api.requests.length;
    await act(runtime, event(t, 'query_finished'));
    // What would go on does so at once.
    await soon(() => expect(t.session.main.engine.isRunning).toBe(false));
    await setImmediate();
    expect(t.session.main.engine.queue.map((prompt) => prompt.text)).toEqual(['held']);
    expect(t.api.requests).toHaveLength(asked);
    await runtime.submit('and now', undefined);
    await soon(() => expect(JSON.stringify(lastBody(t))).toContain('held'));
    expect(t.session.main.engine.queue).toEqual([]);
  },
);

test('a message that is edited when its turn comes goes in with its new words, and in its order', async () => {
  const { promise: until, resolve: release } = Promise.withResolvers<void>();
  const { t, runtime } = await start((_request, number) =>
    number === 0 ? reply([{ kind: 'hold', until }, 'done']) : reply(`answer ${number}`),
  );
  const began = event(t, 'turn_started');
  await runtime.submit('go', undefined);
  await began;
  await runtime.submit('old words', 'later', [], 'edited');
  await runtime.submit('behind it', 'later');
  const editing = new AbortController();
  const edited = runtime.editQueued('edited', editing.signal);
  const finished = event(t, 'query_finished');
  release();
  await finished;
  await soon(() => expect(t.session.main.engine.isRunning).toBe(false));
  await setImmediate();
  expect(t.session.main.engine.queue).toHaveLength(2);
  await runtime.changeQueued('edited', { text: 'new words' });
  editing.abort();
  expect(await edited).toEqual(ok(null));
  const said = () =>
    t.session.log
      .transcript()
      .committed.flatMap((item) => (item.kind === 'prompt' ? [item.text] : []));
  await soon(() => expect(said()).toEqual(['go', 'new words', 'behind it']));
  expect(await runtime.editQueued('edited', new AbortController().signal)).toMatchObject({
    error: { code: 'gone' },
  });
});

test('a message that is edited goes in also when a shell line ran meanwhile', async () => {
  const { promise: until, resolve: release } = Promise.withResolvers<void>();
  const { t, runtime } = await start(
    (_request, number) =>
      number === 0 ? reply([{ kind: 'hold', until }, 'done']) : reply(`answer ${number}`),
    { attended: true, createBroker },
  );
  const began = event(t, 'turn_started');
  await runtime.submit('go', undefined);
  await began;
  await runtime.submit('edited', 'later', [], 'edited');
  await runtime.submit('behind it', 'later');
  const editing = new AbortController();
  const edited = runtime.editQueued('edited', editing.signal);
  release();
  await soon(() => expect(t.session.main.engine.isRunning).toBe(false));
  await setImmediate();
  const ran = event(t, 'query_finished');
  await runtime.submit('!echo x', undefined);
  await ran;
  await soon(() => expect(t.session.main.engine.isRunning).toBe(false));
  await setImmediate();
  expect(t.session.main.engine.queue).toHaveLength(2);
  editing.abort();
  await edited;
  await soon(() => expect(JSON.stringify(lastBody(t))).toContain('behind it'));
  expect(t.session.main.engine.queue).toEqual([]);
});

test('a message that is edited goes in also when files were restored meanwhile', async () => {
  const { promise: until, resolve: release } = Promise.withResolvers<void>();
  const { t, runtime } = await start((_request, number) =>
    number === 0 ? reply([{ kind: 'hold', until }, 'done']) : reply(`answer ${number}`),
  );
  const began = event(t, 'turn_started');
  await runtime.submit('go', undefined);
  await began;
  await runtime.submit('edited', 'later', [], 'edited');
  const editing = new AbortController();
  const edited = runtime.editQueued('edited', editing.signal);
  release();
  await soon(() => expect(t.session.main.engine.isRunning).toBe(false));
  await setImmediate();
  await runtime.restoreFiles({ kind: 'session' }, false);
  expect(t.session.main.engine.queue).toHaveLength(1);
  editing.abort();
  await edited;
  await soon(() => expect(JSON.stringify(lastBody(t))).toContain('edited'));
});

test('what waits since a stop goes in with the next prompt also when news of a task comes before it', async () => {
  const stop = Promise.withResolvers<void>();
  const news = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const ready = Promise.withResolvers<void>();
  let prepare = async () => {};
  const { t, runtime } = await start(
    (_request, number) => {
      if (number === 0)
        return reply([
          toolUse('Bash', { command: 'mkfifo end; read x < end', run_in_background: true }),
        ]);
      if (number === 1) return reply([{ kind: 'hold', until: stop.promise }, 'never read']);
      if (number > 2) return reply('fine');
      return reply([{ kind: 'hold', until: news.promise }, toolUse('Bash', { command: 'exit 0' })]);
    },
    {},
    () => prepare(),
  );
  await runtime.submit('go', undefined);
  await soon(() => expect(t.api.requests).toHaveLength(2));
  await runtime.submit('held', 'next');
  const finished = event(t, 'query_finished');
  runtime.stop();
  stop.resolve();
  await finished;
  await soon(() => expect(t.session.main.engine.isRunning).toBe(false));
  await setImmediate();
  prepare = () => {
    prepare = async () => {};
    asked.resolve();
    return ready.promise;
  };
  const said = runtime.submit('and now', undefined);
  await asked.promise;
  await writeFile(join(t.project, 'end'), 'end\n');
  await soon(() => expect(t.api.requests).toHaveLength(3));
  ready.resolve();
  await said;
  news.resolve();
  await soon(() => expect(t.session.main.engine.isRunning).toBe(false));
  expect(t.session.main.engine.queue).toEqual([]);
  expect(JSON.stringify(lastBody(t))).toContain('held');
});

test('what a stop holds stays when the field in which it was edited is closed', async () => {
  const { promise: until, resolve: release } = Promise.withResolvers<void>();
  const { t, runtime } = await start([
    reply([{ kind: 'hold', until }, 'never read']),
    reply('not asked for'),
  ]);
  const began = event(t, 'turn_started');
  await runtime.submit('go', undefined);
  await began;
  await runtime.submit('held', 'next', [], 'held');
  const editing = new AbortController();
  const edited = runtime.editQueued('held', editing.signal);
  const finished = event(t, 'query_finished');
  runtime.stop();
  release();
  await finished;
  await soon(() => expect(t.session.main.engine.isRunning).toBe(false));
  await setImmediate();
  editing.abort();
  await edited;
  await setImmediate();
  expect(t.session.main.engine.queue).toHaveLength(1);
});

test('a message sent again under its id is taken once, also after the session was opened anew', async () => {
  const { t, runtime } = await start([reply('one'), reply('two')]);
  const finished = event(t, 'query_finished');
  const [first, again] = await Promise.all([
    runtime.submit('go', undefined, [], 'message-1'),
    runtime.submit('go', undefined, [], 'message-1'),
  ]);
  expect([first, again]).toEqual([ok(null), ok(null)]);
  await finished;
  expect(await runtime.submit('go', undefined, [], 'message-1')).toEqual(ok(null));
  expect(t.api.requests).toHaveLength(1);
  await soon(() => expect(t.session.main.engine.isRunning).toBe(false));

  // A host that was restarted remembers nothing but the log.
  const reopened = createSessionRuntime({ session: t.session, prepare: async () => ok(null) });
  expect(await reopened.submit('go', undefined, [], 'message-1')).toEqual(ok(null));
  const next = event(t, 'query_finished');
  await reopened.submit('and on', undefined, [], 'message-2');
  await next;
  expect(t.api.requests).toHaveLength(2);
  const prompts = t.session.log
    .transcript()
    .committed.flatMap((item) => (item.kind === 'prompt' ? [[item.id, item.text]] : []));
  expect(prompts).toEqual([
    ['message-1', 'go'],
    ['message-2', 'and on'],
  ]);
});

test('a message that was refused may be sent again under its id', async () => {
  const { t } = await start([reply('fine')]);
  let ready = false;
  const runtime = createSessionRuntime({
    session: t.session,
    prepare: async () => (ready ? ok(null) : err(fault('no_key', 'There is no key.'))),
  });
  expect((await runtime.submit('go', undefined, [], 'message-1')).ok).toBe(false);
  ready = true;
  const finished = event(t, 'query_finished');
  expect((await runtime.submit('go', undefined, [], 'message-1')).ok).toBe(true);
  await finished;
  expect(t.api.requests).toHaveLength(1);
});

const lastBody = (t: TestSession): unknown => t.api.requests.at(-1)?.body.messages;
