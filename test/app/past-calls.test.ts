import { appendFile, mkdir, mkdtemp, realpath, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MAX_TAIL_BYTES, pastCalls } from '../../src/main/app/past-calls';
import { encodeLine } from '../../src/main/engine/event-log';
import type { Files } from '../../src/main/engine/ports';
import { projectFolder } from '../../src/main/engine/sessions/paths';
import { createNodeFiles } from '../../src/main/node/files';
import type { DurableEvent } from '../../src/shared/agent-event';

const PROJECT = '/home/you/harbour';
const files = createNodeFiles();
const never = new AbortController().signal;

let home: string;
let folder: string;
beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'lathe-past-')));
  folder = projectFolder(home, PROJECT);
  await mkdir(folder, { recursive: true });
});
afterEach(() => rm(home, { recursive: true, force: true }));

const started = (cwd = PROJECT): DurableEvent => ({
  type: 'session_started',
  version: 1,
  cwd,
  createdAt: 0,
});
const call = (at: number, command = `echo ${at}`, invalid?: string) => {
  const block = { type: 'tool_use', id: `t${at}`, name: 'Bash', input: { command } } as const;
  const event = { type: 'block_finished', messageId: 'm', model: 'x', index: 0 } as const;
  return encodeLine({
    at,
    event: { ...event, block: { ...block, ...(invalid === undefined ? {} : { invalid }) } },
  });
};
const fileOf = (id: string) => join(folder, `${id}.jsonl`);

/** A log last written at a time, epoch milliseconds. */
async function log(id: string, writtenAt: number, lines: readonly string[], cwd?: string) {
  const text = [encodeLine({ at: 0, event: started(cwd) }), ...lines].join('');
  await writeFile(fileOf(id), text);
  await utimes(fileOf(id), writtenAt / 1000, writtenAt / 1000);
}
const times = async (signal = never) =>
  (await pastCalls(files, home, PROJECT, signal)).map(({ at }) => at);

test('calls of all sessions come newest first, each with its session', async () => {
  await log('session-a', 3_000, [call(1_000), call(3_000)]);
  await log('session-b', 4_000, [call(2_000), call(4_000)]);
  const found = await pastCalls(files, home, PROJECT, never);
  expect(found.map(({ at, sessionId }) => [at, sessionId])).toEqual([
    [4_000, 'session-b'],
    [3_000, 'session-a'],
    [2_000, 'session-b'],
    [1_000, 'session-a'],
  ]);
  expect(found[0]).toMatchObject({ tool: 'Bash', input: { command: 'echo 4000' } });
});

test('bad, torn and foreign lines, calls never run, and other files are passed over', async () => {
  const other = encodeLine({ at: 7_000, event: { type: 'title_changed', title: '"tool_use"' } });
  await log('session-a', 9_000, [
    '{"at": 1, "tool_use"\n',
    '\0\0\n',
    other,
    call(5_000, 'x', 'no JSON'),
    call(6_000),
  ]);
  await appendFile(fileOf('session-a'), call(8_000).slice(0, 60));
  await log('session-other', 9_000, [call(8_500)], '/home/you/harbour.');
  await writeFile(join(folder, 'notes.txt'), call(8_600));
  await writeFile(fileOf('empty'), '');
  expect(await times()).toEqual([6_000]);
});

test('only the last 200 are taken, and no log is read that cannot have newer ones', async () => {
  const lines = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => call(from + i));
  await log('session-old', 900, lines(500, 300));
  await log('session-new', 20_000, lines(10_000, 150));
  await log('session-both', 30_000, lines(9_900, 150));
  const read = new Set<string>();
  const watched: Files = {
    ...files,
    readRange: (path, start, end) => {
      read.add(path);
      return files.readRange(path, start, end);
    },
  };
  const found = (await pastCalls(watched, home, PROJECT, never)).map(({ at }) => at);
  expect([...read]).toEqual([fileOf('session-both'), fileOf('session-new')]);
  expect(found).toHaveLength(200);
  expect(found[0]).toBe(10_149);
  // 51 of the calls share their time and id with one of the other log: a fork took them along.
  expect(found.at(-1)).toBe(9_950);
});

test('of a long log only the end is read', async () => {
  const wide = 'x'.repeat(MAX_TAIL_BYTES / 4);
  await log(
    'session-a',
    9_000,
    [1, 2, 3, 4, 5, 6].map((at) => call(at, wide)),
  );
  expect(await times()).toEqual([6, 5, 4]);
});

test('a fork brings the calls of its parent only once, and a stopped look ends', async () => {
  await log('session-a', 2_000, [call(1_000)]);
  await log('session-b', 3_000, [call(1_000), call(3_000)]);
  expect(await times()).toEqual([3_000, 1_000]);
  expect(await times(AbortSignal.abort())).toEqual([]);
  expect(await pastCalls(files, home, '/home/you/elsewhere', never)).toEqual([]);
});
