import { execFileSync } from 'node:child_process';
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sandboxObstacle } from '../../support/sandbox';
import { startScriptedApi } from '../../support/scripted-api';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { lathe, makeWorkspace } from './lathe';

const sandboxed = test.skipIf((await sandboxObstacle()) !== null);

sandboxed('scripts in a worktree cannot read what a rule denies in the project', async () => {
  const workspace = await makeWorkspace();
  const project = await realpath(workspace.project);
  const replies = [reply([toolUse('Bash', { command: 'sh ./show.sh' })]), reply('done')];
  const api = await startScriptedApi(() => replies.shift() ?? reply('done'));
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@y', ...words], { cwd: project });
  git('init', '-q', '-b', 'main');
  await mkdir(join(project, 'conf'));
  await writeFile(join(project, 'conf', 'prod.json'), 'SECRET=1');
  await writeFile(join(project, 'open.txt'), 'OPEN=1');
  await writeFile(join(project, 'show.sh'), 'for f in conf/*.json open.txt; do cat "$f"; done\n');
  git('add', '-A');
  git('commit', '-q', '-m', 'first');
  const settings = {
    sandbox: { enabled: true },
    permissions: { allow: ['Bash(sh ./show.sh)'], deny: [`Read(/${project}/conf/prod.json)`] },
  };
  const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'sk-test-0123456789' };
  const words = ['--trust', '--worktree', 'try', '--settings', JSON.stringify(settings)];
  const started = lathe(workspace, ['-p', 'go', ...words], env);
  started.child.stdin.end();
  expect(await started.finished).toMatchObject({ code: 0 });
  const result = JSON.stringify(api.requests[1]?.body.messages.at(-1));
  expect(result).toContain('OPEN=1');
  expect(result).not.toContain('SECRET=1');
  await api.close();
  await workspace.remove();
});
