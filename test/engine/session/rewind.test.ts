import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createSessionRuntime } from '../../../src/main/engine/session/session-runtime';
import { createReadTool } from '../../../src/main/engine/tools/builtin/read/read';
import { createTodoWriteTool } from '../../../src/main/engine/tools/builtin/todo-write/todo-write';
import { ok } from '../../../src/shared/result';
import { allItems, type Transcript } from '../../../src/shared/transcript';
import { hold, reply, text, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession, type TestSessionOptions } from '../../support/session';

let open: TestSession | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

const IMAGE = {
  type: 'image' as const,
  source: { type: 'base64' as const, media_type: 'image/png' as const, data: 'AAAA' },
};

async function conversation(
  script: Parameters<typeof openTestSession>[0],
  options?: TestSessionOptions,
) {
  const test = await openTestSession(script, options);
  open = test;
  const runtimeOf = () =>
    createSessionRuntime({ session: test.session, prepare: async () => ok(null) });
  const runtime = runtimeOf();
  /** Sends a prompt under an id, and waits for the end of the query. */
  const say = async (words: string, id: string, blocks: readonly (typeof IMAGE)[] = []) => {
    const ended = new Promise<void>((resolve) => {
      const unlisten = test.session.log.listen(({ event }) => {
        if (event.type !== 'query_finished') return;
        unlisten();
        resolve();
      });
    });
    expect(await runtime.submit(words, undefined, blocks, id)).toEqual(ok(null));
    await ended;
    await new Promise((resume) => setImmediate(resume));
  };
  return { test, runtime, say };
}

/** The rows of a conversation in a few words each. */
const shown = (transcript: Transcript): readonly string[] =>
  allItems(transcript).flatMap((item) => {
    if (item.kind === 'prompt') return [`you: ${item.text}`];
    if (item.kind === 'text') return [`lathe: ${item.text}`];
    return item.kind === 'divider' && item.code === 'rewound' ? [`— ${item.text}`] : [];
  });

const told = (test: TestSession): string => JSON.stringify(test.api.requests.at(-1)?.body.messages);

it('goes back to before a prompt: it is given back whole, and the model hears no more of it, also after a restart', async () => {
  const { test, runtime, say } = await conversation([
    reply('first answer'),
    reply('second answer'),
    reply('third answer'),
    reply('other answer'),
  ]);
  await say('first', 'prompt-1');
  await say('second', 'prompt-2', [IMAGE]);
  await say('third', 'prompt-3');
  expect(await runtime.rewind('prompt-2')).toEqual(ok({ text: 'second', blocks: [IMAGE] }));
  const divider = '— You went back to before “second”. Files stay as they are';
  const rest = ['you: first', 'lathe: first answer', divider];
  expect(shown(test.session.log.transcript())).toEqual(rest);

  await test.reopen();
  expect(shown(test.session.log.transcript())).toEqual(rest);
  expect(test.session.main.state.history().map(({ id }) => id)).not.toContain('prompt-2');
  await test.run('something else');
  expect(told(test)).toContain('first answer');
  expect(told(test)).toContain('something else');
  expect(told(test)).not.toContain('second');
  expect(told(test)).not.toContain('third');
});

it('sends the same bytes as a session that never took the other way', async () => {
  const straight = await conversation([reply('one'), reply('two')]);
  await straight.say('first', 'prompt-1');
  await straight.say('then this', 'prompt-2');
  const expected = straight.test.api.requests.at(-1)?.body;
  await straight.test.close();
  const { test, runtime, say } = await conversation([reply('one'), reply('lost'), reply('two')]);
  await say('first', 'prompt-1');
  await say('the wrong way', 'prompt-9');
  await runtime.rewind('prompt-9');
  await say('then this', 'prompt-2');
  const { messages } = test.api.requests.at(-1)?.body ?? {};
  expect(messages?.slice(1)).toEqual(expected?.messages.slice(1));
});

it('stops what runs first, and leaves no call without its result', async () => {
  const never = Promise.withResolvers<void>();
  const { test, runtime, say } = await conversation([
    reply('one'),
    reply([text('working'), hold(never.promise), text('on')]),
  ]);
  await say('first', 'prompt-1');
  await runtime.submit('long work', undefined, [], 'prompt-2');
  await expect.poll(() => shown(test.session.log.transcript())).toContain('lathe: working');
  expect(await runtime.rewind('prompt-2')).toMatchObject({
    ok: true,
    value: { text: 'long work' },
  });
  never.resolve();
  expect(test.session.main.engine.isRunning).toBe(false);
  expect(shown(test.session.log.transcript())).toHaveLength(3);
});

it('takes what calls had set back to what it was, and forgets the files the model had read', async () => {
  const todo = (content: string) =>
    toolUse('TodoWrite', { todos: [{ content, status: 'pending', activeForm: content }] });
  const { test, runtime, say } = await conversation(
    [
      reply([todo('before')]),
      reply('one'),
      reply([todo('after'), toolUse('Read', { file_path: 'a.txt' })]),
      reply('two'),
    ],
    { tools: [createTodoWriteTool(), createReadTool()] },
  );
  await writeFile(join(test.project, 'a.txt'), 'x');
  await say('first', 'prompt-1');
  await say('second', 'prompt-2');
  expect(test.session.main.state.reads.recent(5)).toHaveLength(1);
  expect(test.session.log.transcript().todos).toMatchObject([{ content: 'after' }]);
  await runtime.rewind('prompt-2');
  expect(test.session.log.transcript().todos).toMatchObject([{ content: 'before' }]);
  expect(test.session.main.state.reads.recent(5)).toEqual([]);
});

it('refuses a prompt that is not there, and one that was left behind', async () => {
  const { runtime, say } = await conversation([reply('one')]);
  await say('first', 'prompt-1');
  expect(await runtime.rewind('prompt-7')).toMatchObject({ ok: false, error: { code: 'gone' } });
  expect((await runtime.rewind('prompt-1')).ok).toBe(true);
  expect(await runtime.rewind('prompt-1')).toMatchObject({ ok: false, error: { code: 'gone' } });
});

it('a fork holds what was there before a prompt; one of a rewind has all that was left behind', async () => {
  const { test, runtime, say } = await conversation([
    reply('one'),
    reply('two'),
    reply('in the fork'),
  ]);
  await say('first', 'prompt-1');
  await say('second', 'prompt-2');
  await runtime.rewind('prompt-2');
  const divider = allItems(test.session.log.transcript()).at(-1);
  const rewindId = divider?.kind === 'divider' ? (divider.rewind ?? '') : '';
  const whole = await test.fork({ kind: 'rewind', rewindId });
  expect(shown(whole.log.transcript())).toEqual([
    ...['you: first', 'lathe: one', 'you: second', 'lathe: two'],
  ]);
  await whole.close({ keepTasks: false });
  const short = await test.fork({ kind: 'prompt', promptId: 'prompt-2' });
  expect(shown(short.log.transcript())).toEqual(['you: first', 'lathe: one']);
  expect(short.log.transcript().running).toBeNull();
  const ends = allItems(short.log.transcript()).filter(({ kind }) => kind === 'end');
  expect(ends).toHaveLength(1);
  for await (const _ of short.submit('on from here')) void _;
  expect(told(test)).not.toContain('second');
  await short.close({ keepTasks: false });
  await expect(test.fork({ kind: 'rewind', rewindId: 'rew_99' })).rejects.toThrow(
    'not in the session',
  );
});
