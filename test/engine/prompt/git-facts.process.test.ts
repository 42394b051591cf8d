import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Programs } from '../../../src/main/engine/ports';
import { gitSnapshot } from '../../../src/main/engine/prompt/git-facts';
import { createNodeFiles } from '../../../src/main/node/files';
import { ok } from '../../../src/shared/result';

const run = promisify(execFile);
const files = createNodeFiles();
const signal = new AbortController().signal;

/** Real git, with no configuration but the repository's own. */
const ENV = {
  PATH: process.env['PATH'] ?? '',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
};
const programs: Programs = {
  ripgrep: '',
  run: async ([program = '', ...args], { cwd }) => {
    const done = await run(program, args, { cwd, env: ENV }).catch((e: { stdout: string }) => e);
    const failed = done instanceof Error;
    return ok({
      exitCode: failed ? 1 : 0,
      stdout: new TextEncoder().encode(String(done.stdout)),
      stderr: '',
      truncated: false,
    });
  },
};

describe('the git snapshot', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lathe-git-'));
    const git = (...args: string[]) =>
      run('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: folder, env: ENV });
    await git('init', '-q', '-b', 'trunk');
    await writeFile(join(folder, 'a.txt'), 'a');
    await git('add', '.');
    await git('commit', '-q', '-m', 'First commit');
    await writeFile(join(folder, 'new ünï.txt'), 'b');
    await git('config', 'core.fsmonitor', `touch ${join(folder, 'PWNED')}; false`);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('THREATS 8: has branch, changes and commits, and runs nothing the repository names', async () => {
    const text = await gitSnapshot({ files, programs }, folder, signal);
    expect(text).toContain('trunk');
    expect(text).toContain('First commit');
    expect(text).toContain('new');
    expect(text).not.toContain('PWNED');
    expect(await gitSnapshot({ files, programs }, folder, signal)).not.toContain('PWNED');
  });

  it('is found from a link to a folder inside', async () => {
    await mkdir(join(folder, 'deep'));
    const outside = await mkdtemp(join(tmpdir(), 'lathe-git-link-'));
    await symlink(join(folder, 'deep'), join(outside, 'link'));
    expect(await gitSnapshot({ files, programs }, join(outside, 'link'), signal)).toContain(
      'trunk',
    );
    await rm(outside, { recursive: true });
  });

  it('is null outside a repository', async () => {
    const outside = await mkdtemp(join(tmpdir(), 'lathe-nogit-'));
    expect(await gitSnapshot({ files, programs }, outside, signal)).toBeNull();
    await rm(outside, { recursive: true });
  });
});
