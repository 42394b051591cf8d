import { spawnSync } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { NODE_WORDS } from '../../support/node-words';
import { startScriptedApi } from '../../support/scripted-api';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { CLI, lathe, makeWorkspace } from './lathe';
import { openWindow } from './window';

const DONE = { kind: 'message', blocks: [{ kind: 'text', text: 'Done.' }] } as const;
const LOOK = {
  kind: 'message',
  blocks: [{ kind: 'tool_use', name: 'Bash', input: { command: 'echo hello' } }],
} as const;

/** Places where nobody can make a file, whoever runs the test. */
const HOMES: readonly (readonly [string, Record<string, string>])[] = [
  ['a folder of Lathe where nothing can be written', { LATHE_HOME: '/dev/null/lathe' }],
  ['a home that is no folder', { HOME: '/dev/null' }],
  // Node's own way to make folders never comes back from there.
  ...(process.platform === 'linux'
    ? [['a folder of Lathe among processes', { LATHE_HOME: '/proc/self/x' }] as const]
    : []),
];

test.each(HOMES)('a headless run goes on with %s, and says what is not kept', async (_, home) => {
  const workspace = await makeWorkspace();
  const api = await startScriptedApi([LOOK, DONE], { apiKey: 'test-key' });
  const TMPDIR = workspace.home;
  const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'test-key', TMPDIR, ...home };
  const { child, finished } = lathe(workspace, ['-p', 'go', '--allowedTools', 'Bash'], env);
  child.stdin.end();
  const { code, stdout, stderr } = await finished;
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'Done.\n' });
  expect(stderr.split('Lathe cannot use its own folder')).toHaveLength(2);
  expect(stderr).toContain('sessions and choices are kept in');
  const { stdout: report } = await lathe(workspace, ['doctor'], env).finished;
  expect(report).toContain('Lathe cannot use its own folder');
  expect(JSON.stringify(api.requests.at(-1)?.body)).toContain('hello');
  expect(await readdir(workspace.project)).toEqual([]);
  await api.close();
  await workspace.remove();
});

test.each(HOMES)('a window goes on with %s, and says what is not kept', async (_, home) => {
  const workspace = await makeWorkspace();
  const api = await startScriptedApi([DONE], { apiKey: 'test-key' });
  const TMPDIR = workspace.home;
  const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'test-key', TMPDIR, ...home };
  const server = lathe(workspace, ['serve', '--no-open', '--port', '0'], env);
  const { client, close } = await openWindow(server);
  const opened = await client.projects.open({ path: workspace.project });
  const created = await client.sessions.create({ project: workspace.project });
  if (!opened.ok || !created.ok) throw new Error(JSON.stringify([opened, created]));
  const sessionId = created.value.id;
  const told = opened.value.problems.map(({ message }) => message).join('\n');
  expect(told).toContain('Lathe cannot use its own folder');
  const feed = await client.session.watch({ sessionId });
  await client.session.submit({ sessionId, text: 'go' });
  for await (const item of feed) {
    if (item.type !== 'event' || item.stamped.event.type !== 'query_finished') continue;
    expect(item.stamped.event.text).toBe('Done.');
    break;
  }
  close();
  server.child.kill('SIGTERM');
  expect((await server.finished).code).toBe(0);
  await api.close();
  await workspace.remove();
});

test('commands run and are heard where nothing of a session can be kept', async () => {
  const workspace = await makeWorkspace();
  await mkdir(workspace.latheHome, { recursive: true });
  await writeFile(join(workspace.latheHome, 'projects'), 'in the way');
  const commands = ['echo short', 'seq 1 20000'].map((command) => toolUse('Bash', { command }));
  const api = await startScriptedApi([reply(commands), reply('Done.')], { apiKey: 'test-key' });
  const { child, finished } = lathe(workspace, ['-p', 'go', '--allowedTools', 'Bash'], {
    ...{ ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'test-key' },
  });
  child.stdin.end();
  const { code, stdout, stderr } = await finished;
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'Done.\n' });
  expect(stderr).toContain('This conversation cannot be saved at the moment');
  const heard = JSON.stringify(api.requests.at(-1)?.body.messages.at(-1));
  expect(heard).toContain('short');
  expect(heard).toMatch(/bytes of output came before this.*19999.n20000/);
  expect(heard).toContain('Part of the output was not saved');
  await api.close();
  await workspace.remove();
});

test.each([
  ['an empty home', { HOME: '' }, 'HOME is empty, not an absolute path'],
  ['a relative home', { HOME: '.' }, 'HOME is ".", not an absolute path'],
  ['a relative folder of settings', { CLAUDE_CONFIG_DIR: '.claude' }, null],
  ['a relative folder of Lathe', { LATHE_HOME: '.lathe' }, null],
])('with %s the project is still trusted in nothing', async (_, given, told) => {
  const workspace = await makeWorkspace();
  const api = await startScriptedApi([DONE], { apiKey: 'test-key' });
  await mkdir(join(workspace.project, '.claude'));
  const hook = { hooks: [{ type: 'command', command: 'touch hooked' }] };
  const settings = {
    env: { ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' },
    hooks: { SessionStart: [hook], UserPromptSubmit: [hook] },
  };
  await writeFile(join(workspace.project, '.claude/settings.json'), JSON.stringify(settings));
  // Without a usable HOME this one is asked before the account is, whose real home no test may touch.
  const home = { HOME: workspace.home, USERPROFILE: workspace.home };
  const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'test-key', ...home, ...given };
  const { child, finished } = lathe(workspace, ['-p', 'go'], env);
  child.stdin.end();
  const { code, stdout, stderr } = await finished;
  expect({ code, stdout, stderr }).toMatchObject({ code: 0, stdout: 'Done.\n' });
  expect(stderr).toContain('nobody trusts this folder');
  if (told !== null) expect(stderr).toContain(`${told}: Lathe takes ${workspace.home}.`);
  expect(await readdir(workspace.project)).toEqual(['.claude']);
  await api.close();
  await workspace.remove();
});

test('a folder that is gone is named', async () => {
  const workspace = await makeWorkspace();
  const gone = `mkdir gone && cd gone && rmdir ../gone && exec "$0" "$@"`;
  const { status, stderr } = spawnSync(
    'sh',
    ['-c', gone, process.execPath, ...NODE_WORDS, CLI, '-p', 'go'],
    {
      ...{ cwd: workspace.project, encoding: 'utf8' },
      env: { PATH: process.env['PATH'] ?? '', HOME: workspace.home },
    },
  );
  expect(stderr).toContain('The folder that Lathe was started in does not exist any more.');
  expect(status).toBe(1);
  await workspace.remove();
});

test('doctor says of a folder that is not there that it cannot be opened', async () => {
  const workspace = await makeWorkspace();
  const none = join(workspace.project, 'none');
  const { code, stdout, stderr } = await lathe(workspace, ['doctor', none]).finished;
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(none);
  await workspace.remove();
});
