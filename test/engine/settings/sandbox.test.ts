import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isHostPattern } from '../../../src/main/engine/settings/sandbox-fields';
import { createHome, type Home } from './support';

let home: Home;
beforeEach(() => {
  home = createHome();
});
afterEach(() => home.remove());

const USER = '.claude/settings.json';
const PROJECT = 'proj/.claude/settings.json';
const MANAGED = 'etc/managed-settings.json';

describe('the sandbox in settings', () => {
  test('is off, asks nothing inside and may be left, unless said otherwise', async () => {
    const { sandbox, problems } = await home.load(true);
    expect(problems).toEqual([]);
    expect(sandbox).toMatchObject({ enabled: false, autoAllow: true, allowUnsandboxed: true });
  });

  test('joins lists of all files; the strongest switch wins', async () => {
    home.put(USER, {
      sandbox: {
        enabled: true,
        excludedCommands: ['docker'],
        filesystem: { allowWrite: ['~/cache', 'notes'], denyRead: ['~/.ssh/**'] },
        network: { allowedDomains: ['example.com'] },
      },
    });
    home.put(PROJECT, {
      sandbox: {
        enabled: false,
        autoAllowBashIfSandboxed: false,
        filesystem: { allowWrite: ['build', '//tmp/x', '/var/y'], denyWrite: ['./vendor/'] },
        network: {
          allowedDomains: ['*.npmjs.org:443', 'example.com'],
          deniedDomains: ['evil.example'],
        },
      },
    });
    const { sandbox, problems } = await home.load(true);
    expect(problems).toEqual([]);
    expect(sandbox).toMatchObject({
      enabled: false,
      autoAllow: false,
      excludedCommands: ['docker'],
      allowWrite: [
        join(home.project, 'build'),
        '/tmp/x',
        '/var/y',
        join(home.home, 'cache'),
        join(home.configDir, 'notes'),
      ],
      denyWrite: [join(home.project, 'vendor')],
      denyRead: [join(home.home, '.ssh')],
      allowedDomains: ['*.npmjs.org:443', 'example.com'],
      deniedDomains: ['evil.example'],
    });
  });

  test('of an untrusted folder counts nothing', async () => {
    home.put(PROJECT, {
      sandbox: {
        enabled: true,
        filesystem: { allowWrite: ['/'] },
        network: { allowedDomains: ['evil.example'] },
      },
    });
    const { sandbox } = await home.load(false);
    expect(sandbox).toMatchObject({ enabled: false, allowWrite: [], allowedDomains: [] });
  });

  test('cannot be loosened where managed settings deny', async () => {
    home.put(MANAGED, {
      sandbox: {
        enabled: true,
        allowUnsandboxedCommands: false,
        filesystem: { denyRead: ['/secrets'] },
      },
    });
    home.put(PROJECT, {
      sandbox: {
        enabled: false,
        allowUnsandboxedCommands: true,
        excludedCommands: ['curl'],
        filesystem: { allowRead: ['/secrets/mine', '/other', '/sec*'] },
      },
    });
    const { sandbox, problems } = await home.load(true);
    expect(sandbox).toMatchObject({
      enabled: true,
      allowUnsandboxed: false,
      excludedCommands: [],
      denyRead: ['/secrets'],
      allowRead: ['/other'],
    });
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('“/secrets/mine” is not used: managed settings deny it'),
      expect.stringContaining('“/sec*” is not used: managed settings deny it'),
    ]);
  });

  test('a bad value costs only itself and is named with file, line and field', async () => {
    home.put(
      USER,
      `{ "sandbox": {
  "enabled": "yes",
  "excludedCommands": "docker",
  "filesystem": { "denyWrite": ["ok", 3, ""], "allowWrite": ["a/*"] },
  "network": { "allowedDomains": ["ok.example", "http://x.example/", "*.com", "a b"], "deniedDomains": ["bad.example"] }
} }`,
    );
    const { sandbox, problems } = await home.load(true);
    expect(sandbox).toMatchObject({
      enabled: false,
      denyWrite: [join(home.configDir, 'ok')],
      allowWrite: [],
      allowedDomains: ['ok.example'],
      deniedDomains: ['bad.example'],
    });
    expect(problems.map(({ line, field }) => [line, field])).toEqual([
      [2, 'sandbox.enabled'],
      [3, 'sandbox.excludedCommands'],
      [4, 'sandbox.filesystem.denyWrite'],
      [5, 'sandbox.network.allowedDomains'],
      [undefined, 'sandbox.filesystem.allowWrite'],
    ]);
  });

  test('a denial that is no list counts as a list of one, and is told', async () => {
    const denied = { filesystem: { denyRead: '/x' }, network: { deniedDomains: 'a.example' } };
    home.put(USER, { sandbox: denied });
    const { sandbox, problems, rules } = await home.load(true);
    expect(sandbox).toMatchObject({ denyRead: ['/x'], deniedDomains: ['a.example'] });
    expect(rules).toEqual([]);
    const words = 'a list of texts is expected; this text counts as a list of one.';
    expect(problems.map(({ field, message }) => [field, message])).toEqual([
      ['sandbox.filesystem.denyRead', expect.stringContaining(words)],
      ['sandbox.network.deniedDomains', expect.stringContaining(words)],
    ]);
  });
});

