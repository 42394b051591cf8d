import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import {
  createFreshener,
  newProblems,
  type WatchedSettings,
  watchSettings,
} from '../../../src/main/engine/settings/changes';
import type { EffectiveSettings } from '../../../src/main/engine/settings/effective';
import { createNodeFiles } from '../../../src/main/node/files';
import type { PermissionRule } from '../../../src/shared/permission';

const USER = '/home/you/.claude/settings.json';
const rule = (behavior: PermissionRule['behavior'], text: string): PermissionRule => ({
  behavior,
  text,
  source: 'userSettings',
});
const ofUser = (file: string) => ({ source: 'userSettings', file, digest: '' }) as const;
const settings = (digest: string, more: Partial<EffectiveSettings> = {}): EffectiveSettings => ({
  trusted: true,
  fallbackModels: [],
  defaultMode: 'default',
  modesOff: [],
  additionalDirectories: [],
  env: {},
  rules: [],
  hooks: [],
  problems: [],
  findings: [],
  findingsHash: '',
  files: [
    { source: 'managed', file: '/etc/managed.json', digest: '' },
    { source: 'userSettings', file: USER, digest },
  ],
  ...more,
});

let latest: EffectiveSettings;
let watched: WatchedSettings;
let asked: unknown[];
/** Reads new settings and asks, with the answer `blocked`. */
const change = async (to: EffectiveSettings, blocked: boolean) => {
  latest = to;
  await watched.review(async (changes) => {
    asked.push(...changes);
    return blocked;
  });
};
beforeEach(() => {
  latest = settings('a', { rules: [rule('allow', 'Read')] });
  watched = watchSettings(() => latest);
  asked = [];
});

test('what did not change asks nobody; what changed asks once, and holds unless it is blocked', async () => {
  await change(settings('a'), true);
  expect(asked).toEqual([]);
  await change(settings('b', { language: 'Dutch' }), false);
  expect(asked).toEqual([{ source: 'user_settings', file: USER }]);
  expect(watched.now().language).toBe('Dutch');
  await change(latest, true);
  expect(asked).toHaveLength(1);
});

test('while it is asked, the settings of before hold', async () => {
  latest = settings('b', { language: 'Dutch' });
  await watched.review(async () => {
    expect(watched.now().language).toBeUndefined();
    return false;
  });
});

test('a blocked change does not hold, what it forbids does; the next change is asked about anew', async () => {
  const rules = [rule('deny', 'Bash'), rule('ask', 'Edit'), rule('allow', 'WebFetch')];
  await change(settings('b', { language: 'Dutch', rules, modesOff: ['bypassPermissions'] }), true);
  expect(watched.now()).toMatchObject({ modesOff: ['bypassPermissions'] });
  expect(watched.now().language).toBeUndefined();
  expect(watched.now().rules.map(({ text }) => text)).toEqual(['Bash', 'Edit', 'Read']);
  await change(latest, false);
  expect(asked).toHaveLength(1);
  await change(settings('c', { language: 'Frisian' }), false);
  expect(watched.now().language).toBe('Frisian');
});

test('neither policy nor the user’s word on hooks and trust can be blocked', async () => {
  const [, user] = settings('b').files ?? [];
  const policy = { source: 'managed' as const, file: '/etc/managed.json', digest: 'p' };
  await change(settings('a', { language: 'Dutch', files: user ? [policy, user] : [] }), true);
  expect(asked).toMatchObject([{ source: 'policy_settings' }, {}]);
  expect(watched.now().language).toBe('Dutch');
  await change(settings('c'), true);
  for (const word of [{ hooksDisabled: true }, { trusted: false }]) {
    latest = settings('d', word);
    expect(watched.now()).toMatchObject(word);
    latest = settings('c');
  }
});

test('settings are read again when a file of theirs changed, came or went, and not otherwise', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lathe-fresh-'));
  const [one, other] = [join(folder, 'one.json'), join(folder, 'other.json')];
  await writeFile(one, '{"a":1}');
  let reads = 0;
  const freshen = createFreshener({
    files: createNodeFiles(),
    settings: () => settings('', { files: [one, other].map((file) => ofUser(file)) }),
    refresh: async () => {
      reads += 1;
    },
  });
  const after = async (change: () => Promise<unknown>) => {
    await change();
    const before = reads;
    await Promise.all([freshen(), freshen()]);
    return reads - before;
  };
  expect(await after(async () => {})).toBe(0);
  expect(await after(() => writeFile(one, '{"a":12}'))).toBe(1);
  expect(await after(async () => {})).toBe(0);
  expect(await after(() => writeFile(other, '{}'))).toBe(1);
  expect(await after(() => rm(other))).toBe(1);
  // Who writes a file empties it first: what it said holds until there is something in it again.
  expect(await after(() => writeFile(one, ''))).toBe(0);
  expect(await after(() => writeFile(one, '{"a":123}'))).toBe(1);
  await rm(folder, { recursive: true });
});

test('problems that were told before are no new ones', () => {
  const told = { file: USER, line: 1, message: 'it is empty', level: 'warning' } as const;
  const other = { ...told, message: 'it is no JSON' };
  const before = settings('a', { problems: [told] });
  expect(newProblems(before, settings('b', { problems: [{ ...told, line: 2 }, other] }))).toEqual([
    other,
  ]);
});
