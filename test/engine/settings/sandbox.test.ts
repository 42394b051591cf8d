import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isHostPattern } from '../../../src/main/engine/settings/sandbox';
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
