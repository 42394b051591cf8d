import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createPromptHistory, withPrompt } from '../../src/main/app/prompt-history';
import { projectFolder } from '../../src/main/engine/sessions/paths';
import { createNodeFiles } from '../../src/main/node/files';
import { tempFolder } from '../node/temp-folder';

it('keeps the prompts of each project over a restart, each once, the newest last', async () => {
  const home = await tempFolder();
  const files = createNodeFiles();
  const history = createPromptHistory(files, home);
  expect(await history.list('/p')).toEqual([]);
  await Promise.all(['one', 'two\nlines', 'one'].map((text) => history.add('/p', text)));
  await history.add('/other', 'elsewhere');
  expect(await createPromptHistory(files, home).list('/p')).toEqual(['two\nlines', 'one']);
  const stat = await files.stat(join(projectFolder(home, '/p'), 'prompts.json'));
  expect(stat.ok && stat.value.mode & 0o777).toBe(0o600);
});

it('begins anew over a file that is no list', async () => {
  const home = await tempFolder();
  const files = createNodeFiles();
  await files.write(join(projectFolder(home, '/p'), 'prompts.json'), '{"a":');
  const history = createPromptHistory(files, home);
  expect(await history.list('/p')).toEqual([]);
  await history.add('/p', 'one');
  expect(await history.list('/p')).toEqual(['one']);
});

it('is bounded in number and in length', () => {
  const many = Array.from({ length: 500 }, (_, n) => `prompt ${n}`);
  const next = withPrompt(many, 'the newest');
  expect([next.length, next[0], next.at(-1)]).toEqual([500, 'prompt 1', 'the newest']);
  expect(withPrompt(['a'.repeat(400_000), 'b'], 'c'.repeat(200_000))).toEqual([
    'b',
    'c'.repeat(200_000),
  ]);
  expect(withPrompt(['a'], ' \n')).toEqual(['a']);
  expect(withPrompt(['a'], 'x'.repeat(500_001))).toEqual(['a']);
});
