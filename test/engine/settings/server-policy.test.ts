// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are variables of settings
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { admitted } from '../../../src/main/engine/mcp/filled-in';
import type { McpServerSetting } from '../../../src/main/engine/settings/mcp-servers';
import { createHome, type Home } from './support';

let at: Home;
beforeEach(() => {
  at = createHome();
});
afterEach(() => at.remove());

const program = (name: string, ...argv: string[]): McpServerSetting => {
  const [command = '', ...args] = argv;
  return { name, command, args, env: {}, alwaysLoad: false, file: 'x' };
};
const reached = (name: string, url: string): McpServerSetting => ({
  ...program(name),
  remote: { type: 'http', url, headers: {} },
});
const inside = (name: string): McpServerSetting => ({ ...program(name), inside: true });

/** Returns why a server may not start, with the settings as they stand; null when it may. */
async function refused(server: McpServerSetting, env: Readonly<Record<string, string>> = {}) {
  const { serverPolicy } = await at.load(true);
  const outcome = admitted(server, env, serverPolicy);
  return outcome.ok ? null : outcome.error;
}

describe('deniedMcpServers', () => {
  it.each([
    ['by name', { serverName: 'a' }, program('a', 'x'), true],
    ['another name', { serverName: 'a' }, program('A', 'x'), false],
    ['by command', { serverCommand: ['npx', 'evil'] }, program('b', 'npx', 'evil'), true],
    ['a longer command', { serverCommand: ['npx'] }, program('b', 'npx', 'evil'), false],
    ['filled in', { serverCommand: ['npx', 'evil'] }, program('b', 'npx', '${X:-evil}'), true],
    ['as written', { serverCommand: ['npx', '${X:-n}'] }, program('b', 'npx', '${X:-n}'), true],
    ['by address', { serverUrl: 'https://e.example/*' }, reached('c', 'https://e.example/m'), true],
    ['case', { serverUrl: 'https://e.example/*' }, reached('c', 'HTTPS://E.Example:443/m'), true],
    ['root dot', { serverUrl: 'https://e.example/*' }, reached('c', 'https://e.example./m'), true],
    ['a user', { serverUrl: 'https://e.example/*' }, reached('c', 'https://u@e.example/m'), true],
    ['a query', { serverUrl: 'https://e.example/m' }, reached('c', 'https://e.example/m?a'), true],
    ['a slash', { serverUrl: 'https://e.example/m' }, reached('c', 'https://e.example/m/'), true],
    ['a host', { serverUrl: 'https://*.e.example/*' }, reached('c', 'https://x.e.example/'), true],
    ['elsewhere', { serverUrl: 'https://e.example/*' }, reached('c', 'https://o.example/'), false],
    ['any address', { serverUrl: '*' }, reached('c', 'wss://o.example/'), true],
    ['in a program', { serverName: 'own' }, inside('own'), true],
  ])('%s', async (_, entry, server, denied) => {
    at.put('.claude/settings.json', { deniedMcpServers: [entry] });
    const why = denied
      ? expect.stringMatching(/^It is denied by deniedMcpServers in .*json\.$/)
      : null;
    expect(await refused(server)).toEqual(why);
  });

  it.each([
    ['over 8 MiB', `${' '.repeat(8 * 1024 * 1024)}{}`],
    ['with a fault', '{"deniedMcpServers" [{"serverName": "x"}]}'],
    ['with two lists', '{"deniedMcpServers": [{"serverName":"a"}], "deniedMcpServers": []}'],
  ])('denies in a file %s', async (_, text) => {
    at.put('proj/.claude/settings.json', text);
    expect(await refused(program('a', 'x'))).toMatch(/^It is denied/);
  });

  it('fills addresses in first', async () => {
    at.put('.claude/settings.json', { deniedMcpServers: [{ serverUrl: 'https://e.example/*' }] });
    const server = reached('c', 'https://${HOST}/m');
    expect(await refused(server, { HOST: 'e.example' })).not.toBeNull();
    expect(await refused(server, { HOST: 'o.example' })).toBeNull();
  });

  it('joins over all files', async () => {
    at.put('.claude/settings.json', { deniedMcpServers: [{ serverName: 'a' }] });
    at.put('proj/.claude/settings.json', { deniedMcpServers: [{ serverName: 'b' }] });
    expect(await refused(program('a', 'x'))).not.toBeNull();
    expect(await refused(program('b', 'x'))).not.toBeNull();
    expect(await refused(program('c', 'x'))).toBeNull();
  });

  it.each([
    ['a text', 'github'],
    ['a list of texts', ['github']],
    ['a misspelled field', [{ serverNam: 'github' }]],
    ['an empty entry', [{}]],
    ['an empty command', [{ serverCommand: [] }]],
  ])('denies every server when it cannot be read: %s', async (_, list) => {
    at.put('.claude/settings.json', { deniedMcpServers: list });
    expect(await refused(program('a', 'x'))).not.toBeNull();
    const { problems } = await at.load(true);
    expect(problems).toContainEqual(
      expect.objectContaining({
        ...{ field: 'deniedMcpServers', line: expect.any(Number) },
        message: expect.stringContaining('is expected; until then no tool server is started.'),
      }),
    );
  });
});

describe('allowedMcpServers', () => {
  const names = (...all: string[]) => all.map((serverName) => ({ serverName }));

  it('lets only what it names start; a denial goes before it', async () => {
    at.put('.claude/settings.json', {
      allowedMcpServers: names('a', 'b'),
      deniedMcpServers: names('b'),
    });
    expect(await refused(program('a', 'x'))).toBeNull();
    expect(await refused(program('b', 'x'))).toContain('denied');
    expect(await refused(program('c', 'x'))).toMatch(
      /^allowedMcpServers in .* does not have it\.$/,
    );
    expect(await refused(inside('c'))).toBeNull();
  });

  it('knows a program by its command, and an address by its pattern, where it has any', async () => {
    at.put('.claude/settings.json', {
      allowedMcpServers: [
        ...names('a'),
        { serverCommand: ['npx', 'good'] },
        { serverUrl: 'https://*.good.example/*' },
      ],
    });
    expect(await refused(program('a', 'x'))).not.toBeNull();
    expect(await refused(program('z', 'npx', 'good'))).toBeNull();
    expect(await refused(program('z', 'npx', '${X:-evil}'))).not.toBeNull();
    expect(await refused(reached('a', 'https://evil.example/.good.example/'))).not.toBeNull();
    expect(await refused(reached('z', 'https://x.good.example/m'))).toBeNull();
    expect(
      await refused(reached('z', 'https://${X:-evil.example/}.good.example/m')),
    ).not.toBeNull();
  });

  it('of a folder makes the list narrower, never wider', async () => {
    at.put('.claude/settings.json', { allowedMcpServers: names('a', 'b') });
    at.put('proj/.claude/settings.json', { allowedMcpServers: names('b', 'c') });
    expect(await refused(program('a', 'x'))).not.toBeNull();
    expect(await refused(program('b', 'x'))).toBeNull();
    expect(await refused(program('c', 'x'))).not.toBeNull();
  });

  it.each([[[]], ['all'], [[{ name: 'a' }]]])('lets none start: %j', async (list) => {
    at.put('.claude/settings.json', { allowedMcpServers: list });
    expect(await refused(program('a', 'x'))).not.toBeNull();
  });
});
