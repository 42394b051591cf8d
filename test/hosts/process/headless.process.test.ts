import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Script, type ScriptedApi, startScriptedApi } from '../../support/scripted-api';
import type { Reply } from '../../support/scripted-api-replies';
import { soon } from '../../support/soon';
import { lathe, linesOf, makeWorkspace, nothingLeft, processesOf, type Workspace } from './lathe';

let workspace: Workspace;
let api: ScriptedApi | null = null;

beforeEach(async () => {
  workspace = await makeWorkspace();
});
afterEach(async () => {
  const titled = api?.titleRequests ?? [];
  await api?.close();
  api = null;
  await workspace.remove();
  // Nobody looks at a list of such sessions.
  expect(titled).toEqual([]);
});

const say = (text: string): Reply => ({ kind: 'message', blocks: [{ kind: 'text', text }] });
const use = (name: string, input: unknown): Reply => ({
  kind: 'message',
  blocks: [
    { kind: 'text', text: `Using ${name}.` },
    { kind: 'tool_use', name, input },
  ],
});

async function run(script: Script, ...words: string[]) {
  api = await startScriptedApi(script, { apiKey: 'test-key' });
  return lathe(workspace, ['-p', ...words], {
    ANTHROPIC_BASE_URL: api.url,
    ANTHROPIC_API_KEY: 'test-key',
  });
}

describe('a headless run', () => {
  test('prints the answer alone', async () => {
    const { finished, child } = await run([say('Grüße 🌍')], 'hello');
    child.stdin.end();
    expect(await finished).toMatchObject({ code: 0, stdout: 'Grüße 🌍\n', stderr: '' });
    await nothingLeft(workspace);
  });

  test('runs what is allowed, lists what is not, and tells it all as stream-json', async () => {
    await writeFile(join(workspace.project, 'a.txt'), 'alpha\n');
    const script = [
      use('Bash', { command: 'cat a.txt > b.txt && cat b.txt' }),
      use('Bash', { command: 'touch forbidden.txt' }),
      say('Done.'),
    ];
    const { finished, child } = await run(
      script,
      'go',
      '--output-format',
      'stream-json',
      '--verbose',
      '--trust',
      '--allowedTools',
      'Bash(cat *)',
      'Read',
      'Edit(**)',
    );
    child.stdin.end();
    const { code, stdout, stderr } = await finished;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const told = linesOf(stdout);
    const lines = told.filter(({ status }) => status !== 'requesting');
    expect(told.length - lines.length).toBe(3);
    expect(lines.map(({ type }) => type)).toEqual([
      'system',
      'assistant',
      'user',
      'assistant',
      'system',
      'user',
      'assistant',
      'result',
    ]);
    expect(lines[0]).toMatchObject({ subtype: 'init', cwd: workspace.project });
    expect(lines[1]).toMatchObject({ message: { stop_reason: 'tool_use', role: 'assistant' } });
    expect(JSON.stringify(lines[2])).toContain('alpha');
    expect(JSON.stringify(lines[2])).toContain('"is_error":false');
    expect(lines[4]).toMatchObject({ subtype: 'permission_denied', tool_name: 'Bash' });
    expect(JSON.stringify(lines[5])).toContain('"is_error":true');
    expect(lines.at(-1)).toMatchObject({
      subtype: 'success',
      num_turns: 3,
      result: 'Done.',
      permission_denials: [{ tool_name: 'Bash', tool_input: { command: 'touch forbidden.txt' } }],
    });
    expect(api?.refusals).toEqual([]);
    await nothingLeft(workspace);
  });

  test.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('%s ends it with %d and leaves no process', async (signal, code) => {
    const command = 'echo up; sleep 300 & setsid sleep 301 & wait';
    const { finished, child, printed } = await run(
      [use('Bash', { command }), say('never')],
      'go',
      '--output-format',
      'stream-json',
      '--permission-mode',
      'bypassPermissions',
    );
    child.stdin.end();
    await printed('"tool_use"');
    await soon(() => expect(processesOf(workspace).join()).toContain('sleep 301'));
    child.kill(signal);
    const ended = await finished;
    expect(ended.code).toBe(code);
    expect(linesOf(ended.stdout).at(-1)).toMatchObject({ type: 'result', is_error: true });
    await nothingLeft(workspace);
  });

  test('a wrong key is one clear line', async () => {
    api = await startScriptedApi([], { apiKey: 'right' });
    const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'wrong-key-1' };
    const { finished, child } = lathe(workspace, ['-p', 'hi'], env);
    child.stdin.end();
    const { code, stdout, stderr } = await finished;
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toMatch(/key/i);
    expect(stdout).not.toMatch(/wrong-key-1|at .*\.js:/);
  });

  test('goes on after kill -9 in the middle of an answer', async () => {
    const long: Reply = {
      kind: 'message',
      blocks: [
        { kind: 'text', text: 'First part.' },
        { kind: 'tool_use', name: 'Bash', input: { command: 'echo marker' } },
      ],
    };
    const endless: Reply = {
      kind: 'message',
      blocks: [{ kind: 'text', text: 'x'.repeat(5_000) }],
      paceMs: 20,
    };
    const first = await run(
      [long, endless, say('Back.')],
      'remember 42',
      '--output-format',
      'stream-json',
      '--include-partial-messages',
      '--session-id',
      '0f8fad5b-d9cb-469f-a165-70867728950e',
    );
    first.child.stdin.end();
    await first.printed('xxxx');
    first.child.kill('SIGKILL');
    expect((await first.finished).signal).toBe('SIGKILL');
    const env = { ANTHROPIC_BASE_URL: api?.url ?? '', ANTHROPIC_API_KEY: 'test-key' };
    const resumed = ['-p', 'go on', '--resume', '0f8fad5b-d9cb-469f-a165-70867728950e'];
    const second = lathe(workspace, resumed, env);
    second.child.stdin.end();
    expect(await second.finished).toMatchObject({ code: 0, stdout: 'Back.\n' });
    const sent = JSON.stringify(api?.requests.at(-1)?.body);
    for (const kept of ['remember 42', 'First part.', 'marker', 'go on'])
      expect(sent).toContain(kept);
    expect(api?.refusals).toEqual([]);
    await nothingLeft(workspace);
  });
});

