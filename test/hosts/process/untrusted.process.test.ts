import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ScriptedApi, startScriptedApi } from '../../support/scripted-api';
import type { Reply } from '../../support/scripted-api-replies';
import { type BoobyTrap, layTraps } from '../../threats/support/booby-trap';
import {
  canTrace,
  type Exec,
  readTrace,
  traced,
  tracedPid,
} from '../../threats/support/exec-trace';
import { type Finished, lathe, makeWorkspace, nothingLeft, type Workspace } from './lathe';
import { openWindow } from './window';

const KEY = 'sk-ant-of-the-user-000000';
const tracing = canTrace('Looking at every program that an untrusted repository makes start');

let workspace: Workspace;
let trap: BoobyTrap;
let api: ScriptedApi | null = null;
let traces = 0;

beforeEach(async () => {
  workspace = await makeWorkspace();
  await mkdir(join(workspace.home, '.ssh'));
  trap = await layTraps(workspace.project, workspace.home);
});
afterEach(async () => {
  await api?.close();
  await trap.close();
  await workspace.remove();
  api = null;
});

const say = (text: string): Reply => ({ kind: 'message', blocks: [{ kind: 'text', text }] });
const use = (...calls: readonly (readonly [string, unknown])[]): Reply => ({
  kind: 'message',
  blocks: calls.map(([name, input]) => ({ kind: 'tool_use' as const, name, input })),
});

/** What a careful model does in a repository it was asked about, and what a careless one tries. */
const LOOKING: readonly Reply[] = [
  use(
    ['Read', { file_path: 'README.md' }],
    ['Grep', { pattern: 'needle' }],
    ['Glob', { pattern: '**/*.json' }],
    ['Bash', { command: 'ls -la && cat README.md' }],
    ['Read', { file_path: 'docs/page.md' }],
    ['Read', { file_path: 'inner/x.txt' }],
    ['Read', { file_path: 'huge.txt', offset: 1, limit: 1 }],
  ),
  use(
    ['Bash', { command: 'git status' }],
    ['Bash', { command: 'git diff' }],
    ['Bash', { command: 'git log -1 -p' }],
    ['Bash', { command: 'cd assets && git status' }],
    ['Bash', { command: 'touch made-by-an-allow-rule' }],
    ['Read', { file_path: '../secret.txt' }],
    ['Read', { file_path: 'pipe' }],
    ['Read', { file_path: 'endless.txt' }],
    ['Bash', { command: 'cd sub && git log -1' }],
    ['Bash', { command: 'cd tree && git status' }],
  ),
  say('Looked.'),
];

async function usersEnv(script: readonly Reply[]): Promise<Record<string, string>> {
  api = await startScriptedApi(script, { apiKey: KEY });
  return { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: KEY, SHELL: '/bin/bash' };
}

/** Runs to the end, and gives what it left and every program it started. */
async function run(
  words: readonly string[],
  env: Record<string, string>,
  input = '',
): Promise<Finished & { execs: readonly Exec[] }> {
  traces += 1;
  const file = join(workspace.home, `trace-${traces}`);
  const ended = await runUntraced(words, env, input, tracing ? traced(file) : []);
  return { ...ended, execs: tracing ? readTrace(file) : [] };
}

/** The same where the programs are not looked at: a trace takes much time. */
function runUntraced(
  words: readonly string[],
  env: Record<string, string>,
  input = '',
  through: readonly string[] = [],
): Promise<Finished> {
  const { child, finished } = lathe(workspace, words, env, through);
  child.stdin.end(input);
  return finished;
}

