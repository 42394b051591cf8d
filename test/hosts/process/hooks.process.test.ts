import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ScriptedApi, startScriptedApi } from '../../support/scripted-api';
import { lathe, linesOf, makeWorkspace, type Workspace } from './lathe';

let workspace: Workspace;
let api: ScriptedApi;

beforeEach(async () => {
  workspace = await makeWorkspace();
  api = await startScriptedApi(() => ({
    kind: 'message',
    blocks: [{ kind: 'text', text: 'Fine.' }],
  }));
});
afterEach(async () => {
  await api.close();
  await workspace.remove();
});

const settings = async (folder: string, hooks: unknown) => {
  await mkdir(join(folder, '.claude'), { recursive: true });
  await writeFile(join(folder, '.claude', 'settings.json'), JSON.stringify({ hooks }));
};
const all = (command: string) => ({ hooks: [{ type: 'command', command }] });

async function run(...words: string[]) {
  const { finished, child } = lathe(workspace, ['-p', 'hello', ...words], {
    ANTHROPIC_BASE_URL: api.url,
    ANTHROPIC_API_KEY: 'test-key',
  });
  child.stdin.end();
  return finished;
}

test('hooks of a folder that nobody trusts never run; trusted ones do', async () => {
  const events = ['SessionStart', 'UserPromptSubmit', 'Stop', 'SessionEnd'];
  const trap = Object.fromEntries(
    events.map((event) => [event, [all(`touch "${join(workspace.home, event)}"`)]]),
  );
  await settings(workspace.project, trap);
  const ran = () => events.filter((event) => existsSync(join(workspace.home, event)));
  expect(await run()).toMatchObject({ code: 0, stdout: 'Fine.\n' });
  expect(ran()).toEqual([]);
  expect(await run('--trust')).toMatchObject({ code: 0, stdout: 'Fine.\n' });
  expect(ran()).toEqual(events);
});

test('a prompt that a hook keeps back ends the run with its reason, and nothing is sent', async () => {
  await settings(workspace.home, {
    UserPromptSubmit: [all('echo "Not on a Friday." >&2; exit 2')],
  });
  const plain = await run();
  expect(plain).toMatchObject({ code: 1, stdout: '' });
  expect(plain.stderr).toContain('A hook kept your message from the model: Not on a Friday.');
  const flags = ['--output-format', 'stream-json', '--verbose', '--include-hook-events'];
  const told = linesOf((await run(...flags)).stdout);
  expect(told.find((line) => line['subtype'] === 'hook_response')).toMatchObject({
    hook_event: 'UserPromptSubmit',
    exit_code: 2,
    outcome: 'success',
    blocked: true,
  });
  expect(told.at(-1)).toMatchObject({ type: 'result', is_error: true });
  expect(api.requests).toEqual([]);
});

test('a hook that fails is told on standard error and stops nothing', async () => {
  await settings(workspace.home, { Stop: [all('exit 3')] });
  const ended = await run();
  expect(ended).toMatchObject({ code: 0, stdout: 'Fine.\n' });
  expect(ended.stderr).toContain('Hook Stop failed: exit code 3 (exit 3)');
});

test('a hook has other words shown where people read, and programs get what was said', async () => {
  const parts = join(workspace.home, 'parts');
  const displayContent = 'Splendid.';
  const output = { hookSpecificOutput: { hookEventName: 'MessageDisplay', displayContent } };
  await settings(workspace.home, {
    MessageDisplay: [all(`cat >> "${parts}"; echo '${JSON.stringify(output)}'`)],
  });
  expect(await run()).toMatchObject({ code: 0, stdout: 'Splendid.\n', stderr: '' });
  expect(linesOf(await readFile(parts, 'utf8'))).toMatchObject([
    { index: 0, final: true, delta: 'Fine.' },
  ]);
  const json = linesOf((await run('--output-format', 'stream-json', '--verbose')).stdout);
  expect(json.at(-1)).toMatchObject({ type: 'result', result: 'Fine.' });
  expect(JSON.stringify(json)).not.toContain(displayContent);
});

test('--init-only runs the hooks of the beginning, and asks nothing', async () => {
  const log = join(workspace.home, 'hooked.txt');
  const note = (word: string) => [all(`echo ${word} >> "${log}"`)];
  await settings(workspace.home, {
    Setup: [{ matcher: 'init', ...all(`echo set up >> "${log}"`) }],
    SessionStart: note('started'),
    UserPromptSubmit: note('asked'),
    SessionEnd: note('ended'),
  });
  const { finished, child } = lathe(workspace, ['--init-only'], {
    ANTHROPIC_BASE_URL: api.url,
    ANTHROPIC_API_KEY: 'test-key',
  });
  child.stdin.end();
  expect(await finished).toMatchObject({ code: 0, stdout: '' });
  expect(await readFile(log, 'utf8')).toBe('set up\nstarted\nended\n');
  expect(api.requests).toEqual([]);
});
