import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { SandboxPolicy } from '../../../src/main/engine/ports-sandbox';
import { createSessionSandbox } from '../../../src/main/engine/session/sandbox';
import { createNodeFiles } from '../../../src/main/node/files';
import { err, fault } from '../../../src/shared/result';

let root = '';
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'lathe-denials-')));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const put = async (name: string) => {
  await mkdir(dirname(join(root, name)), { recursive: true });
  await writeFile(join(root, name), 'x');
};

/** Returns the policy with which a command runs inside. */
async function policyFor(project: string, denyRead: readonly string[]): Promise<SandboxPolicy> {
  const seen: SandboxPolicy[] = [];
  const enter = async ({ policy }: { readonly policy: SandboxPolicy }) => {
    seen.push(policy);
    return err(fault('test', 'nothing runs'));
  };
  const lists = { denyRead, credentialFiles: [], denyWrite: [join(project, 'fixed')] };
  const keys = { credentialVariables: [], maskedVariables: [], maskedFiles: [] };
  const { forAgent } = createSessionSandbox({
    sandbox: { open: () => ({ enter, close: async () => {} }) },
    files: createNodeFiles(),
    project,
    settings: () => ({ enabled: true, allowWrite: [], ...lists, ...keys }),
    workingDirectories: () => [project],
    denied: () => ({ read: [join(project, 'conf/prod.json')], write: [] }),
    questions: { enter: () => () => {}, ask: async () => ({ allow: false, reason: '' }) },
    record: () => {},
  } as unknown as Parameters<typeof createSessionSandbox>[0]);
  const { signal } = new AbortController();
  await forAgent('main', () => []).enter(
    { callId: 'c', argv: ['ls'], text: 'ls' } as never,
    signal,
  );
  const [policy] = seen;
  if (policy === undefined) throw new Error('nothing ran');
  return policy;
}

it('what the sandbox hides in a project is hidden in its worktrees', async () => {
  const project = join(root, 'repo');
  const at = join(project, '.claude/worktrees/try');
  for (const name of ['conf/prod.json', 'keys/one', 'fixed', 'other'])
    await put(`repo/.claude/worktrees/try/${name}`);
  await put('repo/.claude/worktrees/second/keys/one');
  const hidden = [join(project, 'keys'), join(project, '**/*.pem'), '/etc/shadow', project];
  const { denyRead, denyWrite } = await policyFor(project, hidden);
  expect(denyRead.slice(hidden.length + 1).toSorted()).toEqual([
    join(project, '.claude/worktrees/second/keys'),
    join(at, 'conf/prod.json'),
    join(at, 'keys'),
  ]);
  expect(denyWrite).toEqual([join(project, 'fixed'), join(at, 'fixed')]);
});

it('also where the project is a folder of its repository', async () => {
  const project = join(root, 'repo/app');
  await put('repo/app/.claude/worktrees/try/app/keys/one');
  const { denyRead } = await policyFor(project, [join(project, 'keys')]);
  expect(denyRead).toContain(join(project, '.claude/worktrees/try/app/keys'));
});