/** No trap went off, nobody called the repository's server, and everything that ran was the machine's. */
async function expectQuiet(execs: readonly Exec[]): Promise<void> {
  expect(await trap.fired()).toEqual([]);
  expect(trap.requests).toEqual([]);
  if (tracing) expect(execs.length).toBeGreaterThan(0);
  for (const { program, args, env } of execs) {
    expect(program).toMatch(/^\//);
    expect(program.startsWith(workspace.project)).toBe(false);
    expect(args.join(' ')).not.toMatch(/markers|of-the-repository/);
    expect(env.filter((line) => /of-the-repository|LD_PRELOAD|BASH_ENV/.test(line))).toEqual([]);
  }
  await nothingLeft(workspace);
}

/** Programs that were started with the user's key in their environment, Lathe itself aside. */
const knowTheKey = (execs: readonly Exec[]): readonly string[] =>
  execs.slice(1).flatMap(({ args, env }) => (env.join('\n').includes(KEY) ? [args.join(' ')] : []));

const sent = () => JSON.stringify(api?.requests.map(({ body }) => body));

/** Says whether the traces below are taken at all: without them only the traps themselves tell. */
test.runIf(tracing)('every program that starts is seen, with its environment', async () => {
  const file = join(workspace.home, 'trace');
  const [strace = '', ...words] = traced(file);
  execFileSync(strace, [...words, 'sh', '-c', '/usr/bin/env true; exit 0'], {
    env: { PATH: process.env['PATH'], MARK: 'seen' },
  });
  const execs = readTrace(file);
  expect(execs.map(({ args }) => args.join(' '))).toContain('/usr/bin/env true');
  expect(execs.every(({ env }) => env.includes('MARK=seen'))).toBe(true);
});

describe('THREATS 1: a booby-trapped repository runs nothing and configures nothing before it is trusted', () => {
  test('headless, and when its session is resumed', async () => {
    const id = '0f8fad5b-d9cb-469f-a165-70867728950e';
    const env = await usersEnv([...LOOKING, say('Again.')]);
    const first = await run(
      ['-p', 'look around', '--session-id', id, '--output-format', 'json'],
      env,
    );
    expect(first).toMatchObject({ code: 0 });
    await expectQuiet(first.execs);
    expect(knowTheKey(first.execs)).toEqual([]);
    expect(first.execs.filter(({ program }) => program.endsWith('/git'))).toEqual([]);
    const result = JSON.parse(first.stdout);
    expect(
      result.permission_denials
        .map((denial: { tool_input: { command?: string } }) => denial.tool_input.command ?? 'Read')
        .sort(),
    ).toEqual([
      'Read',
      'Read',
      'Read',
      'cd assets && git status',
      'cd sub && git log -1',
      'cd tree && git status',
      'git diff',
      'git log -1 -p',
      'git status',
      'touch made-by-an-allow-rule',
    ]);
    expect(sent()).toContain('a needle');
    expect(sent()).not.toMatch(/(MEMORY|STYLE|AGENT)-OF-THE-REPOSITORY|OUTSIDE-SECRET/);
    expect(api?.requests[0]?.body.model).not.toBe('model-of-the-repository');

    const again = await run(['-p', 'and now?', '--resume', id], env);
    expect(again).toMatchObject({ code: 0, stdout: 'Again.\n' });
    await expectQuiet(again.execs);
  });

  test('in a folder that poses as a git repository', async () => {
    const env = await usersEnv([use(['Bash', { command: 'git status' }]), say('Done.')]);
    const ended = await run(['-p', 'go', '--cwd', trap.bareTrick], env);
    expect(ended).toMatchObject({ code: 0, stdout: 'Done.\n' });
    await expectQuiet(ended.execs);
  });

  test('lathe doctor and lathe permissions check look at it from outside', async () => {
    const env = await usersEnv([]);
    const doctor = await run(['doctor'], env);
    expect(doctor.stdout).toContain('Settings');
    await expectQuiet(doctor.execs);
    expect(knowTheKey(doctor.execs)).toEqual([]);
    const question = { tool: 'Bash', input: { command: 'git status' } };
    const check = await run(['permissions', 'check'], env, `${JSON.stringify(question)}\n`);
    expect(JSON.parse(check.stdout)).toHaveProperty('behavior');
    await expectQuiet(check.execs);
    expect(api?.requests).toEqual([]);
  });

  test('opened in the web host, and answered "no"', async () => {
    const env = await usersEnv(LOOKING);
    const file = join(workspace.home, 'trace-web');
    const server = lathe(workspace, ['serve'], env, tracing ? traced(file) : []);
    const window = await openWindow(server);
    const opened = await window.client.projects.open({ path: workspace.project });
    if (!opened.ok) throw new Error(opened.error.message);
    expect(opened.value.trusted).toBe(false);
    const kinds = new Set(opened.value.findings.map(({ kind }) => kind));
    for (const kind of ['hooks', 'mcp', 'env', 'allow', 'helper', 'baseUrl', 'skills', 'other'])
      expect(kinds).toContain(kind);
    await window.client.projects.trust({ path: workspace.project, trusted: false });
    const created = await window.client.sessions.create({ project: workspace.project });
    if (!created.ok) throw new Error(created.error.message);
    const asked = await window.deny(created.value.id, 'look around');
    expect(asked).toContain('git status');
    expect(asked).toContain('touch made-by-an-allow-rule');
    window.close();
    process.kill(tracing ? tracedPid(file) : Number(server.child.pid), 'SIGTERM');
    await server.finished;
    await expectQuiet(tracing ? readTrace(file) : []);
    expect(sent()).not.toMatch(/OF-THE-REPOSITORY|OUTSIDE-SECRET/);
  });
});

test('THREATS 2: no request and no key goes where an untrusted repository points, and a trusted one cannot move the key', async () => {
  for (const trust of [[], ['--trust']]) {
    const env = await usersEnv([say('Hello.')]);
    const ended = await runUntraced(['-p', 'hi', ...trust], env);
    expect(ended).toMatchObject({ code: 0, stdout: 'Hello.\n' });
    expect(api?.requests.map(({ headers }) => headers['x-api-key'])).toEqual([KEY]);
    if (trust.length === 0) expect(trap.requests).toEqual([]);
    else {
      // Trust lets its hooks and its tool server be reached, without what they ask for.
      expect(trap.requests).toContain('POST /mcp');
      expect(trap.requests.filter((line) => !/\/(hook\/|mcp$)/.test(line))).toEqual([]);
    }
    expect(trap.received.join()).not.toContain(KEY);
    await api?.close();
  }
});

test('the traps are live: trusted, the same repository does configure and run things', async () => {
  // Its PATH would keep its own hooks from running.
  for (const name of ['settings.json', 'settings.local.json']) {
    const file = join(workspace.project, '.claude', name);
    const settings = JSON.parse(await readFile(file, 'utf8'));
    await writeFile(file, JSON.stringify({ ...settings, env: { FROM_IT: 'yes' } }));
  }
  const env = await usersEnv(LOOKING);
  const ended = await runUntraced(['-p', 'look around', '--trust'], env);
  expect(ended.code).toBe(0);
  const fired = await trap.fired();
  expect(fired).toContain('hook-shared-SessionStart');
  expect(fired).toContain('hook-local-PreToolUse');
  expect(fired.some((name) => name.startsWith('fsmonitor'))).toBe(true);
  expect(trap.requests).toContain('POST /hook/SessionStart');
  expect(sent()).toContain('MEMORY-OF-THE-REPOSITORY');
  expect(sent()).toContain('STYLE-OF-THE-REPOSITORY');
  expect(await readFile(join(workspace.project, 'made-by-an-allow-rule'), 'utf8')).toBe('');
});
