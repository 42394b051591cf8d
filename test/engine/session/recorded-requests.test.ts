import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { projectFolder } from '../../../src/main/engine/sessions/paths';
import { createBuiltinTools } from '../../../src/main/engine/tools/builtin/all';
import type { Decision } from '../../../src/shared/permission';
import type { WireRequest } from '../../support/scripted-api-check';
import { reply, thinking, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession } from '../../support/session';

let open: TestSession | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

const decision = (behavior: Decision['behavior']): Decision => ({
  behavior,
  reason: 'the test says so',
  why: [],
  suggestions: [],
});

/**
 * Returns the bodies as text: of each what differs from the one before, messages from the first that differs on. Paths,
 * the date and signatures, which differ from run to run, are replaced.
 */
function textOf(bodies: readonly WireRequest[], t: TestSession): string {
  const texts = bodies.map((body, at) => {
    const before: Partial<WireRequest> = bodies[at - 1] ?? {};
    const news = Object.entries(body).filter(([field, value]) => {
      return JSON.stringify(value) !== JSON.stringify(Reflect.get(before, field));
    });
    const { messages: old = [] } = before;
    const { messages } = body;
    const from = messages.findIndex(
      (message, i) => JSON.stringify(message) !== JSON.stringify(old[i]),
    );
    const shown = { ...Object.fromEntries(news), messages: messages.slice(from) };
    return `## request ${at + 1}: fields ${Object.keys(body).join(', ')}; messages from ${from + 1} of ${messages.length}\n${JSON.stringify(shown, null, 1)}\n`;
  });
  return texts
    .join('\n')
    .replaceAll(t.project, '/PROJECT')
    .replaceAll(t.latheHome, '/LATHE')
    .replaceAll(basename(projectFolder(t.latheHome, t.project)), 'FOLDER')
    .replaceAll(/Today's date: [\d-]+/g, "Today's date: DATE")
    .replaceAll(/scripted\.[\w.-]+/g, 'SIGNATURE')
    .replaceAll('\\n', '\n');
}

// What goes over the wire is held by a file, so that every change of it is seen in review. After a deliberate change
// write it anew: vitest run -u test/engine/session/recorded-requests.test.ts
it('sends the recorded bodies: parallel and failing calls, thinking, news, a restart, a summary', async () => {
  const t = await openTestSession(
    (_request, number) => {
      const file = (name: string) => ({ file_path: join(t.project, name) });
      const script = [
        reply([
          thinking('Both files, and one that is not there.'),
          toolUse('Read', file('a.txt'), 'toolu_1'),
          toolUse('Read', file('b.txt'), 'toolu_2'),
          toolUse('Read', file('none.txt'), 'toolu_3'),
        ]),
        reply([
          'I change one.',
          toolUse('Edit', { ...file('a.txt'), old_string: 'alpha', new_string: 'ä' }, 'toolu_4'),
          toolUse('Nothing', { x: 1 }, 'toolu_5'),
          toolUse('Read', { wrong: true }, 'toolu_6'),
        ]),
        reply([
          toolUse('Bash', { command: 'make' }, 'toolu_7'),
          toolUse(
            'TodoWrite',
            { todos: [{ content: 'Test', status: 'pending', activeForm: 'Testing' }] },
            'toolu_8',
          ),
        ]),
        reply([thinking('That is all.'), 'Done.']),
        reply('I see what changed.'),
        reply('Still here.'),
        reply('<summary>A file was edited.</summary>'),
        reply('Behind it.'),
      ];
      return script[number] ?? reply('one too many');
    },
    {
      tools: createBuiltinTools(),
      decide: ({ kind }) => decision(kind === 'shell' ? 'deny' : 'allow'),
      prompts: { append: 'Be brief.' },
    },
  );
  open = t;
  await writeFile(join(t.project, 'CLAUDE.md'), 'Test what you change.\n');
  await writeFile(join(t.project, 'a.txt'), 'alpha\n');
  await writeFile(join(t.project, 'b.txt'), 'bravo\n');

  await t.run('Please change @a.txt');
  await writeFile(join(t.project, 'b.txt'), 'bravo, and more\n');
  await t.run('What is new?');
  await t.reopen();
  await t.run('And after a restart?');
  for await (const _ of t.session.submit('/compact the edit')) {
    // The requests are what counts.
  }
  await t.run('Go on.');

  expect(t.api.refusals).toEqual([]);
  const bodies = t.api.requests.map(({ body }) => body);
  await expect(textOf(bodies, t)).toMatchFileSnapshot('recorded-requests.txt');
});
