import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { BUILT_IN_AGENTS } from '../../../src/main/engine/agents/definitions';
import { createSessionRuntime } from '../../../src/main/engine/session/session-runtime';
import { createAgentTool } from '../../../src/main/engine/tools/builtin/agent/agent';
import { createBuiltinTools } from '../../../src/main/engine/tools/builtin/all';
import type { AgentEvent } from '../../../src/shared/agent-event';
import type { RestorePoint } from '../../../src/shared/checkpoint';
import { ok, type Result } from '../../../src/shared/result';
import { allItems, type CallItem } from '../../../src/shared/transcript';
import type { Script } from '../../support/scripted-api';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSessionOptions } from '../../support/session';
import { startTestTerminals } from '../../support/terminal-client';

/** Undo in whole sessions: real tools, a real terminal host, a real store, a scripted model. */

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

async function start(script: Script, options: TestSessionOptions = {}) {
  const terminals = await startTestTerminals();
  cleanups.push(() => terminals.stop());
  const t = await openTestSession(script, {
    tools: createBuiltinTools(),
    terminals: terminals.client,
    attended: true,
    checkpoints: true,
    ...options,
  });
  cleanups.push(() => t.close());
  const runtimeOf = () =>
    createSessionRuntime({ session: t.session, prepare: async () => ok(null) });
  let runtime = runtimeOf();
  return {
    t,
    say: async (words: string, id: string): Promise<readonly AgentEvent[]> => {
      const events: AgentEvent[] = [];
      const ended = new Promise<void>((resolve) => {
        const unlisten = t.session.log.listen(({ event }) => {
          events.push(event);
          if (event.type !== 'query_finished') return;
          unlisten();
          resolve();
        });
      });
      got(await runtime.submit(words, undefined, [], id));
      await ended;
      await new Promise((resume) => setImmediate(resume));
      return events;
    },
    restart: async () => {
      await t.reopen();
      runtime = runtimeOf();
    },
    preview: async (point: RestorePoint) => got(await t.session.checkpoints.preview(point)),
    restore: async (point: RestorePoint, overwrite = false) =>
      got(await runtime.restoreFiles(point, overwrite)),
    changes: async () => got(await t.session.checkpoints.changes()).files,
    changedText: async (path: string) => got(await t.session.checkpoints.changedText(path)),
    revertHunk: (...args: Parameters<typeof runtime.revertHunk>) => runtime.revertHunk(...args),
    rewind: async (promptId: string, restored?: string) =>
      got(await runtime.rewind(promptId, restored)),
    file: (name: string) => join(t.project, name),
    read: (name: string) =>
      existsSync(join(t.project, name)) ? readFileSync(join(t.project, name), 'utf8') : null,
    write: (name: string, content: string) => writeFileSync(join(t.project, name), content),
    call: (id: string) =>
      allItems(t.session.log.transcript()).find(
        (item): item is CallItem => item.kind === 'call' && item.id === id,
      ),
  };
}

const got = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
};

const bash = (command: string, id: string) => toolUse('Bash', { command }, id);

