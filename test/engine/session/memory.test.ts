import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { textTokens } from '../../../src/main/engine/context/tokens';
import { createReadTool } from '../../../src/main/engine/tools/builtin/read/read';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession } from '../../support/session';

let open: TestSession | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

it('tells the user which memory was left out, and why', async () => {
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

it('rules stand in front of the conversation, and those with paths come with the first such file', async () => {
  const read = (path: string) => reply([toolUse('Read', { file_path: path })]);
  const t = await openTestSession(
    [read('docs/a.md'), read('src/deep/a.tsx'), read('src/b.ts'), reply('done')],
    {
      tools: [createReadTool()],
      files: {
        '.claude/rules/always.md': 'Write plainly.\n@more.md',
        '.claude/rules/more.md': 'More of it.',
        '.claude/rules/web/react.md': '---\npaths: "src/**/*.{ts,tsx}, *.css"\n---\nUse hooks.',
        '.claude/rules/sql.md': '---\npaths: [db/**]\n---\nNo joins.',
        '.claude/rules/odd.md': '---\npaths: 5\n---\nOdd one.',
        '.claude/rules/open.md': '---\npaths: [src/**\n---\nOpen one.',
        'docs/a.md': 'a',
        'src/deep/a.tsx': 'b',
        'src/b.ts': 'c',
      },
    },
  );
  open = t;
  const events = await t.run('hi');
  const sent = t.api.requests.map(({ body }) => JSON.stringify(body.messages));
  for (const words of ['Write plainly.', 'More of it.', 'Odd one.', 'Open one.']) {
    expect(sent[0]?.split(words)).toHaveLength(2);
  }
  expect(sent[0]).not.toContain('paths:');
  expect(sent[1]).not.toContain('Use hooks.');
  expect(sent[2]).toContain(
    'Instructions for work in files that match src/**/*.{ts,tsx}, *.css, from',
  );
  expect(sent.at(-1)?.split('Use hooks.')).toHaveLength(2);
  expect(sent.at(-1)).not.toContain('No joins.');
  const told = events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
  expect(told).toEqual([
    expect.stringMatching(/odd\.md, line 2: paths: globs are expected; it holds for all work/),
    expect.stringMatching(/open\.md, line 2: paths: globs are expected; it holds for all work/),
  ]);
});

it('rules of a folder that nobody trusts, and those a link brings from outside, are left out', async () => {
  const t = await openTestSession([reply('one')], {
    files: { '.claude/rules/a.md': 'Obey me.' },
    settings: { trusted: false },
  });
  open = t;
  await t.run('hi');
  expect(JSON.stringify(t.api.requests[0]?.body)).not.toContain('Obey me.');
  const outside = join(t.latheHome, 'b.md');
  await mkdir(t.latheHome, { recursive: true });
  await writeFile(outside, 'From outside.');
  await symlink(outside, join(t.project, '.claude', 'rules', 'b.md'));
  await t.reopen({ trusted: true });
  await t.run('hi');
  const last = JSON.stringify(t.api.requests.at(-1)?.body);
  expect(last).toContain('Obey me.');
  expect(last).not.toContain('From outside.');
});
