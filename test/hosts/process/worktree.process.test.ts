import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startScriptedApi } from '../../support/scripted-api';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { lathe, makeWorkspace } from './lathe';

test('--worktree works in a worktree, which stays when it holds work', async () => {
  const workspace = await makeWorkspace();
  const project = await realpath(workspace.project);
  const replies = [reply('nothing to do'), reply([toolUse('Bash', { command: 'touch made' })])];
  const api = await startScriptedApi(() => replies.shift() ?? reply('done'));
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@y', ...words], { cwd: project });
  git('init', '-q', '-b', 'main');
  git('commit', '-q', '--allow-empty', '-m', 'first');
  const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'sk-test-0123456789' };
  const run = async (...words: string[]) => {
    const started = lathe(workspace, ['-p', 'go', '--worktree', 'try', ...words], env);
    started.child.stdin.end();
    return started.finished;
  };
  const path = join(project, '.claude', 'worktrees', 'try');
  expect(await run()).toMatchObject({ code: 1 });
  expect(await run('--trust')).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.stringify(api.requests[0]?.body.system)).toContain(`Working directory: ${path}`);
  expect(existsSync(path)).toBe(false);
  expect(await run('--trust', '--allowedTools', 'Bash')).toMatchObject({ code: 0 });
  expect(existsSync(join(path, 'made'))).toBe(true);
  expect(existsSync(join(project, 'made'))).toBe(false);
  await api.close();
  await workspace.remove();
});

test('--worktree copies ignored files of a trusted folder, and tells what it leaves out', async () => {
  const workspace = await makeWorkspace();
  const project = await realpath(workspace.project);
  const reads = (name: string) => reply([toolUse('Bash', { command: `ls -A; cat ${name}` })]);
  const replies = [reads('.env'), reply('done')];
  const api = await startScriptedApi(() => replies.shift() ?? reply('done'));
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@y', ...words], { cwd: project });
  git('init', '-q', '-b', 'main');
  await mkdir(join(project, '.claude'), { recursive: true });
  await writeFile(
    join(project, '.claude', 'settings.json'),
    JSON.stringify({
      permissions: { deny: ['Read(./secret.env)'] },
      worktree: { symlinkDirectories: ['../out'] },
    }),
  );
  await writeFile(join(project, '.gitignore'), '*.env\n');
  await writeFile(join(project, '.worktreeinclude'), '*.env\n');
  git('add', '-A');
  git('commit', '-q', '-m', 'first');
  await writeFile(join(project, '.env'), 'COPIED=1');
  await writeFile(join(project, 'secret.env'), 'SECRET=1');
  const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'sk-test-0123456789' };
  const words = ['-p', 'go', '--worktree', 'try', '--trust', '--allowedTools', 'Bash'];
  const started = lathe(workspace, words, env);
  started.child.stdin.end();
  const { code, stderr } = await started.finished;
  expect(code).toBe(0);
  expect(stderr).toContain('--worktree: Not in the worktree: secret.env (');
  expect(stderr).toContain('--worktree: Not in the worktree: ../out (');
  const result = JSON.stringify(api.requests[1]?.body.messages.at(-1));
  expect(result).toContain('COPIED=1');
  expect(result).not.toContain('secret.env');
  await api.close();
  await workspace.remove();
});