it('lists what the session changed, and takes back a hunk, a file and all of it', async () => {
  const lines = Array.from({ length: 30 }, (_, at) => `line ${at}\n`);
  const s = await start([
    reply([bash("sed -i -e 's/line 2$/two/' -e 's/line 25/later/' a; rm gone", 'toolu_1')]),
    reply([toolUse('Write', { file_path: 'new.txt', content: 'new\n' }, 'toolu_2')]),
    reply(['done']),
  ]);
  s.write('a', lines.join(''));
  s.write('gone', 'was here');
  await s.say('go', 'prompt-01');
  s.write('new.txt', 'new\nmine\n');
  expect(await s.changes()).toEqual([
    { path: 'a', kind: 'file', act: 'change', added: 2, removed: 2, shared: false },
    { path: 'gone', kind: 'file', act: 'delete', added: 0, removed: 1, shared: false },
    { path: 'new.txt', kind: 'file', act: 'create', added: 2, removed: 0, shared: true },
  ]);
  const { hunks, now } = await s.changedText('a');
  const removed = hunks?.map((hunk) => hunk.lines.filter((line) => line.startsWith('-')));
  expect(removed).toEqual([['-line 2'], ['-line 25']]);

  const reverted = got(await s.revertHunk('a', now ?? '', 0));
  expect(s.read('a')).toBe(lines.with(25, 'later\n').join(''));
  const again = await s.revertHunk('a', now ?? '', 0);
  expect(again, 'what was shown is no longer there').toMatchObject({
    ok: false,
    error: { code: 'changed_meanwhile' },
  });
  await s.restore({ kind: 'restore', id: reverted.id ?? '' });
  expect(s.read('a')).toContain('two\n');

  await s.restore({ kind: 'file', path: 'gone' });
  expect([s.read('gone'), s.read('a')?.includes('later')]).toEqual(['was here', true]);
  await s.restart();
  await s.restore({ kind: 'session' });
  expect([s.read('a'), s.read('new.txt')]).toEqual([lines.join(''), 'new\nmine\n']);
  expect((await s.changes()).map(({ path }) => path)).toEqual(['new.txt']);
});

it.each([
  ['a call', { kind: 'call', callId: 'toolu_1' }],
  ['a restore', { kind: 'restore', point: { kind: 'call', callId: 'toolu_1' }, took: [] }],
])('keeps what %s had changed when a crash cut it', async (_, cause) => {
  const s = await start([reply([bash('printf two > a', 'toolu_1')]), reply(['done'])]);
  s.write('a', 'one');
  await s.say('go', 'prompt-01');
  const { checkpoints, log } = s.t.session;
  await checkpoints.begin('toolu_1', async () => 'all');
  const store = join(s.t.project, '../checkpoints/lathe-open', log.sessionId);
  const [mark = ''] = readdirSync(store);
  writeFileSync(join(store, mark), JSON.stringify(cause));
  s.write('a', 'half');

  await s.restart();
  const preview = await s.preview({ kind: 'prompt', promptId: 'prompt-01' });
  // A user may have written it since: it is named, and not taken for the call's own.
  expect(preview.conflicts).toMatchObject([{ path: 'a', conflict: 'uncertain' }]);
  expect(readdirSync(join(store, '..'))).toEqual([]);
  await s.restore({ kind: 'prompt', promptId: 'prompt-01' }, true);
  expect(s.read('a')).toBe('one');
  s.write('a', 'mine');
  await s.restart();
  expect((await s.preview({ kind: 'prompt', promptId: 'prompt-01' })).conflicts).toMatchObject([
    { path: 'a', conflict: 'edited' },
  ]);
});

it('takes back a call, a prompt and a restore, by shell and by edit, also after a restart', async () => {
  const s = await start([
    reply([bash('printf two > a && mkdir made && printf in > made/b', 'toolu_1')]),
    reply(['one']),
    reply([toolUse('Write', { file_path: 'deep/er/c.txt', content: 'new' }, 'toolu_2')]),
    reply([bash('cat a', 'toolu_3')]),
    reply([bash('rm a', 'toolu_4')]),
    reply(['two']),
  ]);
  s.write('a', 'one');
  const first = await s.say('first', 'prompt-01');
  await s.say('second', 'prompt-02');
  expect(first).toContainEqual(
    expect.objectContaining({ type: 'files_changed', count: 3, paths: ['a', 'made', 'made/b'] }),
  );
  expect([s.read('a'), s.read('deep/er/c.txt')]).toEqual([null, 'new']);
  expect(s.call('toolu_1')?.changed?.count).toBe(3);
  expect(s.call('toolu_3')?.changed, 'a call that only reads').toBeUndefined();

  await s.restart();
  const undone = await s.restore({ kind: 'call', callId: 'toolu_4' });
  expect([s.read('a'), undone.count]).toEqual(['two', 1]);
  expect(s.call('toolu_4')?.changed?.undone).toBe(true);

  const back = await s.restore({ kind: 'prompt', promptId: 'prompt-02' });
  expect([s.read('a'), existsSync(s.file('deep')), existsSync(s.file('made'))]).toEqual([
    'two',
    false,
    true,
  ]);
  await s.restore({ kind: 'restore', id: back.id ?? '' });
  expect([s.read('a'), s.read('deep/er/c.txt')]).toEqual(['two', 'new']);
  expect(s.call('toolu_2')?.changed?.undone).toBeUndefined();

  await s.restart();
  const all = await s.restore({ kind: 'before', callId: 'toolu_1' });
  expect([s.read('a'), existsSync(s.file('made')), existsSync(s.file('deep'))]).toEqual([
    'one',
    false,
    false,
  ]);
  expect(await s.rewind('prompt-01', all.id ?? '')).toMatchObject({ text: 'first' });
  expect(allItems(s.t.session.log.transcript()).at(-1)).toMatchObject({
    text: 'You went back to before “first”. Files went back too',
    restored: { id: all.id },
  });
});

