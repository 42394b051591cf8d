import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createHome, type Home } from './support';

let home: Home;
beforeEach(() => {
  home = createHome();
});
afterEach(() => home.remove());

const USER = '.claude/settings.json';
const PROJECT = 'proj/.claude/settings.json';
const LOCAL = 'proj/.claude/settings.local.json';
const MANAGED = 'etc/managed-settings.json';

/** A `sandbox` that opens connections, allows hosts and has entries for variables. */
const opened = (envVars: readonly object[], allowedDomains: readonly string[], network = {}) => ({
  sandbox: { network: { tlsTerminate: {}, allowedDomains, ...network }, credentials: { envVars } },
});
const mask = (...injectHosts: readonly string[]) => ({ name: 'T', mode: 'mask', injectHosts });
const MASK = { name: 'T', mode: 'mask' };
const DENY = { name: 'T', mode: 'deny' };

interface Case {
  readonly files: Readonly<Record<string, object>>;
  /** Where the value goes; null when it is withheld. */
  readonly hosts: readonly string[] | null;
  readonly told: readonly string[];
}

describe('a masked variable', () => {
  test.each<[string, Case]>([
    [
      'goes to its hosts within those that are allowed',
      {
        files: {
          [USER]: opened([mask('api.a.example', 'b.example')], ['*.a.example', 'b.example']),
        },
        hosts: ['api.a.example', 'b.example'],
        told: [],
      },
    ],
    [
      'goes to all allowed hosts when it names none, without those of one port',
      {
        files: { [USER]: opened([MASK], ['a.example', 'b.example:443']) },
        hosts: ['a.example'],
        told: [],
      },
    ],
    [
      'goes to no host that is not allowed, and a pattern has to lie within',
      {
        files: {
          [USER]: opened(
            [mask('a.example', '*.b.example', 'c.example')],
            ['A.example', 'x.b.example', '*.c.example', 'xa.example'],
          ),
        },
        hosts: ['a.example'],
        told: ['“T” does not go to *.b.example', '“T” does not go to c.example'],
      },
    ],
    [
      'is withheld where no host is left',
      {
        files: { [USER]: opened([mask('b.example')], ['a.example']) },
        hosts: null,
        told: ['“T” does not go to b.example', '“T” is withheld: there is no host'],
      },
    ],
    [
      'is withheld where its hosts are said wrongly',
      {
        files: { [USER]: opened([mask('a.example:443', 'https://a.example')], ['a.example']) },
        hosts: null,
        told: [
          'a host without a port',
          'a host without a port',
          '“T” is withheld: there is no host',
        ],
      },
    ],
    [
      'is withheld where connections stay closed',
      {
        files: { [USER]: opened([MASK], ['a.example'], { tlsTerminate: undefined }) },
        hosts: null,
        told: ['“T” is withheld: masking needs sandbox.network.tlsTerminate'],
      },
    ],
    [
      'is withheld where proxies of the user judge',
      {
        files: { [USER]: opened([MASK], ['a.example'], { httpProxyPort: 8080 }) },
        hosts: null,
        told: ['“T” is withheld: proxies of yours'],
      },
    ],
    [
      'is withheld where anybody denies it, a folder too',
      {
        files: {
          [USER]: opened([mask('a.example')], ['a.example']),
          [PROJECT]: { sandbox: { credentials: { envVars: [DENY] } } },
        },
        hosts: null,
        told: [],
      },
    ],
    [
      'is withheld where a folder masks it, whatever hosts that names',
      {
        files: {
          [USER]: opened([mask('a.example')], ['a.example']),
          [LOCAL]: { sandbox: { credentials: { envVars: [mask('evil.example')] } } },
        },
        hosts: null,
        told: ['“T” is withheld: a folder cannot say where a key goes'],
      },
    ],
    [
      'goes nowhere that only a folder allows',
      {
        files: {
          [USER]: opened([mask('a.example', 'evil.example')], ['a.example']),
          [PROJECT]: {
            sandbox: { network: { allowedDomains: ['evil.example', '*.example.org'] } },
          },
        },
        hosts: ['a.example'],
        told: ['“T” does not go to evil.example'],
      },
    ],
    [
      'without hosts of its own takes none of a folder',
      {
        files: {
          [USER]: opened([MASK], ['a.example']),
          [PROJECT]: { sandbox: { network: { allowedDomains: ['evil.example'] } } },
        },
        hosts: ['a.example'],
        told: [],
      },
    ],
    [
      'is withheld where a folder alone opens connections',
      {
        files: {
          [USER]: opened([MASK], ['a.example'], { tlsTerminate: undefined }),
          [PROJECT]: { sandbox: { network: { tlsTerminate: {} } } },
        },
        hosts: null,
        told: ['a folder cannot open connections', '“T” is withheld: masking needs'],
      },
    ],
    [
      'goes where the strongest file says that masks it',
      {
        files: {
          [MANAGED]: opened([mask('a.example')], ['a.example']),
          [USER]: opened([mask('b.example')], ['b.example']),
        },
        hosts: ['a.example'],
        told: [],
      },
    ],
    [
      'goes only to hosts of managed settings where these alone count',
      {
        files: {
          [MANAGED]: {
            sandbox: { network: { allowManagedDomainsOnly: true, allowedDomains: ['a.example'] } },
          },
          [USER]: opened([MASK], ['b.example']),
        },
        hosts: ['a.example'],
        told: [],
      },
    ],
  ])('%s', async (_name, { files, hosts, told }) => {
    for (const [file, content] of Object.entries(files)) home.put(file, content);
    const { sandbox, problems } = await home.load(true);
    expect(sandbox).toMatchObject({
      maskedVariables: hosts === null ? [] : [{ name: 'T', hosts }],
      credentialVariables: hosts === null ? ['T'] : [],
    });
    expect(problems.map(({ message }) => message)).toEqual(
      told.map((text) => expect.stringContaining(text)),
    );
  });
});

