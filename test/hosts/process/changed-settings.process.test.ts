import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ScriptedApi, startScriptedApi } from '../../support/scripted-api';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { lathe, linesOf, makeWorkspace, type Workspace } from './lathe';
import { contentOf, finished } from './task-runs';
import { openWindow } from './window';

let workspace: Workspace;
let api: ScriptedApi;
/** Changes settings as a user does while the model works. */
let change: () => Promise<void>;

beforeEach(async () => {
  workspace = await makeWorkspace();
  await mkdir(join(workspace.home, '.claude'));
  const touch = (file: string) => reply([toolUse('Bash', { command: `touch ${file}; echo $NEW` })]);
  api = await startScriptedApi(
    async (_request, number) => {
      if (number === 0) return touch('before');
      if (number === 1) await change();
      return number < 3 ? touch(`after-${number}`) : reply('Done.');
    },
    { apiKey: 'test-key' },
  );
});
afterEach(async () => {
  await api.close();
  await workspace.remove();
});

const user = (text: string) => writeFile(join(workspace.home, '.claude', 'settings.json'), text);
const made = () =>
  ['before', 'after-1', 'after-2'].filter((file) => existsSync(join(workspace.project, file)));
const DENIAL = '{"permissions":{"deny":["Bash(touch *)"]}}';

async function run() {
  const words = ['--permission-mode', 'bypassPermissions', '--output-format', 'stream-json'];
  const { finished: over, child } = lathe(workspace, ['-p', 'go', '--verbose', ...words], {
    ANTHROPIC_BASE_URL: api.url,
    ANTHROPIC_API_KEY: 'test-key',
  });
  child.stdin.end();
  const { code, stdout } = await over;
  const told = linesOf(stdout).flatMap((line) =>
    line['code'] === 'settings_problem' ? [String(line['content'])] : [],
  );
  return { code, told };
}

test('a denial that is added while the model works holds for its next call', async () => {
  change = () => user(DENIAL);
  expect(await run()).toEqual({ code: 0, told: [] });
  expect(made()).toEqual(['before']);
});

test('a file that breaks while the model works loses no denial, and is told once', async () => {
  await user('{"permissions":{"deny":["Bash(nothing *)"]}}');
  change = () => user(DENIAL.slice(0, -2));
  expect(await run()).toEqual({
    code: 0,
    told: [expect.stringContaining('settings.json, line 1')],
  });
  expect(made()).toEqual(['before']);
});

test('variables and hooks that are added while the model works count, too', async () => {
  const hook = { type: 'command', command: 'echo hooked >> "$HOME/hooked"' };
  const text = { env: { NEW: 'tide' }, hooks: { PreToolUse: [{ hooks: [hook] }] } };
  change = () => user(JSON.stringify(text));
  expect(await run()).toEqual({ code: 0, told: [] });
  expect(made()).toEqual(['before', 'after-1', 'after-2']);
  expect(existsSync(join(workspace.home, 'hooked'))).toBe(true);
  expect(JSON.stringify(api.requests.at(-1)?.body.messages).split('tide')).toHaveLength(3);
});

test('a window goes by them as well', async () => {
  const server = lathe(workspace, ['serve', '--no-open'], {
    ANTHROPIC_BASE_URL: api.url,
    ANTHROPIC_API_KEY: 'test-key',
  });
  const window = await openWindow(server);
  try {
    await user('{"permissions":{"allow":["Bash"]}}');
    change = () => user('{"permissions":{"allow":["Bash"],"deny":["Bash(touch *)"]}}');
    const { path } = contentOf(await window.client.projects.open({ path: workspace.project }));
    const { id } = contentOf(await window.client.sessions.create({ project: path }));
    const feed = await window.client.session.watch({ sessionId: id });
    await window.client.session.submit({ sessionId: id, text: 'go' });
    for await (const told of feed) if (finished(told)) break;
    expect(made()).toEqual(['before']);
  } finally {
    window.close();
    server.child.kill('SIGTERM');
    await server.finished;
  }
});
