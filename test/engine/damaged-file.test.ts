import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPromptHistory } from '../../src/main/app/prompt-history';
import { KEPT_FILES } from '../../src/main/compose-files';
import { damagedFiles } from '../../src/main/engine/damaged-file';
import { createSignInStore } from '../../src/main/engine/mcp/sign-in-store';
import { createToolApprovals } from '../../src/main/engine/mcp/tool-approvals';
import { approveImport } from '../../src/main/engine/prompt/outside-imports';
import { projectFolder } from '../../src/main/engine/sessions/paths';
import { plainKeyFile } from '../../src/main/hosts/common/key-file';
import { createSecretFile, plainly } from '../../src/main/hosts/common/secret-file';
import { openWindowStates } from '../../src/main/hosts/electron/window-state';
import { writeKeptHost } from '../../src/main/hosts/web/admission';
import { createNodeFiles } from '../../src/main/node/files';
import { createNodeLocks } from '../../src/main/node/locks';

const files = createNodeFiles();
let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'damaged-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const OWNERS: readonly (readonly [name: string, act: (home: string) => Promise<unknown>])[] = [
  ['tool-approvals.json', (at) => approvals(at).keep('/p', 'mcp__s__t', 'x')],
  ['imports.json', (at) => approveImport(files, at, { project: '/p', path: '/o', allowed: true })],
  ['key.json', (at) => plainKeyFile(files, at).set({ key: 'k' })],
  ['sign-ins.json', (at) => signIns(at).change('https://one.example', SIGN_IN)],
  ['windows.json', async (at) => (await openWindowStates(files, at)).save([])],
  ['web.json', (at) => writeKeptHost(files, at, { port: 1, sessions: [] })],
  [
    join(projectFolder('', '/p'), 'prompts.json'),
    (at) => createPromptHistory(files, at).add('/p', 'x'),
  ],
];
const signIns = (at: string) =>
  createSignInStore(createSecretFile(files, at, plainly('sign-ins.json')), {
    locks: createNodeLocks(),
    folder: join(at, 'run'),
  });
const SIGN_IN = {
  client: { client_id: 'c', redirect_uris: [] },
  tokens: { access_token: 'a', token_type: 'Bearer' },
  authority: 'https://one.example',
};
const approvals = (at: string) => createToolApprovals(files, join(at, 'tool-approvals.json'));

test.each(OWNERS)(
  '%s that is torn, or holds something else, is kept before another replaces it',
  async (name, act) => {
    const file = join(home, name);
    await mkdir(dirname(file), { recursive: true });
    writeFileSync(file, '{"torn');
    await act(home);
    expect(readFileSync(`${file}.damaged`, 'utf8')).toBe('{"torn');
    expect(() => JSON.parse(readFileSync(file, 'utf8'))).not.toThrow();
    writeFileSync(file, '{"torn again');
    await act(home);
    expect(readFileSync(`${file}.damaged-2`, 'utf8')).toBe('{"torn again');
    writeFileSync(file, '{"mistyped":1}');
    await act(home);
    expect(readFileSync(`${file}.damaged-3`, 'utf8')).toBe('{"mistyped":1}');
  },
);

test.each(Object.keys(KEPT_FILES))(
  '%s that holds something else is told, until it is replaced',
  async (name) => {
    const file = join(home, name);
    writeFileSync(file, '{"mistyped":1}');
    expect(await damagedFiles(files, home, KEPT_FILES)).toEqual([
      {
        ...{ file, level: 'warning' },
        message: `${file} cannot be used (it does not hold what Lathe keeps there), so nothing in it counts. It is kept as ${file}.damaged before Lathe writes another.`,
      },
    ]);
    await OWNERS.find(([owned]) => owned === name)?.[1](home);
    expect(await damagedFiles(files, home, KEPT_FILES)).toEqual([]);
  },
);

test('files of Lathe that hold no JSON are named, but for those whose owners name them', async () => {
  for (const [name, text] of Object.entries({
    'key.json': '',
    'web.json': '"x"',
    'imports.json': '{}',
    'trust.json': '{',
    'state.json': '{',
    'notes.txt': '{',
  }))
    writeFileSync(join(home, name), text);
  await mkdir(join(home, 'tool-approvals.json'));
  symlinkSync(join(home, 'notes.txt'), join(home, 'sign-ins.json'));
  symlinkSync(join(home, 'absent'), join(home, 'windows.json'));
  const named = (await damagedFiles(files, home, {})).map(({ message }) => message);
  expect(named.toSorted()).toEqual([
    expect.stringContaining('key.json cannot be used (it is no JSON), so nothing in it counts.'),
    expect.stringContaining('sign-ins.json cannot be used (it is no JSON)'),
    expect.stringMatching(
      /tool-approvals\.json cannot be used \(.* is a folder, not a file\).* until you mend or move it\.$/,
    ),
    expect.stringContaining('web.json cannot be used (it is no JSON object)'),
  ]);
});

test('costs that cannot be read are told, for limits count them', async () => {
  expect(await damagedFiles(files, home, {})).toEqual([]);
  writeFileSync(join(home, 'spending'), '');
  expect(await damagedFiles(files, home, {})).toMatchObject([
    {
      file: join(home, 'spending'),
      message: expect.stringContaining('does not count for the limit of a day'),
    },
  ]);
});
