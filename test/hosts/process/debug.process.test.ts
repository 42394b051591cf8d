import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { type ScriptedApi, startScriptedApi } from '../../support/scripted-api';
import { error, reply } from '../../support/scripted-api-replies';
import { lathe, makeWorkspace, type Workspace } from './lathe';
import { openWindow } from './window';

const KEY = 'sk-test-0123456789abcdef';

let workspace: Workspace;
let api: ScriptedApi;
beforeEach(async () => {
  workspace = await makeWorkspace();
  api = await startScriptedApi((_, n) => (n === 0 ? error(529) : reply('done')));
});
afterEach(async () => {
  await api.close();
  await workspace.remove();
});

async function run(words: readonly string[], env: Record<string, string> = {}) {
  const started = lathe(workspace, ['-p', `go ${KEY}`, ...words], {
    ANTHROPIC_BASE_URL: api.url,
    ANTHROPIC_API_KEY: KEY,
    ...env,
  });
  started.child.stdin.end();
  const { code, stdout, stderr } = await started.finished;
  const path = /^Debug log: (.+)$/m.exec(stderr)?.[1] ?? '';
  return { code, stdout, stderr, path };
}

const recordsIn = (path: string): Record<string, unknown>[] =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

test.each([
  ['--debug', ['--debug'], {}],
  ['LATHE_DEBUG', [], { LATHE_DEBUG: '1' }],
])(
  '%s writes a log that names its place and the checkpoints of the start, and holds no key',
  async (_, words, env) => {
    const { code, stdout, path } = await run(words, env);
    expect([code, stdout]).toEqual([0, 'done\n']);
    expect(path.startsWith(join(workspace.latheHome, 'logs', 'debug-'))).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const records = recordsIn(path);
    expect(records.map(({ what }) => what)).toEqual([
      'start',
      'request',
      'sent',
      'startup',
      'failure',
      'retry',
      'sent',
      'answer',
      'end',
    ]);
    expect(records.at(-1)).toMatchObject({ result: 'answered', attempts: 2 });
    const texts = readdirSync(`${path}.texts`).map((name) => join(`${path}.texts`, name));
    expect(texts).toHaveLength(2);
    expect(JSON.parse(readFileSync(texts[0] ?? '', 'utf8'))).toMatchObject({ stream: true });
    for (const file of [path, ...texts]) expect(readFileSync(file, 'utf8')).not.toContain(KEY);
    expectCheckpoints(records);
  },
);

/** The start is told by its checkpoints, from Node to the first request. */
function expectCheckpoints(records: readonly Record<string, unknown>[]): void {
  const [startup, ...others] = records.filter(({ what }) => what === 'startup');
  expect(others).toEqual([]);
  const checkpoints = startup?.['checkpoints'];
  expect(checkpoints).toMatchObject(
    [
      'Node',
      'command line loaded',
      'app loaded',
      'services ready',
      'settings and key read',
      'session open',
      'first request',
    ].map((name) => ({ name, atMs: expect.any(Number), tookMs: expect.any(Number) })),
  );
  const points = Checkpoints.parse(checkpoints);
  const times = points.map(({ atMs }) => atMs);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  const sum = points.reduce((all, { tookMs }) => all + tookMs, 0);
  expect(sum).toBeCloseTo(times.at(-1) ?? 0, 0);
}

test('--debug-file chooses the file; one that cannot be written stops nothing', async () => {
  const { path } = await run(['--debug-file', 'my.log']);
  expect(path).toBe(join(workspace.project, 'my.log'));
  expect(recordsIn(path).length).toBeGreaterThan(2);
  const { code, stderr } = await run(['--debug-file', 'my.log/below']);
  expect(code).toBe(0);
  expect(stderr).toMatch(/^There is no debug log: .+\n$/);
});

test('without it there is no log', async () => {
  const { stderr } = await run([]);
  expect(stderr).not.toContain('ebug log');
  expect(readdirSync(workspace.latheHome)).not.toContain('logs');
});

test('the app in a browser tells where its log is', async () => {
  const started = lathe(workspace, ['serve', '--no-open', '--demo', '--debug']);
  await started.printed('works once');
  await started.complained(`Debug log: ${join(workspace.latheHome, 'logs', 'debug-')}`);
  started.child.kill('SIGTERM');
  expect((await started.finished).code).toBe(0);
});

test('the start of an app with windows is told when the first one connects', async () => {
  const file = join(workspace.home, 'start.log');
  const words = ['serve', '--debug', '--debug-file', file];
  const served = lathe(workspace, words, { ANTHROPIC_API_KEY: KEY });
  const window = await openWindow(served);
  const startup = () => recordsIn(file).find(({ what }) => what === 'startup');
  await expect.poll(startup).toMatchObject({ until: 'first window' });
  const names = z.array(z.object({ name: z.string() })).parse(startup()?.['checkpoints']);
  expect(names.map(({ name }) => name)).toEqual([
    'Node',
    'command line loaded',
    'app loaded',
    'login shell asked',
    'services ready',
    'first window',
  ]);
  window.close();
  served.child.kill('SIGTERM');
  await served.finished;
});

const Checkpoints = z.array(z.object({ atMs: z.number(), tookMs: z.number() }));
