import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { textTokens } from '../../../src/main/engine/context/tokens';
import { reply } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession } from '../../support/session';

let open: TestSession | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

it('tells the person which memory was left out, and why', async () => {
  const t = await openTestSession([reply('hello')]);
  open = t;
  await mkdir(t.project, { recursive: true });
  await writeFile(join(t.project, 'CLAUDE.md'), `Be kind.\n@/etc/passwd\n${'x'.repeat(170_000)}`);
  const events = await t.run('hi');
  const told = events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
  expect(told).toContainEqual(
    expect.stringMatching(/CLAUDE\.md: cut after 160000 characters: all memory together/),
  );
  expect(told).toContainEqual(
    expect.stringMatching(/CLAUDE\.md, line 2: the import @\/etc\/passwd is left out/),
  );
});

it('cuts memory to what the rest of the prompt leaves, in order, and tells of it', async () => {
  // 40 000 characters of three bytes each are 30 000 tokens.
  const [one, two] = ['一'.repeat(40_000), '二'.repeat(40_000)];
  const t = await openTestSession([reply('hello')], {
    prompts: { append: 'x'.repeat(80_000) },
  });
  open = t;
  await writeFile(join(t.project, 'CLAUDE.md'), one);
  await writeFile(join(t.project, 'CLAUDE.local.md'), two);
  const events = await t.run('hi');
  const told = events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
  expect(told).toContainEqual(
    expect.stringMatching(/CLAUDE\.local\.md: cut: the prompt has no more room/),
  );
  const body = t.api.requests[0]?.body;
  const front = JSON.stringify([body?.system, body?.messages]);
  expect(front).toContain(one);
  expect(front).not.toContain(two);
  expect(front).toContain('二二二\\n(cut: the prompt has no more room)');
  expect(textTokens(front)).toBeLessThan(125_000);
});
