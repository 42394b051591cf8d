import { access, mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Approval } from '../../../src/shared/permission';
import { type ScriptedApi, startScriptedApi } from '../../support/scripted-api';
import { reply, type ScriptedBlock, toolUse } from '../../support/scripted-api-replies';
import { lathe, makeWorkspace, type Run, type Workspace } from './lathe';
import { openWindow, type Window } from './window';

const KEY = 'sk-ant-of-the-user-000000';

let workspace: Workspace;
let api: ScriptedApi;
let server: Run;
let window: Window;
/** The project of one test. */
let project = '';
/** The call of the model in it. */
let calls: readonly ScriptedBlock[] = [];

// One served Lathe is enough: each test has a session and a project of its own.
beforeAll(async () => {
  workspace = await makeWorkspace();
  api = await startScriptedApi(
    ({ body }) => reply(JSON.stringify(body.messages).includes('tool_result') ? 'Done.' : calls),
    { apiKey: KEY },
  );
  const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: KEY, SHELL: '/bin/bash' };
  server = lathe(workspace, ['serve'], env);
  window = await openWindow(server);
});
afterAll(async () => {
  window.close();
  server.child.kill('SIGTERM');
  await server.finished;
  await api.close();
  await workspace.remove();
});
beforeEach(async () => {
  project = await mkdtemp(join(tmpdir(), 'lathe-project-'));
});
afterEach(() => rm(project, { recursive: true, force: true }));

/** Runs a command in a served session; a user allows it, and `meanwhile` happens before each answer. */
const allowed = (command: string, meanwhile: (asked: Approval) => Promise<void>): Promise<string> =>
  allowedCalls([toolUse('Bash', { command })], meanwhile);

/** The same for calls of one answer. */
async function allowedCalls(
  of: readonly ScriptedBlock[],
  meanwhile: (asked: Approval) => Promise<void>,
): Promise<string> {
  calls = of;
  const opened = await window.client.projects.open({ path: project });
  if (!opened.ok) throw new Error(opened.error.message);
  await window.client.projects.trust({ path: project, trusted: true });
  const created = await window.client.sessions.create({ project: opened.value.path });
  if (!created.ok) throw new Error(created.error.message);
  return window.allow(created.value.id, 'go', meanwhile);
}

const exists = (name: string): Promise<boolean> =>
  access(join(project, name)).then(
    () => true,
    () => false,
  );

test('docs/security.md 12: a rule denied on disk while a question stands counts', async () => {
  const results = await allowed('touch made', async () => {
    await mkdir(join(project, '.claude'), { recursive: true });
    const settings = JSON.stringify({ permissions: { deny: ['Bash(touch:*)'] } });
    await writeFile(join(project, '.claude', 'settings.local.json'), settings);
  });
  expect(results).toContain('a deny rule covers it: Bash(touch:*)');
  expect(await exists('made')).toBe(false);
});

test.each([
  ['that asks', JSON.stringify({ permissions: { ask: ['Bash(touch:*)'] } }), 'Bash(touch:*)'],
  ['that cannot be read', "{'permissions': {'deny': ['Bash(touch:*)']}}", 'settings.local.json'],
])(
  'docs/security.md 12: a file of settings %s, written while a question stands, asks again',
  async (_, settings, named) => {
    const reasons: string[] = [];
    await allowed('touch made', async ({ decision }) => {
      reasons.push(decision.why.join());
      if (reasons.length > 1) return;
      await mkdir(join(project, '.claude'), { recursive: true });
      await writeFile(join(project, '.claude', 'settings.local.json'), settings);
    });
    expect(reasons).toHaveLength(2);
    expect(reasons[0]).not.toContain(named);
    expect(reasons[1]).toContain(named);
    expect(await exists('made')).toBe(true);
  },
);

test.each([
  ['a script', { 'x.sh': 'touch first\n' }, 'x.sh'],
  [
    'a script of a script',
    { 'x.sh': 'cd . && . lib/y.sh\n', 'lib/y.sh': 'touch first\n' },
    'lib/y.sh',
  ],
])(
  'docs/security.md 12: %s that changed while a question stands is asked about again',
  async (_, scripts, changed) => {
    await mkdir(join(project, 'lib'), { recursive: true });
    for (const [name, text] of Object.entries(scripts)) await writeFile(join(project, name), text);
    const reasons: string[] = [];
    await allowed('bash x.sh', async ({ decision }) => {
      reasons.push(decision.reason);
      if (reasons.length === 1) await writeFile(join(project, changed), 'touch second\n');
    });
    expect(reasons).toHaveLength(2);
    expect(reasons[1]).toBe(`${changed}, which it runs, changed since you were asked`);
    expect([await exists('first'), await exists('second')]).toEqual([false, true]);
  },
);

test('docs/security.md 12: a denial on disk while a question stands also counts for what waits behind it', async () => {
  await mkdir(join(project, '.claude'), { recursive: true });
  const rules = (deny: readonly string[]) =>
    writeFile(
      join(project, '.claude', 'settings.local.json'),
      JSON.stringify({ permissions: { allow: ['Bash(cp:*)', 'Edit'], deny } }),
    );
  await rules([]);
  await writeFile(join(project, 'a'), 'a');
  let asked = 0;
  const results = await allowedCalls(
    [
      toolUse('Bash', { command: 'touch made' }),
      toolUse('Bash', { command: 'cp a copied' }),
      toolUse('Write', { file_path: 'written', content: 'x' }),
    ],
    async () => {
      asked += 1;
      await rules(['Bash(cp:*)', 'Edit(./written)']);
    },
  );
  expect(asked).toBe(1);
  expect(results).toContain('Bash(cp:*)');
  expect(await Promise.all(['made', 'copied', 'written'].map(exists))).toEqual([
    true,
    false,
    false,
  ]);
});

test('docs/security.md 6: a project that became a link while a question stood is asked about with where it leads', async () => {
  const moved = join(workspace.home, 'moved');
  const outside = join(workspace.home, 'outside');
  await mkdir(outside);
  const shown: string[] = [];
  const again = allowedCalls(
    [toolUse('Write', { file_path: 'race.txt', content: 'x' })],
    async ({ subject }) => {
      shown.push(JSON.stringify(subject));
      if (shown.length > 1) throw new Error('asked again');
      await rename(project, moved);
      await symlink(outside, project);
    },
  );
  await expect(again).rejects.toThrow('asked again');
  expect(shown[0]).not.toContain(outside);
  expect(shown[1]).toContain(outside);
  expect(await Promise.all([outside, moved].map((folder) => readdir(folder)))).toEqual([[], []]);
});
