import { afterEach, expect, it } from 'vitest';
import { createReadTool } from '../../../src/main/engine/tools/builtin/read/read';
import { allItems } from '../../../src/shared/transcript';
import { reply, thinking, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession } from '../../support/session';

/**
 * The scripted API signs thinking with its model and with everything before it, and refuses it elsewhere. The
 * client would repair a refusal, so what counts here is that there is none.
 */
let open: TestSession | null = null;
afterEach(async () => {
  expect(open?.api.refusals ?? []).toEqual([]);
  await open?.close();
  open = null;
});

const start = async (): Promise<TestSession> => {
  open = await openTestSession(
    (_request, n) =>
      n % 2 === 0
        ? reply([thinking(`before call ${n}`), toolUse('Read', { file_path: `/nowhere/${n}` })])
        : reply([thinking(`thought ${n}`), `answer ${n}`]),
    { tools: [createReadTool()] },
  );
  return open;
};
const thoughts = (t: TestSession): string[] =>
  JSON.stringify(t.api.requests.at(-1)?.body.messages).match(/"thinking":"[^"]*"/g) ?? [];

it('goes back to the model that made it, with all that came before it', async () => {
  const t = await start();
  await t.run('one');
  await t.run('two');
  await t.run('three');
  expect(thoughts(t)).toHaveLength(5);
});

it('stays away from another model, and is there again for its own', async () => {
  const t = await start();
  await t.run('one');
  t.session.main.engine.configure({ model: 'claude-opus-5-5' });
  await t.run('two');
  expect(thoughts(t)).toEqual(['"thinking":"before call 2"']);
  t.session.main.engine.configure({ model: 'claude-sonnet-5-5' });
  await t.run('three');
  expect(thoughts(t)).toEqual([
    '"thinking":"before call 0"',
    '"thinking":"thought 1"',
    '"thinking":"before call 4"',
  ]);
});

it('stays when the mode changes: the prompt does not', async () => {
  const t = await start();
  await t.run('one');
  t.session.main.engine.configure({ mode: 'plan' });
  await t.run('two');
  t.session.main.engine.configure({ mode: 'default' });
  await t.run('three');
  expect(thoughts(t)).toHaveLength(5);
});

it('of the tail that a compaction kept is left out; what comes after it stays', async () => {
  const t = await start();
  await t.run('one');
  const first = t.session.log.transcript().committed[0]?.id ?? '';
  await t.run('two');
  t.session.main.engine.record({
    type: 'compacted',
    id: 'cmp_1',
    summary: 'They said one.',
    removed: [first],
    tokensBefore: 100,
    tokensAfter: 10,
  });
  await t.run('three');
  expect(thoughts(t)).toEqual(['"thinking":"before call 4"']);
  await t.run('four');
  expect(thoughts(t)).toHaveLength(3);
});

it('from before a restart is left out, what comes after it stays', async () => {
  const t = await start();
  await t.run('one');
  await t.reopen();
  await t.run('two');
  await t.run('three');
  expect(thoughts(t)).toEqual([
    '"thinking":"before call 2"',
    '"thinking":"thought 3"',
    '"thinking":"before call 4"',
  ]);
});

/** Takes back the newest prompt and all that came of it. */
const rewind = (t: TestSession): void => {
  const prompts = allItems(t.session.log.transcript()).filter(({ kind }) => kind === 'prompt');
  const promptId = prompts.at(-1)?.id ?? '';
  t.session.main.engine.record({ type: 'rewound', id: `rwd_${promptId}`, promptId, text: '' });
};

it('of the tail that a compaction kept is left out, also when a rewind took the end of the tail', async () => {
  const t = await start();
  await t.run('one');
  const first = t.session.log.transcript().committed[0]?.id ?? '';
  await t.run('two');
  await t.run('three');
  t.session.main.engine.record({
    type: 'compacted',
    id: 'cmp_1',
    summary: 'They said one.',
    removed: [first],
    tokensBefore: 100,
    tokensAfter: 10,
  });
  rewind(t);
  await t.run('four');
  expect(thoughts(t)).toEqual(['"thinking":"before call 6"']);
});

it.each([1, 2])('from before a restart is left out, also after %i rewinds', async (count) => {
  const t = await start();
  await t.run('one');
  await t.run('two');
  await t.reopen();
  await t.run('three');
  for (let n = 0; n < count; n += 1) rewind(t);
  await t.run('four');
  await t.run('five');
  expect(thoughts(t)).toEqual([
    '"thinking":"before call 6"',
    '"thinking":"thought 7"',
    '"thinking":"before call 8"',
  ]);
});