describe('bad input', () => {
  test.each<[string, string[], number, RegExp]>([
    ['no key', ['-p', 'hi'], 1, /no API key.*ANTHROPIC_API_KEY/s],
    [
      'an unknown flag',
      ['-p', 'hi', '--modle', 'x'],
      2,
      /Unknown flag --modle\.\nDid you mean --model/,
    ],
    ['a folder that does not exist', ['-p', 'hi', '--cwd', '/no/such'], 1, /\/no\/such/],
    ['a folder for a window that does not exist', ['/no/such'], 1, /\/no\/such does not exist/],
    ['a file for a folder', ['serve', '/etc/hostname'], 1, /is not a folder/],
    ['no prompt', ['-p'], 1, /no prompt/],
  ])('%s: a clear message and the right code', async (_, words, code, message) => {
    const { finished, child } = lathe(workspace, words);
    child.stdin.end();
    const ended = await finished;
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(ended.stderr).toMatch(message);
    expect(ended.stderr).not.toMatch(/at .*\.js:\d/);
  });

  test('an endpoint that cannot be reached is said while it waits, and can be ended', async () => {
    const gone = await startScriptedApi([]);
    await gone.close();
    const env = { ANTHROPIC_BASE_URL: gone.url, ANTHROPIC_API_KEY: 'k' };
    const { finished, child, complained } = lathe(workspace, ['-p', 'hi'], env);
    child.stdin.end();
    await complained('trying again in');
    child.kill('SIGTERM');
    const { code, stdout, stderr } = await finished;
    expect({ code, stdout }).toEqual({ code: 143, stdout: '' });
    expect(stderr).toContain(new URL(gone.url).host);
  });
});

