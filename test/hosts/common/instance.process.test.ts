import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  askInstance,
  becomeInstance,
  type InstanceLock,
  type InstanceReply,
  instanceAddress,
  instanceLock,
} from '../../../src/main/hosts/common/instance';
import { createNodeLocks } from '../../../src/main/node/locks';

let folder: string;
let address: string;
const locks: InstanceLock[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lathe-inst-'));
  address = join(folder, 'app.sock');
});
afterEach(async () => {
  for (const lock of locks.splice(0)) await lock.release();
  await rm(folder, { recursive: true });
});

const REPLY: InstanceReply = { host: 'web', pid: 42, url: 'http://127.0.0.1:1/#ticket=x' };

async function start(reply: InstanceReply = REPLY) {
  const asked: unknown[] = [];
  const result = await becomeInstance(
    address,
    { ask: 'url', folder: '/p' },
    (request) => {
      asked.push(request);
      return reply;
    },
    instanceLock(createNodeLocks(), folder),
  );
  if (!result.ok) throw new Error(result.error.message);
  if ('release' in result.value) locks.push(result.value);
  return { asked, value: result.value };
}

test('the first is the instance; the second gets its answer', async () => {
  const first = await start();
  expect(first.value).toHaveProperty('release');
  const second = await start();
  expect(second.value).toEqual({ other: REPLY });
  expect(first.asked).toEqual([{ ask: 'url', folder: '/p' }]);
});

test('only this user can reach it', async () => {
  await start();
  expect((await stat(address)).mode & 0o777).toBe(0o600);
});

test('after the release the next start is the instance', async () => {
  const first = await start();
  if ('release' in first.value) await first.value.release();
  expect((await start()).value).toHaveProperty('release');
});

test('a socket left behind by a crash is taken over, also by several at once, and nothing is left', async () => {
  await leaveDeadSocket(address);
  const results = await Promise.all(Array.from({ length: 5 }, () => start()));
  const owners = results.filter(({ value }) => 'release' in value);
  expect(owners).toHaveLength(1);
  expect(await readdir(folder)).toEqual(['app.sock', 'run']);
});

test('one that listens but does not answer well is reported, not overrun', async () => {
  const server = createServer((socket) => socket.resume().end('nonsense\n'));
  await new Promise<void>((resolve) => server.listen(address, resolve));
  const result = await becomeInstance(
    address,
    { ask: 'url' },
    () => REPLY,
    instanceLock(createNodeLocks(), folder),
  );
  expect(result).toMatchObject({ ok: false, error: { code: 'instance_silent' } });
  await new Promise((resolve) => server.close(resolve));
});

test('asking where nobody is says so', async () => {
  expect(await askInstance(address, { ask: 'url' })).toMatchObject({ error: { code: 'nobody' } });
});

test('the address fits a socket, however long the home is', () => {
  const long = `/${'h'.repeat(200)}`;
  expect(instanceAddress('/home/ann/.lathe', 'linux')).toBe('/home/ann/.lathe/run/app.sock');
  expect(Buffer.byteLength(instanceAddress(long, 'linux'))).toBeLessThanOrEqual(103);
  expect(instanceAddress(long, 'linux')).not.toBe(instanceAddress(`${long}x`, 'linux'));
  expect(instanceAddress('C:\\x', 'win32')).toMatch(/^\\\\\.\\pipe\\lathe-/);
});

/** A process that listens and is killed leaves its socket file. */
async function leaveDeadSocket(path: string): Promise<void> {
  const { spawn } = await import('node:child_process');
  const script = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
  await new Promise((resolve) => spawn(process.execPath, ['-e', script]).on('exit', resolve));
}
