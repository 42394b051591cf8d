import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTrustStore } from '../../../src/main/engine/permissions/trust';
import { createNodeFiles } from '../../../src/main/node/files';

let folder = '';
let file = '';
let now = 0;
const clock = { now: () => now, date: () => ++now, sleep: async () => {} };
const open = () => createTrustStore({ files: createNodeFiles(), file, clock });

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'lathe-trust-'));
  file = path.join(folder, 'home', 'trust.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('THREATS 1: a folder is trusted with exactly what was shown, across starts', async () => {
  const store = open();
  expect(await store.isTrusted('/p', 'h1')).toBe(false);
  expect(await store.set('/p', 'h1')).toMatchObject({ ok: true });
  expect(await open().isTrusted('/p', 'h1')).toBe(true);
  expect(await open().isTrusted('/p', 'h2')).toBe(false);
  expect(await open().isTrusted('/p/sub', 'h1')).toBe(false);
  expect(await open().isTrusted('constructor', 'h1')).toBe(false);
});

test('trust can be taken back', async () => {
  const store = open();
  await store.set('/p', 'h1');
  await store.set('/p', null);
  expect(await open().isTrusted('/p', 'h1')).toBe(false);
});

test('trust for one run is not written down', async () => {
  const store = open();
  store.trustForThisRun('/p');
  expect(await store.isTrusted('/p', 'anything')).toBe(true);
  expect(await open().isTrusted('/p', 'anything')).toBe(false);
});

test('only the user may read the file', async () => {
  await open().set('/p', 'h1');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('answers given at the same time are all kept', async () => {
  const store = open();
  await Promise.all(['/a', '/b', '/c'].map((path) => store.set(path, 'h')));
  const again = open();
  const all = ['/a', '/b', '/c'].map((path) => again.isTrusted(path, 'h'));
  expect(await Promise.all(all)).toEqual([true, true, true]);
});

test('it does not grow without bound; the oldest go', async () => {
  await open().set('/first', 'h');
  const saved = JSON.parse(readFileSync(file, 'utf8'));
  for (let i = 0; i < 1_200; i++)
    saved.folders[`/f${i}`] = { findingsHash: 'h', trustedAt: 1_000 + i };
  writeFileSync(file, JSON.stringify(saved));
  now = 10_000;
  await open().set('/last', 'h');
  const { folders } = JSON.parse(readFileSync(file, 'utf8'));
  expect(Object.keys(folders)).toHaveLength(1_000);
  expect(folders['/last']).toBeDefined();
  expect(folders['/first']).toBeUndefined();
});

test.each(['', '{', '[]', '{"version":2}', '{"version":1,"folders":{"/p":{"findingsHash":5}}}'])(
  'a damaged file means that nothing is trusted: %s',
  async (text) => {
    await open().set('/p', 'h1');
    writeFileSync(file, text);
    expect(await open().isTrusted('/p', 'h1')).toBe(false);
  },
);

test('THREATS 1: a damaged file is kept beside before it is replaced, and one nobody can read stays', async () => {
  await open().set('/p', 'h1', ['m1']);
  writeFileSync(file, '{"version":1,"folders":{"/q":');
  expect(await open().set('/r', 'h2')).toMatchObject({ ok: true });
  expect(readFileSync(`${file}.damaged`, 'utf8')).toBe('{"version":1,"folders":{"/q":');
  expect(await open().isTrusted('/r', 'h2')).toBe(true);
  rmSync(file);
  mkdirSync(file);
  expect(await open().isTrusted('/r', 'h2')).toBe(false);
  expect(await open().set('/r', 'h2')).toMatchObject({
    ok: false,
    error: { message: expect.stringContaining('could not be saved'), fix: expect.any(String) },
  });
});

test('what a trusted folder held is remembered, and forgotten with the trust', async () => {
  await open().set('/p', 'h1', ['m1', 'm2']);
  expect(await open().remembered('/p')).toEqual(new Set(['m1', 'm2']));
  expect(await open().remembered('/q')).toBeNull();
  await open().set('/p', null);
  expect(await open().remembered('/p')).toBeNull();
});

test('a place that cannot be written is said so', async () => {
  writeFileSync(path.join(folder, 'home'), 'a file in the way');
  expect(await open().set('/p', 'h1')).toMatchObject({
    ok: false,
    error: { message: expect.stringContaining('could not be saved') },
  });
});