test.each<[unknown, object | null, number]>([
  [{}, {}, 0],
  [{ caCertPath: '/c.pem', caKeyPath: 'k.pem' }, { caCertPath: '/c.pem', caKeyPath: 'k.pem' }, 0],
  [{ caCertPath: '/c.pem' }, null, 1],
  [{ caCertPath: 1, caKeyPath: 2 }, null, 1],
  [true, null, 1],
])('opens encrypted connections as %j says', async (tlsTerminate, expected, count) => {
  home.put(USER, { sandbox: { network: { tlsTerminate } } });
  const { sandbox, problems } = await home.load(true);
  const resolved = expected && 'caKeyPath' in expected;
  expect(sandbox?.tlsTerminate).toEqual(
    resolved ? { ...expected, caKeyPath: join(home.configDir, 'k.pem') } : expected,
  );
  expect(problems).toHaveLength(count);
});

describe('keys in settings', () => {
  test('withholds keys whose masks are said wrongly, and tells', async () => {
    const url = (rest: object) => ({ name: 'URL', mode: 'mask', ...rest });
    const wrong = [
      ...[
        { extract: '(' },
        { extract: 'a+' },
        { extract: 7 },
        { extract: `(${'x'.repeat(1000)})` },
      ],
      ...[{ decode: 'xml' }, { decode: 'jwt', extract: '(x)' }, { maskClaims: ['sub'] }],
      ...[
        { decode: 'jwt', maskClaims: [] },
        { extract: '(x)', onExtractNoMatch: 'leak' },
        { injectHost: ['a.example'] },
      ],
    ];
    home.put(USER, {
      sandbox: {
        network: { tlsTerminate: {}, allowedDomains: ['a.example'] },
        credentials: {
          files: [{ path: '~/key', mode: 'mask', extract: 'none' }, { mode: 'deny' }],
          envVars: [{ name: 'TOKEN' }, ...wrong.map(url), { name: 'A B', mode: 'deny' }, 'X'],
          ...{ awsPairs: [{ accessKeyIdVar: 'ID' }], sigv4: { presigned: 'maybe', odd: 'deny' } },
          ...{ allowPlaintextInject: 'yes', stray: 1 },
        },
      },
    });
    const { sandbox, problems } = await home.load(true);
    expect(sandbox).toMatchObject({
      credentialFiles: [join(home.home, 'key')],
      credentialVariables: ['TOKEN', 'URL'],
      ...{ maskedVariables: [], maskedFiles: [], awsPairs: [], sigv4: {}, plaintextInject: false },
    });
    const told = problems.map(({ message }) => message.replace(/^.*?sandbox\./, ''));
    const withheld = 'credentials.envVars: “URL” is withheld';
    expect(told).toEqual([
      expect.stringContaining('credentials.files: “~/key” is withheld: "extract" is no pattern'),
      'credentials.files: an object with "path" is expected.',
      expect.stringContaining('credentials.envVars: “TOKEN” is withheld'),
      ...wrong.map(() => expect.stringContaining(withheld)),
      'credentials.envVars: an object with "name" is expected.',
      'credentials.envVars: an object with "name" is expected.',
      expect.stringContaining('credentials.awsPairs: an object with "accessKeyIdVar"'),
      expect.stringContaining('credentials.sigv4.presigned: "deny" or "passthrough"'),
      expect.stringContaining('credentials.sigv4.odd: there is no such field'),
      expect.stringContaining('credentials.allowPlaintextInject: true or false'),
      expect.stringContaining('stray'),
    ]);
  });

  test('masks files and parts of keys, and signs with keys that go nowhere', async () => {
    const pair = { accessKeyIdVar: 'ID', secretAccessKeyVar: 'KEY' };
    const credentials = {
      files: [
        ...[
          { path: '~/whole', mode: 'mask' },
          { path: '/d', mode: 'deny' },
        ],
        ...[{ path: 'part', mode: 'mask', extract: '(x)', maskDuplicates: true }],
      ],
      envVars: [
        ...[{ name: 'JWT', mode: 'mask', decode: 'jwt', maskClaims: ['sub'] }],
        ...[{ name: 'URL', mode: 'mask', extract: ':(.*)@', onExtractNoMatch: 'error' }],
        ...[
          { name: 'ID', mode: 'mask' },
          { name: 'KEY', mode: 'mask' },
        ],
      ],
      ...{ awsPairs: [pair], sigv4: { streaming: 'passthrough' }, allowPlaintextInject: true },
    };
    const own = { sandbox: { network: { allowedDomains: ['a.example'] }, credentials } };
    home.put(USER, own);
    const hosts = ['a.example'];
    const { sandbox, problems } = await home.load(true);
    expect(problems).toEqual([]);
    expect(sandbox).toMatchObject({
      credentialFiles: ['/d'],
      maskedFiles: [
        { name: join(home.home, 'whole'), hosts },
        {
          ...{ name: join(home.configDir, 'part'), hosts },
          shape: { extract: '(x)', duplicates: true },
        },
      ],
      maskedVariables: [
        { name: 'JWT', hosts, shape: { decode: 'jwt', claims: ['sub'] } },
        { name: 'URL', hosts, shape: { extract: ':(.*)@', failsWithout: true } },
        { name: 'ID', hosts },
        { name: 'KEY', hosts: [] },
      ],
      ...{ awsPairs: [pair], sigv4: { streaming: 'passthrough' }, plaintextInject: true },
    });
    // A folder says none of this, and what it masks is withheld.
    home.put(USER, { sandbox: { network: { allowedDomains: hosts, tlsTerminate: {} } } });
    home.put(PROJECT, own);
    const theirs = await home.load(true);
    expect(theirs.sandbox).toMatchObject({
      credentialFiles: ['/d', join(home.home, 'whole'), join(home.project, 'part')],
      credentialVariables: ['JWT', 'URL', 'ID', 'KEY'],
      ...{ maskedFiles: [], maskedVariables: [] },
      ...{ awsPairs: [], sigv4: {}, plaintextInject: false },
    });
  });
});
