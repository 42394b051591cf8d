import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createToolApprovals } from '../../../src/main/engine/mcp/tool-approvals';
import { createNodeFiles } from '../../../src/main/node/files';

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'lathe-approvals-'));
});
afterEach(() => rm(root, { recursive: true }));

const file = () => join(root, 'tool-approvals.json');
const open = () => createToolApprovals(createNodeFiles(), file());

it('keeps what stands for the tools of each project, for its user alone', async () => {
  const first = open();
  await Promise.all([first.keep('/p', 'mcp__a__x', '1'), first.keep('/p', 'mcp__a__y', '2')]);
  await first.keep('/p', 'mcp__a__x', '3');
  await first.keep('/q', '__proto__', '4');
  const later = open();
  expect([...(await later.look('/p'))]).toEqual([
    ['mcp__a__y', '2'],
    ['mcp__a__x', '3'],
  ]);
  expect([...(await later.look('/q'))]).toEqual([['__proto__', '4']]);
  expect([...(await later.look('/nowhere'))]).toEqual([]);
  expect((await stat(file())).mode & 0o777).toBe(0o600);
});

it('forgets the oldest tools of a project beyond 500', async () => {
  const approvals = open();
  for (let at = 0; at <= 500; at += 1) await approvals.keep('/p', `t${at}`, 'c');
  const kept = await approvals.look('/p');
  expect([kept.size, kept.has('t0'), kept.has('t500')]).toEqual([500, false, true]);
});

it.each(['', '[]', '{"/p": 5}', '{'])('a file with %j holds nothing', async (text) => {
  await writeFile(file(), text);
  expect([...(await open().look('/p'))]).toEqual([]);
});
