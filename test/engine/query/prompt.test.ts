import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ScriptedApi } from '../../support/scripted-api';
import { reply } from '../../support/scripted-api-replies';
import { ofType, sessionsOfFile } from './support';

const start = sessionsOfFile();
const systemOf = (api: ScriptedApi, number: number) =>
  JSON.stringify(api.requests.at(number)?.body.system ?? null);

it('a style of the project, a language and a scratch folder go into the prompt', async () => {
  const t = await start([reply('Arr.'), reply('Arr again.')], {
    settings: { outputStyle: 'Pirate', language: 'French' },
  });
  const folder = join(t.project, '.claude', 'output-styles');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'pirate.md'), '---\nname: Pirate\n---\nSay arr.');
  await t.run('hello');
  const system = systemOf(t.api, 0);
  expect(system).toContain('# Output style\\nSay arr.');
  expect(system).toContain('Answer in French.');
  expect(system).toContain('# Scratch folder');
  expect(system).not.toContain('# Doing the work');
  await writeFile(join(folder, 'pirate.md'), 'changed');
  await t.run('again');
  expect(systemOf(t.api, 1)).toBe(system);
});

it('a style that is nowhere is said once, and work goes on as usual', async () => {
  const t = await start([reply('Hello.'), reply('Hello.')], { settings: { outputStyle: 'Pirat' } });
  const notices = ofType([...(await t.run('hello')), ...(await t.run('again'))], 'notice');
  expect(notices).toMatchObject([{ level: 'warning', text: expect.stringMatching(/"Pirat"/) }]);
  expect(systemOf(t.api, 0)).toContain('# Doing the work');
});

it('the simple prompt is a few lines, without memory files and styles', async () => {
  const t = await start([reply('Hello.')], { settings: { simple: true, outputStyle: 'Learning' } });
  await writeFile(join(t.project, 'CLAUDE.md'), 'Use tabs.');
  await t.run('hello');
  const system = t.api.requests[0]?.body.system ?? [];
  const first = typeof system === 'string' ? undefined : system[0];
  expect(JSON.stringify(first).length).toBeLessThan(300);
  expect(JSON.stringify(t.api.requests[0]?.body)).not.toMatch(/Use tabs|LEARN/);
});

it('a tool that is denied altogether is not offered to the model', async () => {
  const source = 'userSettings' as const;
  const t = await start([reply('Hello.')], {
    settings: {
      rules: [
        { behavior: 'deny', text: 'Edit', source },
        { behavior: 'deny', text: 'Read(./secrets/**)', source },
      ],
    },
  });
  await t.run('hello');
  expect(t.api.requests[0]?.body.tools?.map((tool) => tool.name)).toEqual(['Read']);
});
