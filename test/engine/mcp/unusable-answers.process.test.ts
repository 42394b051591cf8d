import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession } from '../../support/session';
import { badServer } from './bad-server';

let folder: string;
let open: TestSession | null = null;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lathe-bad-'));
});
afterEach(async () => {
  await open?.close();
  open = null;
  await rm(folder, { recursive: true, force: true });
});

/** Runs a prompt whose answers call a tool `calls` times of a server with such answers, and gives what the model was told. */
async function toldBy(body: string, calls: number): Promise<readonly string[]> {
  const call = () => reply([toolUse('mcp__bad__hello', {})]);
  open = await openTestSession([...Array.from({ length: calls }, call), reply('Done.')], {
    settings: {
      mcpServers: [await badServer(folder, body)],
      rules: [{ behavior: 'allow', text: 'mcp__bad', source: 'userSettings' }],
    },
  });
  const { session, api } = open;
  session.syncToolServers();
  await expect.poll(() => session.toolServers().map(({ status }) => status)).toEqual(['connected']);
  await open.run('go');
  return api.requests.map(({ body }) => JSON.stringify(body.messages));
}

it.each([
  ['a text', `'just words'`],
  ['a list', '[1]'],
  ['nothing', 'undefined'],
])(
  'an answer that is %s is a failure of its call, and the next one goes well',
  async (_, answer) => {
    const told = await toldBy(
      `let calls = 0;
    answers['tools/call'] = (_, id) => {
      calls += 1;
      if (calls > 1) return { content: [{ type: 'text', text: 'Hello.' }] };
      send({ id, result: ${answer} });
    };`,
      2,
    );
    expect(told[1]).toContain('has no form that can be read');
    expect(told[2]).toContain('Hello.');
  },
);

it('a server that closes its output has ended, and its calls have failed', async () => {
  const told = await toldBy(
    `answers['tools/call'] = () => { process.stdout.end(); };
    setInterval(() => {}, 1_000);`,
    1,
  );
  expect(told[1]).toContain('It closed its output.');
});