test('a run started by npm ends when the shell between them is gone', async () => {
  api = await startScriptedApi([use('Bash', { command: 'sleep 300' })]);
  const between = lathe(
    workspace,
    ['-p', 'go', '--output-format', 'stream-json', '--permission-mode', 'bypassPermissions'],
    {
      ANTHROPIC_BASE_URL: api.url,
      ANTHROPIC_API_KEY: 'k',
      npm_lifecycle_event: 'lathe',
    },
    ['sh', '-c', '"$@"; true', 'sh'],
  );
  between.child.stdin.end();
  await soon(() => expect(processesOf(workspace).join()).toContain('sleep 300'));
  between.child.kill('SIGKILL');
  await nothingLeft(workspace);
});

test.each([
  ['its first command', []],
  ['a later command, in a shell that was started ahead', [use('Bash', { command: 'sleep 0.3' })]],
])('kill -9 during %s leaves no process, however stubborn', async (_which, before) => {
  const command = "trap '' TERM HUP; (trap '' TERM HUP; setsid sleep 301) & sleep 302";
  api = await startScriptedApi([...before, use('Bash', { command })]);
  const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'k' };
  const { child } = lathe(workspace, ['-p', 'go', '--permission-mode', 'bypassPermissions'], env);
  child.stdin.end();
  // The system may give them their numbers in either order.
  await soon(() => {
    const running = processesOf(workspace).join();
    expect(running).toContain('sleep 301');
    expect(running).toContain('sleep 302');
  });
  child.kill('SIGKILL');
  await nothingLeft(workspace);
});

test('help and version need nothing', async () => {
  const help = await lathe(workspace, ['--help']).finished;
  expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('lathe -p') });
  const version = await lathe(workspace, ['--version']).finished;
  expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  // Programs of the ecosystem take nothing older than 2.0.0.
  const known = await lathe(workspace, ['-v']).finished;
  expect(known.stdout).toMatch(/^2\.\d+\.\d+ \(Lathe \d+\.\d+\.\d+\)\n$/);
});

test('a summary asked for by a prompt is a query like any other', async () => {
  const script = [say('One.'), say('<summary>All so far.</summary>'), say('Two.')];
  const { finished, child } = await run(
    script,
    '--input-format',
    'stream-json',
    '--output-format',
    'stream-json',
    '--verbose',
  );
  for (const content of ['count', '/compact the numbers', 'go on'])
    child.stdin.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`);
  child.stdin.end();
  const { code, stdout } = await finished;
  expect(code).toBe(0);
  const lines = linesOf(stdout);
  expect(lines.filter((line) => line['subtype'] === 'compact_boundary')).toMatchObject([
    { type: 'system', compact_metadata: { trigger: 'manual' } },
  ]);
  expect(lines).toContainEqual(
    expect.objectContaining({ subtype: 'status', status: null, compact_result: 'success' }),
  );
  const results = lines.filter((line) => line['type'] === 'result');
  expect(results).toMatchObject([
    { subtype: 'success', result: 'One.' },
    { subtype: 'success', num_turns: 0, result: expect.stringContaining('was summarised') },
    { subtype: 'success', result: 'Two.' },
  ]);
  expect(JSON.stringify(api?.requests.at(-1)?.body.messages)).toContain('All so far.');
});

test('permissions check decides in the real process and says by its exit code that a line was bad', async () => {
  const { finished, child } = lathe(workspace, ['permissions', 'check']);
  child.stdin.end('{"id":7,"tool":"Bash","input":{"command":"ls"}}\nnonsense\n');
  const { code, stdout } = await finished;
  expect(code).toBe(1);
  expect(linesOf(stdout)).toMatchObject([
    { id: 7, behavior: 'allow' },
    { id: 2, behavior: 'deny' },
  ]);
});
