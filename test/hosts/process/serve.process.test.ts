import { readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lathe, makeWorkspace, nothingLeft, type Run, type Workspace } from './lathe';
import { openWindow } from './window';

let workspace: Workspace;
const runs: Run[] = [];

beforeEach(async () => {
  workspace = await makeWorkspace();
});
afterEach(async () => {
  for (const { child, finished } of runs.splice(0)) {
    child.kill('SIGTERM');
    await finished;
  }
  await nothingLeft(workspace);
  await workspace.remove();
});

function start(words: readonly string[], env: Record<string, string> = {}): Run {
  const run = lathe(workspace, words, env);
  runs.push(run);
  return run;
}

/** The link in what a run printed so far, waited for. */
async function linkOf(run: Run): Promise<URL> {
  let text = '';
  run.child.stdout.on('data', (chunk: string) => {
    text += chunk;
  });
  await run.printed('works once');
  const found = /http:\/\/127\.0\.0\.1:\d+\/#ticket=[\w-]+/.exec(text)?.[0];
  if (found === undefined) throw new Error(`No link in: ${text}`);
  return new URL(found);
}

const redeem = (link: URL) =>
  fetch(new URL('/session', link), {
    method: 'POST',
    headers: { origin: link.origin, 'content-type': 'application/json' },
    body: JSON.stringify({ ticket: new URLSearchParams(link.hash.slice(1)).get('ticket') }),
  });

test('without a display the app is served, in one honest line, and ends cleanly', async () => {
  const run = start(['--demo']);
  const link = await linkOf(run);
  expect((await fetch(link)).status).toBe(200);
  expect((await redeem(link)).status).toBe(204);
  expect((await redeem(link)).status).toBe(401);
  run.child.kill('SIGINT');
  const { code, stdout, stderr } = await run.finished;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^Electron cannot be used here \(.+\): .+\n/);
  expect(stdout).toContain('Stopping.');
});

test.each(['SIGINT', 'SIGHUP'] as const)(
  'whoever reads what it prints is gone: %s ends it cleanly, with its terminals',
  async (signal) => {
    const run = start(['serve', workspace.project]);
    const { client, close } = await openWindow(run);
    const project = workspace.project;
    expect((await client.projects.open({ path: project })).ok).toBe(true);
    const shell = await client.terminals.create({ project, cols: 80, rows: 24 });
    expect(shell.ok).toBe(true);
    run.child.stdout.destroy();
    run.child.kill(signal);
    expect(await run.finished).toMatchObject({ code: 0, stderr: '' });
    close();
    await nothingLeft(workspace);
  },
);

test('a second start on the same home gives a fresh link to the first', async () => {
  const first = await linkOf(start(['serve']));
  const again = start(['serve', '--port', '0']);
  const second = await linkOf(again);
  expect((await again.finished).code).toBe(0);
  expect(second.port).toBe(first.port);
  expect(second.hash).not.toBe(first.hash);
  expect((await redeem(second)).status).toBe(204);
  expect((await redeem(first)).status).toBe(204);
});

test('after kill -9 the next start takes over', async () => {
  const first = start(['serve']);
  await linkOf(first);
  first.child.kill('SIGKILL');
  await first.finished;
  const link = await linkOf(start(['serve']));
  expect((await redeem(link)).status).toBe(204);
});

/** The status that a page with this cookie is answered with. */
const statusOf = async (link: URL, cookie: string): Promise<number> =>
  (await fetch(new URL('/session', link), { headers: { cookie } })).status;

test('an open page is admitted again after a restart, on the same port only', async () => {
  const first = start(['serve']);
  const link = await linkOf(first);
  const [cookie = ''] = (await redeem(link)).headers.getSetCookie()[0]?.split(';') ?? [];
  const secret = cookie.split('=')[1] ?? '';
  expect(secret).toHaveLength(43);
  first.child.kill('SIGINT');
  await first.finished;

  const file = join(workspace.latheHome, 'web.json');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readFile(file, 'utf8')).not.toContain(secret);

  const second = start(['serve']);
  const again = await linkOf(second);
  expect(again.port).toBe(link.port);
  expect(await statusOf(again, cookie)).toBe(204);
  expect(await statusOf(again, cookie.replace(secret, 'x'.repeat(43)))).toBe(401);
  second.child.kill('SIGINT');
  await second.finished;

  // Whoever took the old port meanwhile may have been sent the cookie.
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(Number(link.port), '127.0.0.1', resolve));
  const elsewhere = await linkOf(start(['serve']));
  taken.close();
  expect(elsewhere.port).not.toBe(link.port);
  expect(await statusOf(elsewhere, cookie.replace(link.port, elsewhere.port))).toBe(401);
});

test('a port in use is a clear error', async () => {
  const taken = createServer();
  const port = await new Promise<number>((resolve) => {
    taken.listen(0, '127.0.0.1', () => {
      const address = taken.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
  const run = start(['serve', '--port', String(port)]);
  const { code, stdout, stderr } = await run.finished;
  taken.close();
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toBe(
    `Port ${port} is already in use by another program.\nChoose another port with --port N, or leave the flag out for a free one.\n`,
  );
});
