import { readFile, realpath, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startAuthServer } from '../../support/auth-server';
import { lathe, makeWorkspace, nothingLeft, type Workspace } from './lathe';

const EVERYTHING = join(
  dirname(
    createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json'),
  ),
  'dist/index.js',
);

let workspace: Workspace;
beforeEach(async () => {
  workspace = await makeWorkspace();
});
afterEach(() => workspace.remove());

const run = (...words: string[]) => {
  const started = lathe(workspace, ['mcp', ...words]);
  started.child.stdin.end();
  return started.finished;
};

test('servers are added, listed with their state, shown and removed; the rest of the file stays', async () => {
  const file = join(workspace.home, '.claude.json');
  await writeFile(file, '{"numStartups": 3, "projects": {"/x": {"history": []}}}\n');
  const added = await run(
    'add',
    '-e',
    'TOKEN=s3cret',
    'all',
    '--',
    process.execPath,
    EVERYTHING,
    'stdio',
  );
  expect(added).toMatchObject({ code: 0, stderr: expect.stringContaining('until you trust') });
  const url = 'https://u:s3cret@localhost/';
  const refused = await run('add', '-t', 'http', '-s', 'project', 'no', url);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--header') });
  // Written by hand, it is told where it stands.
  await writeFile(
    join(workspace.project, '.mcp.json'),
    JSON.stringify({ mcpServers: { no: { type: 'http', url } } }),
  );
  // At the same time: neither loses the other.
  const two = await Promise.all(['b', 'c'].map((name) => run('add', '-s', 'user', name, 'false')));
  expect(two.map(({ code }) => code)).toEqual([0, 0]);
  const project = await realpath(workspace.project);
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
    numStartups: 3,
    projects: {
      '/x': { history: [] },
      [project]: { mcpServers: { all: { command: process.execPath } } },
    },
    mcpServers: { b: {}, c: {} },
  });

  const listed = await run('list', '--trust');
  expect(listed.stdout).toMatch(/^all \(local\): .* stdio \(stdio\) - ✓ connected, \d+ tools$/m);
  expect(listed.stdout).toMatch(/^no \(project\): .* - ✗ .*put them into a header\.$/m);
  expect(listed.stdout).toMatch(/^b \(user\): false \(stdio\) - ✗ /m);
  const shown = await run('get', 'all', '--trust');
  expect(shown.stdout).toContain('  sets: TOKEN\n');
  for (const { stdout, stderr } of [added, refused, listed, shown])
    expect(stdout + stderr).not.toContain('s3cret');

  expect(await run('remove', 'all')).toMatchObject({ code: 0 });
  expect(await run('remove', 'all')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no server "all"'),
  });
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ numStartups: 3 });
  await nothingLeft(workspace);
});

test('a wrong line of lathe mcp ends with 2 and the usage', async () => {
  expect(await run('add', 'x')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('lathe mcp add [--scope'),
  });
});

test('a user signs in to a server with a browser, and out again', async () => {
  const server = await startAuthServer();
  try {
    await run('add', '-t', 'http', '-s', 'user', 'docs', server.url);
    expect((await run('list', '--trust')).stdout).toContain(
      'needs a sign-in: lathe mcp login docs',
    );
    const login = lathe(workspace, ['mcp', 'login', 'docs', '--trust']);
    let said = '';
    login.child.stdout.on('data', (chunk: string) => {
      said += chunk;
    });
    await expect.poll(() => said).toMatch(/^http\S+\n/m);
    const address = /^http\S+$/m.exec(said)?.[0] ?? '';
    expect(await (await fetch(address)).text()).toContain('You can close this page.');
    expect(await login.finished).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Signed in to "docs".'),
    });
    expect((await run('list', '--trust')).stdout).toContain('✓ connected, 2 tools');
    expect(await run('logout', 'docs', '--trust')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('taken back'),
    });
    expect((await run('list', '--trust')).stdout).toContain('needs a sign-in');
  } finally {
    await server.close();
  }
});