it('never overwrites what a user changed meanwhile, unless told to, and gives it back by redo', async () => {
  const s = await start([
    reply([bash('printf 2 > a; printf 2 > b; printf 2 > c', 'toolu_1')]),
    reply(['one']),
    reply([bash('printf 3 > c', 'toolu_2')]),
    reply(['two']),
  ]);
  for (const name of ['a', 'b', 'c', 'mine']) s.write(name, '1');
  await s.say('first', 'prompt-01');
  s.write('c', 'a user, between two calls');
  s.write('mine', 'a user');
  await s.say('second', 'prompt-02');
  s.write('b', 'a user, afterwards');

  const point = { kind: 'prompt', promptId: 'prompt-01' } as const;
  expect(await s.preview(point)).toMatchObject({
    files: [{ path: 'a', act: 'change', added: 1, removed: 1 }],
    count: 1,
    conflicts: [
      { path: 'b', conflict: 'edited' },
      { path: 'c', conflict: 'edited' },
    ],
    conflictCount: 2,
  });
  expect(await s.restore(point)).toMatchObject({ count: 1, left: ['b', 'c'] });
  expect(['a', 'b', 'c', 'mine'].map(s.read)).toEqual(['1', 'a user, afterwards', '3', 'a user']);

  const forced = await s.restore(point, true);
  expect(['a', 'b', 'c', 'mine'].map(s.read)).toEqual(['1', '1', '1', 'a user']);
  await s.restore({ kind: 'restore', id: forced.id ?? '' });
  expect(['a', 'b', 'c', 'mine'].map(s.read)).toEqual(['1', 'a user, afterwards', '3', 'a user']);
});

it('follows a command into the background, and is not sure that all changes are its own', async () => {
  const s = await start([
    reply([
      toolUse(
        'Bash',
        {
          command: 'while [ ! -e go ]; do sleep 0.02; done; printf 2 > a',
          run_in_background: true,
        },
        'toolu_1',
      ),
    ]),
    reply(['started']),
    reply(['noticed']),
  ]);
  s.write('a', '1');
  await s.say('first', 'prompt-01');
  expect(s.call('toolu_1')?.changed).toBeUndefined();
  const changed = new Promise<void>((resolve) => {
    s.t.session.log.listen(({ event }) => {
      if (event.type === 'files_changed') resolve();
    });
  });
  s.write('go', '');
  await changed;
  const point = { kind: 'call', callId: 'toolu_1' } as const;
  expect(await s.preview(point)).toMatchObject({
    count: 0,
    conflicts: [
      { path: 'a', conflict: 'uncertain' },
      { path: 'go', conflict: 'uncertain' },
    ],
  });
  expect(await s.restore(point)).toMatchObject({ count: 0, left: ['a', 'go'] });
  expect(s.read('a')).toBe('2');
  await s.restore(point, true);
  expect(s.read('a')).toBe('1');
});

