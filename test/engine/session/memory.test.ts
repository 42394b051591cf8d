import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
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
  expect(told).toContainEqual(expect.stringMatching(/CLAUDE\.md were left out\. Memory is larger/));
  expect(told).toContainEqual(
    expect.stringMatching(/\/etc\/passwd were left out\. Outside the project/),
  );
});
