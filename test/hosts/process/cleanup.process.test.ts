import { existsSync } from 'node:fs';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ScriptedApi, startScriptedApi } from '../../support/scripted-api';
import { reply } from '../../support/scripted-api-replies';
import { lathe, makeWorkspace, type Workspace } from './lathe';

let workspace: Workspace;
let api: ScriptedApi;
beforeEach(async () => {
  workspace = await makeWorkspace();
  api = await startScriptedApi(() => reply('ok'));
});
afterEach(async () => {
  await api.close();
  await workspace.remove();
});

const DAY_MS = 24 * 60 * 60 * 1000;
const idOf = (place: number) => `00000000-0000-4000-8000-00000000000${place}`;

async function run(...words: string[]) {
  const { child, finished } = lathe(workspace, ['-p', 'hi', ...words], {
    ...{ ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: api.url },
  });
  child.stdin.end();
  const done = await finished;
  expect(done.code, done.stderr).toBe(0);
}
const sessions = async () => {
  const root = join(workspace.latheHome, 'projects');
  const [project = ''] = await readdir(root);
  const names = await readdir(join(root, project));
  return { folder: join(root, project), ids: names.filter((name) => name.endsWith('.jsonl')) };
};

test('a run moves sessions that nobody used for so many days into the trash, where settings say so', async () => {
  for (const place of [1, 2, 3]) await run('--session-id', idOf(place));
  const { folder } = await sessions();
  for (const [place, days] of [
    [1, 20],
    [2, 40],
    [3, 500],
  ] as const) {
    const at = (Date.now() - days * DAY_MS) / 1000;
    await utimes(join(folder, `${idOf(place)}.jsonl`), at, at);
  }
  await writeFile(join(folder, `${idOf(3)}.archived`), '');
  await run('--session-id', idOf(4));
  expect((await sessions()).ids).toHaveLength(4);
  await mkdir(join(workspace.home, '.claude'));
  const settings = JSON.stringify({ cleanupPeriodDays: 30 });
  await writeFile(join(workspace.home, '.claude/settings.json'), settings);
  // One that goes on is in use, however old it is.
  await run('--resume', idOf(1));
  await run('--resume', idOf(3));
  expect((await sessions()).ids.sort()).toEqual([1, 3, 4].map((place) => `${idOf(place)}.jsonl`));
  const [trashed = ''] = await readdir(join(workspace.latheHome, 'trash'));
  expect(trashed).toContain(idOf(2));
  const { child, finished } = lathe(workspace, ['sessions', 'restore', idOf(2)]);
  child.stdin.end();
  expect((await finished).code).toBe(0);
  expect(existsSync(join(folder, `${idOf(2)}.jsonl`))).toBe(true);
});