it('is had by commands', async () => {
  const s = await start([
    reply([bash('printf 2 > a', 'toolu_1')]),
    reply([bash('printf 3 > a', 'toolu_2')]),
    reply(['done']),
  ]);
  const told = async (words: string) =>
    (
      await s.say(
        words,
        `prompt-${words.replaceAll(/\W/g, '-')}-${s.t.session.log.transcript().seq}`,
      )
    )
      .flatMap((event) => (event.type === 'query_finished' ? [event.text] : []))
      .join();
  s.write('a', '1');
  expect(await told('/undo')).toBe('There is nothing to undo.');
  await s.say('go', 'prompt-01');
  expect(await told('/undo')).toBe('Restored 1 file.');
  expect(s.read('a')).toBe('2');
  expect(await told('/undo')).toBe('Restored 1 file.');
  expect(s.read('a')).toBe('1');
  expect(await told('/redo')).toBe('Restored 1 file.');
  expect(s.read('a')).toBe('2');
  s.write('a', 'mine');
  expect(await told('/undo')).toContain('left as they are: a.');
  expect(s.read('a')).toBe('mine');
  expect(await told('/undo overwrite')).toBe('Restored 1 file.');
  expect(s.read('a')).toBe('1');
});

it('keeps none where nobody can go back, unless settings say so', async () => {
  const script = [reply([bash('printf 2 > a', 'toolu_1')]), reply(['done'])];
  const without = await start(script, { attended: false });
  await without.say('go', 'prompt-01');
  expect(without.call('toolu_1')?.changed).toBeUndefined();
  const asked = await start(script, {
    attended: false,
    settings: { fileCheckpointingEnabled: true },
  });
  await asked.say('go', 'prompt-01');
  expect(asked.call('toolu_1')?.changed?.count).toBe(1);
});

it("marks what a sub-agent's calls changed on its cards and on the call that started it", async () => {
  const task = { description: 'Change', prompt: 'SUBWORK', subagent_type: 'general-purpose' };
  const main = [reply([toolUse('Agent', task, 'toolu_agent')]), reply(['done'])];
  const work = [
    reply([bash('printf two > a', 'toolu_1')]),
    reply([bash('printf two > b', 'toolu_2')]),
    reply(['changed']),
  ];
  const s = await start(
    ({ body }) =>
      (JSON.stringify(body.tools ?? []).includes('"Agent"') ? main : work).shift() ?? reply('end'),
    { tools: [...createBuiltinTools(), createAgentTool(BUILT_IN_AGENTS)] },
  );
  s.write('a', 'one');
  s.write('b', 'one');
  await s.say('go', 'prompt-01');
  const marks = async () => {
    const { session } = s.t;
    const [agent] = session.log.transcript().agents;
    const own = allItems(got(await session.agentTranscript(agent?.id ?? '')));
    return [s.call('toolu_agent'), ...own].flatMap((item) =>
      item?.kind === 'call' ? [[item.changed?.count, item.changed?.undone]] : [],
    );
  };
  await expect.poll(marks).toEqual([
    [2, undefined],
    [1, undefined],
    [1, undefined],
  ]);

  await expect.poll(() => s.t.session.main.engine.isRunning).toBe(false);
  const undone = await s.restore({ kind: 'call', callId: 'toolu_2' });
  expect([s.read('a'), s.read('b')]).toEqual(['two', 'one']);
  const oneUndone = [
    [2, undefined],
    [1, undefined],
    [1, true],
  ];
  expect(await marks()).toEqual(oneUndone);
  await s.restart();
  expect(await marks()).toEqual(oneUndone);
  await s.restore({ kind: 'restore', id: undone.id ?? '' });
  expect(await marks()).toEqual([
    [2, undefined],
    [1, undefined],
    [1, undefined],
  ]);
  await s.restore({ kind: 'call', callId: 'toolu_agent' });
  expect([s.read('a'), s.read('b')]).toEqual(['one', 'one']);
  expect(await marks()).toEqual([
    [2, true],
    [1, true],
    [1, true],
  ]);
});