test.each<[string, boolean]>([
  ['example.com', true],
  ['EXAMPLE.com', true],
  ['localhost', true],
  ['*.example.com', true],
  ['*.example.com:443', true],
  ['10.0.0.1:8080', true],
  ['[::1]:3000', true],
  ['*.com', false],
  ['*', false],
  ['https://example.com', false],
  ['example.com/path', false],
  ['exa mple.com', false],
  ['a..b', false],
  ['::1', false],
  ['example.com:0', false],
  ['', false],
])('%j as a host: %s', (text, expected) => expect(isHostPattern(text)).toBe(expected));
describe('what a folder says of the sandbox', () => {
  test('withholds keys, of every file, and cannot read them again', async () => {
    home.put(USER, {
      sandbox: {
        credentials: {
          files: [{ path: '~/.netrc', mode: 'deny' }],
          envVars: [{ name: 'NPM_TOKEN', mode: 'deny' }],
        },
      },
    });
    home.put(PROJECT, {
      sandbox: {
        filesystem: { allowRead: ['~/.netrc', 'other'] },
        credentials: { envVars: [{ name: 'OWN_TOKEN', mode: 'deny' }] },
      },
    });
    const { sandbox, problems } = await home.load(true);
    expect(sandbox).toMatchObject({
      credentialFiles: [join(home.home, '.netrc')],
      credentialVariables: ['OWN_TOKEN', 'NPM_TOKEN'],
      allowRead: [join(home.project, 'other')],
    });
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('is not used: managed settings deny it, or it holds keys.'),
    ]);
  });

  test('takes walls between files down where the user says so, unless managed settings have some', async () => {
    const disabled = { sandbox: { filesystem: { disabled: true } } };
    home.put(USER, disabled);
    // A folder cannot have commands run unasked then.
    home.put(PROJECT, { sandbox: { autoAllowBashIfSandboxed: true } });
    const load = async () => (await home.load(true)).sandbox;
    expect(await load()).toMatchObject({ withoutFileWalls: true, autoAllow: false });
    home.put(USER, { sandbox: { ...disabled.sandbox, autoAllowBashIfSandboxed: true } });
    expect(await load()).toMatchObject({ withoutFileWalls: true, autoAllow: true });
    home.put(PROJECT, { sandbox: { filesystem: { disabled: false } } });
    expect(await load()).toMatchObject({ withoutFileWalls: false });
    home.put(PROJECT, {});
    for (const sandbox of [
      { filesystem: { denyRead: ['/x'] } },
      { filesystem: { disabled: false } },
      { credentials: { files: [{ path: '/x', mode: 'deny' }] } },
    ]) {
      home.put(MANAGED, { sandbox });
      expect(await load()).toMatchObject({ withoutFileWalls: false });
    }
    home.put(MANAGED, { sandbox: { filesystem: { disabled: true, denyRead: ['/x'] } } });
    expect(await load()).toMatchObject({ withoutFileWalls: true });
  });

  test('takes no wall down, and names no program that walls are made of', async () => {
    const loose = {
      ...{ allowNestedUserNamespaces: true, bwrapPath: '/tmp/bwrap', socatPath: 'socat' },
      filesystem: { disabled: true },
    };
    home.put(PROJECT, { sandbox: loose });
    const first = await home.load(true);
    expect(first.sandbox).toMatchObject({ nestedNamespaces: false, programs: {}, autoAllow: true });
    const told = first.problems.map(({ message }) => message).join('\n');
    expect(told).toContain('allowNestedUserNamespaces is not used: a folder cannot allow it.');
    expect(told).toContain('bwrapPath is not used: a folder cannot name it.');
    expect(told).toContain('socatPath: the absolute path of a program is expected.');
    expect(told).toContain('filesystem.disabled is not used: a folder cannot allow it.');
    home.put(USER, { sandbox: { ...loose, socatPath: '/opt/socat' } });
    home.put(PROJECT, {});
    const own = await home.load(true);
    // With such namespaces walls can be got around, so that somebody is asked.
    expect(own.sandbox).toMatchObject({ nestedNamespaces: true, autoAllow: false });
    expect(own.sandbox?.programs).toEqual({ bwrap: '/tmp/bwrap', socat: '/opt/socat' });
    home.put(PROJECT, { sandbox: { allowNestedUserNamespaces: false } });
    expect((await home.load(true)).sandbox).toMatchObject({ nestedNamespaces: false });
  });

  test('lets commands send Apple events only where the user says so, and asks then', async () => {
    const loose = { sandbox: { allowAppleEvents: true } };
    home.put(PROJECT, loose);
    const first = await home.load(true);
    expect(first.sandbox).toMatchObject({ appleEvents: false, autoAllow: true });
    expect(first.problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('allowAppleEvents is not used: a folder cannot allow it.'),
    ]);
    home.put(PROJECT, {});
    home.put(USER, loose);
    // By such events a command can start programs outside.
    expect((await home.load(true)).sandbox).toMatchObject({ appleEvents: true, autoAllow: false });
    home.put(PROJECT, { sandbox: { allowAppleEvents: false } });
    expect((await home.load(true)).sandbox).toMatchObject({ appleEvents: false, autoAllow: true });
  });

  test('goes by the proxies and the ripgrep that the user names, and that no folder does', async () => {
    const ripgrep = { command: '/opt/rg', args: ['--no-config'] };
    const ports = (http: unknown, more: object = {}) => ({
      sandbox: { ripgrep, network: { httpProxyPort: http, ...more } },
    });
    home.put(PROJECT, ports(1));
    const first = await home.load(true);
    expect(first.sandbox).toMatchObject({ proxyPorts: {}, programs: {} });
    const told = first.problems.map(({ message }) => message).join('\n');
    expect(told).toContain('sandbox.ripgrep is not used: a folder cannot name it.');
    expect(told).toContain('network.httpProxyPort is not used: a folder cannot name it.');
    home.put(PROJECT, {});
    home.put(USER, ports(8080, { socksProxyPort: 1080 }));
    expect((await home.load(true)).sandbox).toMatchObject({
      ...{ proxyPorts: { http: 8080, socks: 1080 }, programs: { ripgrep } },
    });
    home.put(USER, { sandbox: { ripgrep: { command: 'rg' }, network: { httpProxyPort: 0 } } });
    const wrong = await home.load(true);
    expect(wrong.sandbox).toMatchObject({ proxyPorts: {}, programs: {} });
    expect(wrong.problems).toHaveLength(2);
    // A proxy of the user would not ask the managed list.
    home.put(USER, ports(8080));
    home.put(MANAGED, { sandbox: { network: { deniedDomains: ['bad.example'] } } });
    expect((await home.load(true)).sandbox).toMatchObject({ proxyPorts: {} });
    home.put(MANAGED, ports(9, { deniedDomains: ['bad.example'] }));
    expect((await home.load(true)).sandbox).toMatchObject({ proxyPorts: { http: 9 } });
  });

  test('lets no host in where the own settings are strict, nor anybody where the managed ones decide', async () => {
    const domains = (host: string, more: object = {}) => ({
      sandbox: { network: { allowedDomains: [host], ...more } },
    });
    home.put(USER, domains('user.example', { strictAllowlist: true }));
    home.put(PROJECT, domains('project.example', { allowManagedDomainsOnly: true }));
    const strict = await home.load(true);
    expect(strict.sandbox).toMatchObject({
      strictAllowlist: true,
      allowedDomains: ['user.example'],
    });
    expect(strict.problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('it counts in managed settings'),
    ]);
    home.put(MANAGED, domains('managed.example', { allowManagedDomainsOnly: true }));
    const managed = await home.load(true);
    expect(managed.sandbox).toMatchObject({
      strictAllowlist: true,
      allowedDomains: ['managed.example'],
    });
  });

  test('reads nothing again where only the managed file may say so', async () => {
    home.put(USER, { sandbox: { filesystem: { denyRead: ['/a'], allowRead: ['/a/b'] } } });
    const managed = { allowManagedReadPathsOnly: true, allowRead: ['/a/c'] };
    home.put(MANAGED, { sandbox: { filesystem: managed } });
    expect((await home.load(true)).sandbox).toMatchObject({
      denyRead: ['/a'],
      allowRead: ['/a/c'],
    });
  });

  test('joins what is not to be told', async () => {
    home.put(USER, { sandbox: { ignoreViolations: { '*': ['/var/x'], make: ['/y'] } } });
    home.put(PROJECT, { sandbox: { ignoreViolations: { '*': ['/z'], bad: 3 } } });
    const { sandbox, problems } = await home.load(true);
    expect(sandbox?.ignoreViolations).toEqual({ '*': ['/z', '/var/x'], make: ['/y'], bad: [] });
    expect(problems).toHaveLength(1);
  });
});
