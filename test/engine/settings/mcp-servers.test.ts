import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { originOf } from '../../../src/main/engine/settings/mcp-servers';
import { createHome, type Home } from './support';

let at: Home;
beforeEach(() => {
  at = createHome();
});
afterEach(() => at.remove());

const command = (name: string) => ({ command: name });
const named = async (trusted = true, asked: Parameters<Home['load']>[1] = {}) =>
  ((await at.load(trusted, asked)).mcpServers ?? []).map((one) => `${one.name}: ${one.command}`);
const messages = async (trusted = true, asked: Parameters<Home['load']>[1] = {}) =>
  (await at.load(trusted, asked)).problems.map(({ message }) => message);

describe('tool servers', () => {
  it('come from .mcp.json, settings and the command line; the strongest of a name is started', async () => {
    at.put('.claude/settings.json', {
      mcpServers: {
        a: command('user'),
        b: command('user'),
        c: command('user'),
        d: command('user'),
      },
    });
    at.put('proj/.mcp.json', {
      mcpServers: { a: command('project'), b: command('project'), c: command('project') },
    });
    at.put('proj/.claude/settings.local.json', {
      mcpServers: { a: command('local'), b: command('local') },
    });
    const given = { mcpConfig: ['{"mcpServers":{"a":{"command":"given"}}}'] };
    expect((await named(true, given)).sort()).toEqual([
      'a: given',
      'b: local',
      'c: project',
      'd: user',
    ]);
    expect(await named(true, { ...given, strictMcpConfig: true })).toEqual(['a: given']);
  });

  it('know the place they are defined in', async () => {
    at.put('.claude.json', {
      mcpServers: { mine: command('x') },
      projects: { [at.project]: { mcpServers: { here: command('x') } } },
    });
    at.put('proj/.mcp.json', { mcpServers: { shared: command('x') } });
    at.put('etc/managed-settings.json', { mcpServers: { ours: command('x') } });
    const inside = { type: 'sdk', name: 'inner' };
    const given = {
      mcpConfig: [JSON.stringify({ mcpServers: { given: command('x'), inner: inside } })],
    };
    const { mcpServers = [] } = await at.load(true, given);
    expect(Object.fromEntries(mcpServers.map((one) => [one.name, originOf(one)]))).toEqual({
      ...{ mine: 'user', here: 'local', shared: 'project', ours: 'managed' },
      ...{ given: 'dynamic', inner: 'sdk' },
    });
  });

  it('come from the state file too: those of the project for one user, and those of all projects', async () => {
    at.put('.claude.json', {
      history: ['x'],
      mcpServers: { a: command('state'), b: command('state'), c: command('state') },
      projects: {
        [at.project]: { mcpServers: { a: command('own') } },
        '/elsewhere': { mcpServers: { d: command('elsewhere') } },
      },
    });
    at.put('proj/.mcp.json', { mcpServers: { a: command('project'), b: command('project') } });
    expect((await named()).sort()).toEqual(['a: own', 'b: project', 'c: state']);
    expect(await named(false)).toEqual([]);
    expect(await named(true, { settingSources: ['project'] })).toEqual([
      'a: project',
      'b: project',
    ]);
    // The user's own servers are no question of trust in the folder.
    expect((await at.load(false)).findings.map(({ what }) => what)).toEqual(['a', 'b']);
  });

  it('of a state file that cannot be read do not start; that is told with its line', async () => {
    const file = at.put('.claude.json', '{"mcpServers": {"a": {"command": "x"}\n,');
    expect(await named()).toEqual([]);
    expect((await messages()).join()).toContain(`${file}, line 2: `);
  });

  it.each([
    [{ disabled: true }, []],
    [{ disabled: 'true' }, []],
    [{ enabled: false }, []],
    [{ disabled: false, enabled: true }, ['a: x']],
  ])('that are switched off by %j do not start; that is told', async (fields, started) => {
    at.put('.claude/settings.json', { mcpServers: { a: { ...command('x'), ...fields } } });
    expect(await named()).toEqual(started);
    expect(await messages()).toHaveLength(1 - started.length);
  });

  it('are read whole, and numbers in their environment are texts', async () => {
    at.put('proj/.mcp.json', {
      mcpServers: {
        a: {
          type: 'stdio',
          command: 'npx',
          args: ['-y', 'x'],
          env: { PORT: 80 },
          alwaysLoad: true,
        },
      },
    });
    expect((await at.load(true)).mcpServers).toMatchObject([
      { name: 'a', command: 'npx', args: ['-y', 'x'], env: { PORT: '80' }, alwaysLoad: true },
    ]);
  });

  it('do not start in a folder that nobody trusts, whoever names them; that is told', async () => {
    at.put('.claude/settings.json', { mcpServers: { mine: command('user') } });
    at.put('proj/.mcp.json', { mcpServers: { theirs: command('evil') } });
    expect(await named(false)).toEqual([]);
    expect(await messages(false)).toEqual([
      expect.stringMatching(/\.mcp\.json, line 2: mcpServers: left out, because nobody trusts/),
      'Tool servers are not started (mine): nobody trusts this folder.',
    ]);
  });

  it('of a folder are listed before it is trusted; trust is for exactly these', async () => {
    at.put('proj/.mcp.json', { mcpServers: { a: { command: 'npx', args: ['-y', 'x'] } } });
    at.put('proj/.claude/settings.json', { mcpServers: { b: command('other') } });
    const before = await at.load(false);
    expect(
      before.findings.map(({ kind, what, detail }) => `${kind} ${what} ${detail}`).sort(),
    ).toEqual(['mcp a npx -y x', 'mcp b other']);
    at.put('proj/.mcp.json', {
      mcpServers: { a: { command: 'npx', args: ['-y', 'x'], env: { A: '1' } } },
    });
    const after = await at.load(false);
    expect(after.findingsHash).not.toBe(before.findingsHash);
    expect(after.findings.map(({ detail }) => detail)).toContain('npx -y x (sets A)');
  });

  it('at an address are read, and listed with what of this machine they are sent', async () => {
    const remote = {
      type: 'http',
      url: 'https://x.example/mcp',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: as settings write variables
      headers: { Authorization: 'Bearer ${TOKEN}', B: '${TOKEN}${OTHER:-x}' },
    };
    at.put('proj/.mcp.json', { mcpServers: { far: remote } });
    const { findings } = await at.load(false);
    expect(findings.map(({ detail }) => detail)).toEqual([
      'https://x.example/mcp (is sent TOKEN, OTHER)',
    ]);
    const { mcpServers } = await at.load(true);
    expect(mcpServers).toMatchObject([{ name: 'far', command: '', remote }]);
  });

  it('of .mcp.json are switched off by name, others of that name are not', async () => {
    at.put('proj/.mcp.json', { mcpServers: { a: command('project'), b: command('project') } });
    at.put('.claude/settings.json', {
      disabledMcpjsonServers: ['a', 'c'],
      mcpServers: { c: command('user') },
    });
    expect(await named()).toEqual(['b: project', 'c: user']);
  });

  it.each([
    [
      'a helper that is no command',
      { type: 'ws', url: 'wss://x.example', headersHelper: 1 },
      '.headersHelper: a command in quotes is expected.',
    ],
    [
      'an address without its type',
      { url: 'https://x.example' },
      'mcpServers.bad.type: one of "stdio", "http"',
    ],
    [
      'an address that is none',
      { type: 'http', url: 'file:///etc/passwd' },
      'mcpServers.bad.url: an address that begins with http://',
    ],
    [
      'a time that is none',
      { command: 'x', timeout: '30s' },
      'mcpServers.bad.timeout: a whole number',
    ],
    [
      'no time at all',
      { type: 'ws', url: 'wss://x.example', timeout: 0 },
      '.timeout: a whole number',
    ],
    ['no address', { type: 'sse', url: 1 }, 'mcpServers.bad.url: an address in quotes'],
    [
      'headers that are none',
      { type: 'http', url: 'https://x.example', headers: ['a'] },
      'mcpServers.bad.headers: an object of names and texts',
    ],
    ['no command', { args: [] }, 'mcpServers.bad.command: a command in quotes is expected.'],
    ['a text', 'npx x', 'mcpServers.bad: an object with "command", or with "type" and "url",'],
    ['an unknown type', { type: 'pipe', command: 'x' }, 'mcpServers.bad.type: one of "stdio", '],
    ['arguments that are none', { command: 'x', args: 'a b' }, 'mcpServers.bad.args: a list'],
    ['a variable that is a list', { command: 'x', env: { A: [] } }, 'mcpServers.bad.env: '],
  ])('that cannot be started are told and cost only themselves: %s', async (_, server, told) => {
    at.put('proj/.mcp.json', { mcpServers: { bad: server, good: command('fine') } });
    expect(await named()).toEqual(['good: fine']);
    const [message, ...more] = await messages();
    expect(more).toEqual([]);
    expect(message?.startsWith(`${path.join(at.project, '.mcp.json')}, line 3: `)).toBe(true);
    expect(message).toContain(told);
    expect(message).toContain('This server is not started.');
  });

  const BAD_NAMES = ['', ' ', '__proto__', 'go\u200bod', 'a\u202eb', 'a\u0007b'];
  it.each(
    ['proj/.mcp.json', 'proj/.claude/settings.json'].flatMap((file) =>
      BAD_NAMES.map((name) => [file, name]),
    ),
  )('in %s with a name that cannot be used are told: %j', async (file, name) => {
    at.put(file, `{"mcpServers": {${JSON.stringify(name)}: {"command": "x"}}}`);
    expect(await named()).toEqual([]);
    expect(await messages()).toEqual([
      expect.stringContaining(`line 1: mcpServers.${name || '""'}: this name cannot be used.`),
    ]);
  });

  it.each(['proj/.mcp.json', '.claude/settings.json'])(
    'are started without the fields that nobody reads; those are told: %s',
    async (file) => {
      at.put(file, '{"mcpServers": {"a": {"command": "x",\n"arg": ["y"]}}}');
      expect(await named()).toEqual(['a: x']);
      expect(await messages()).toEqual([
        expect.stringMatching(/, line 2: mcpServers\.a\.arg: there is no such .*“args”/),
      ]);
    },
  );

  it.each([
    ['{"mcpServers": {', 'No server of it is started.'],
    ['{"servers": {}}', 'servers: there is no such setting'],
    ['[]', 'an object "mcpServers" is expected.'],
  ])('of a file that cannot be read are told: %s', async (text, told) => {
    at.put('proj/.mcp.json', text);
    expect(await named()).toEqual([]);
    expect(await messages()).toEqual([expect.stringContaining(told)]);
  });

  it('of a --mcp-config that is not there are an error', async () => {
    const { problems } = await at.load(true, { mcpConfig: ['/no/such/file.json'] });
    expect(problems).toMatchObject([{ file: '--mcp-config', level: 'error' }]);
  });
});
