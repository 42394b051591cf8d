import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lathe, makeWorkspace, startProgram, type Workspace } from './lathe';

const KEY = 'zebra-quilt-7741-marble-key';

let workspace: Workspace;
beforeEach(async () => {
  workspace = await makeWorkspace();
});
afterEach(() => workspace.remove());

const run = async (words: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  const { child, finished } = lathe(workspace, ['auth', ...words], env);
  child.stdin.end();
  const done = await finished;
  expect(done.stdout + done.stderr).not.toContain(KEY);
  return done;
};
const write = async (file: string, value: object) => {
  const path = join(workspace.home, file);
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, JSON.stringify(value));
};
const helper = () => ({ apiKeyHelper: `touch ${join(workspace.home, 'started')}; echo ${KEY}` });

test.each<[string, Record<string, string>, () => Promise<void>, object]>([
  [
    'a key of the environment',
    { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: `https://me:${KEY}@gate.example/v1` },
    async () => {},
    {
      ...{ loggedIn: true, authMethod: 'api_key', apiProvider: 'firstParty' },
      ...{ apiKeySource: 'ANTHROPIC_API_KEY', baseUrl: 'https://gate.example/v1' },
    },
  ],
  [
    'a token',
    { ANTHROPIC_AUTH_TOKEN: KEY },
    async () => {},
    {
      ...{ loggedIn: true, authMethod: 'oauth_token', apiProvider: 'firstParty' },
      apiKeySource: 'ANTHROPIC_AUTH_TOKEN',
    },
  ],
  [
    'a token of settings',
    {},
    () => write('.claude/settings.json', { env: { ANTHROPIC_AUTH_TOKEN: KEY } }),
    {
      ...{ loggedIn: true, authMethod: 'oauth_token', apiProvider: 'firstParty' },
      apiKeySource: 'ANTHROPIC_AUTH_TOKEN',
    },
  ],
  [
    'a helper, which is not started',
    {},
    () => write('.claude/settings.json', helper()),
    {
      ...{ loggedIn: true, authMethod: 'api_key_helper', apiProvider: 'firstParty' },
      apiKeySource: 'apiKeyHelper',
    },
  ],
  [
    'a key that was entered',
    {},
    () => write('.lathe/key.json', { key: KEY }),
    {
      ...{ loggedIn: true, authMethod: 'api_key', apiProvider: 'firstParty' },
      apiKeySource: '/login managed key',
    },
  ],
  [
    'a cloud provider',
    { CLAUDE_CODE_USE_BEDROCK: '1' },
    async () => {},
    { loggedIn: true, authMethod: 'third_party', apiProvider: 'bedrock' },
  ],
])('auth status tells of %s', async (_, env, prepare, expected) => {
  await prepare();
  const { code, stdout } = await run(['status', '--json'], env);
  expect(JSON.parse(stdout)).toEqual(expected);
  expect(code).toBe(0);
  const words = await run(['status'], env);
  expect(words.stdout).toMatch(/^Logged in by .+\.\nEndpoint: .+\n$/);
  expect(words.code).toBe(0);
  expect(existsSync(join(workspace.home, 'started'))).toBe(false);
});

// Of more addresses it is shown without processes, in test/hosts/headless/auth-command.test.ts.
test.each([
  [`https://u:${KEY}@ho st/`, 'an address that cannot be read'],
  ['https://gw.example/v1/sk-proj-0123456789abcdef/x', 'https://gw.example/v1/…/x'],
])('auth status shows nothing secret of an address: %s', async (address, shown) => {
  const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: address };
  const json = await run(['status', '--json'], env);
  expect(JSON.parse(json.stdout)).toMatchObject({ baseUrl: shown });
  expect((await run(['status'], env)).stdout).toContain(`\nEndpoint: ${shown}\n`);
});

test('auth status tells that there is no key', async () => {
  const json = await run(['status', '--json']);
  const status = { loggedIn: false, authMethod: 'none', apiProvider: 'firstParty' };
  expect([JSON.parse(json.stdout), json.code]).toEqual([status, 1]);
  const words = await run(['status']);
  expect(words.stdout).toContain('Not logged in');
  expect(words.code).toBe(1);
});

test("a folder's own helper counts only with trust", async () => {
  await mkdir(join(workspace.project, '.claude'), { recursive: true });
  await writeFile(
    join(workspace.project, '.claude', 'settings.json'),
    JSON.stringify({ apiKeyHelper: `echo ${KEY}` }),
  );
  expect((await run(['status'])).code).toBe(1);
  expect((await run(['status', '--trust'])).code).toBe(0);
});

test('auth logout forgets every key that was entered, and names the keys that are left', async () => {
  const files = ['key.json', 'key.json.damaged', 'key.bin'];
  for (const name of files) await write(`.lathe/${name}`, { key: KEY });
  await write('.lathe/sign-ins.json', { some: 'server' });
  const gone = files.map((name) => join(workspace.home, '.lathe', name));
  const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_AUTH_TOKEN: KEY };
  const json = await run(['logout', '--json'], env);
  const { removed, ...rest } = JSON.parse(json.stdout);
  expect([...removed].sort()).toEqual([...gone].sort());
  expect(rest).toEqual({ loggedIn: true, sources: Object.keys(env) });
  expect(json.code).toBe(0);
  expect(gone.filter(existsSync)).toEqual([]);
  expect(existsSync(join(workspace.home, '.lathe', 'sign-ins.json'))).toBe(true);
  expect((await run(['status'])).code).toBe(1);

  await write('.lathe/key.json', { key: KEY });
  const words = await run(['logout']);
  expect(words.stdout).toMatch(/is forgotten \(.+key\.json\).*\nNot logged in: no other key/);
  await write('.claude/settings.json', helper());
  const again = await run(['logout'], env);
  expect(again.stdout).toMatch(
    /nothing to forget\.\nStill logged in by .*ANTHROPIC_API_KEY, and .*AUTH_TOKEN, and .*apiKeyHelper/,
  );
  expect(again.code).toBe(0);
  expect(existsSync(join(workspace.home, 'started'))).toBe(false);
});

// More of them stand in test/hosts/common/command-line.test.ts.
test.each([[['logout', 'now']]])('auth %j is a mistake, no prompt', async (words) => {
  const { code, stdout, stderr } = await run(words, { ANTHROPIC_API_KEY: KEY });
  expect(code).toBe(2);
  expect(stdout).toBe('');
  expect(stderr).toContain('lathe auth status');
});

test.skipIf(process.platform === 'win32')(
  'the package’s own file can be run by its path',
  async () => {
    const file = join(import.meta.dirname, '..', '..', '..', 'bin', 'lathe.mjs');
    const { child, finished } = startProgram(workspace, [file, 'auth', 'status', '--json'], {});
    child.stdin.end();
    expect(JSON.parse((await finished).stdout)).toMatchObject({ loggedIn: false });
  },
);
