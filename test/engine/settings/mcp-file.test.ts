import { describe, expect, it } from 'vitest';
import {
  serverPlace,
  withNewServer,
  withoutServer,
} from '../../../src/main/engine/settings/mcp-file';
import { shownServer } from '../../../src/main/engine/settings/shown-server';

const AT = { project: '/home/ann/p', configDir: '/home/ann/.claude', home: '/home/ann' };
const local = serverPlace('local', AT);
const user = serverPlace('user', AT);
const server = { command: 'run' };
const value = (done: ReturnType<typeof withNewServer>) => (done.ok ? done.value : done.error);

describe('the file of a server', () => {
  it('is the one of the ecosystem for each scope', () => {
    expect(serverPlace('project', AT).file).toBe('/home/ann/p/.mcp.json');
    expect(user).toMatchObject({ file: '/home/ann/.claude.json', keys: ['mcpServers'] });
    expect(local.keys).toEqual(['projects', '/home/ann/p', 'mcpServers']);
    expect(serverPlace('user', { ...AT, configDir: '/etc/cc' }).file).toBe('/etc/cc/.claude.json');
  });

  it('keeps everything else when one is added and taken out again', () => {
    const before =
      '\uFEFF{\n\t// mine\n\t"history": [1, 2],\n\t"projects": {\n\t\t"/other": {"a": 1}\n\t}\n}\n';
    const added = value(withNewServer(before, local, 'x', server)) as string;
    expect(added).toContain('// mine\n\t"history": [1, 2]');
    expect(JSON.parse(added.replace('// mine', '').slice(1))).toEqual({
      history: [1, 2],
      projects: { '/other': { a: 1 }, '/home/ann/p': { mcpServers: { x: server } } },
    });
    const removed = value(withoutServer(added, local, 'x')) as string;
    expect(JSON.parse(removed.replace('// mine', '').slice(1))).toEqual({
      history: [1, 2],
      projects: { '/other': { a: 1 }, '/home/ann/p': { mcpServers: {} } },
    });
    expect(removed).toContain('// mine\n\t"history": [1, 2]');
  });

  it('may be empty or missing', () => {
    expect(JSON.parse(value(withNewServer('', user, 'x', server)) as string)).toEqual({
      mcpServers: { x: server },
    });
  });

  it.each([
    ['a name that is taken', '{"mcpServers":{"x":{}}}', /^There is a server "x" in .* already\./],
    ['a list of servers', '{"mcpServers":[]}', /mcpServers should be an object/],
    ['servers twice', '{"mcpServers":{},\n"mcpServers":{}}', /mcpServers is there twice/],
    ['no JSON', '{"mcpServers":', /cannot be understood \(line 1/],
  ])('is left alone for %s', (_, text, message) => {
    expect(value(withNewServer(text, user, 'x', server))).toMatchObject({
      message: expect.stringMatching(message),
    });
  });

  it('has no server of that name', () => {
    expect(value(withoutServer('{}', local, 'x'))).toMatchObject({ code: 'no_server' });
    expect(value(withoutServer('{"mcpServers":{"y":{}}}', user, 'x'))).toMatchObject({
      message: 'There is no server "x" in /home/ann/.claude.json.',
    });
  });
});

describe('a server as it is shown', () => {
  it.each<[string, unknown, object]>([
    [
      'its command',
      { command: 'npx', args: ['-y', 'a b'], env: { K: 's3cret' } },
      { type: 'stdio', target: 'npx -y "a b"', sets: ['K'], sends: [] },
    ],
    [
      'its address',
      {
        type: 'http',
        url: 'https://u:s3cret@a.example/s?k=s3cret#s3cret',
        headers: { A: 's3cret' },
      },
      { type: 'http', target: 'https://…@a.example/s?k=…', sends: ['A'] },
    ],
    [
      'flags that tell',
      {
        command: 'x',
        args: ['--api-key', 's3cret', '--token=s3cret', 'PASSWORD=s3cret', '--n', '1'],
      },
      { target: 'x --api-key … --token=… PASSWORD=… --n 1' },
    ],
    [
      'a key wherever it is',
      { command: 'x', args: ['sk-s3crets3crets3crets3cret'] },
      { target: 'x …' },
    ],
    ['no server', null, { type: 'stdio', target: '', sets: [], sends: [] }],
  ])('says %s, and no secret', (_, given, shown) => {
    expect(shownServer(given)).toMatchObject(shown);
    expect(JSON.stringify(shownServer(given))).not.toContain('s3cret');
  });
});
