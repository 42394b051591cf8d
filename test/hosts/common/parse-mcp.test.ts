import { expect, test } from 'vitest';
import { parseCommandLine } from '../../../src/main/hosts/common/command-line/parse';

const parse = (...words: string[]) => parseCommandLine(['mcp', ...words], '/p');
const stdio = (command: string, args: readonly string[] = [], env = {}) => ({
  type: 'stdio',
  command,
  args,
  env,
});
const add = (server: object, scope = 'local', name = 'x') => ({ kind: 'add', name, scope, server });

test.each<[string, string[], object]>([
  ['a command', ['add', 'x', 'npx', '-y', 'srv'], add(stdio('npx', ['-y', 'srv']))],
  ['a command behind two dashes', ['add', 'x', '--', 'npx', '-s'], add(stdio('npx', ['-s']))],
  [
    'variables, several behind one flag',
    ['add', '-e', 'A=1', 'B=a=b', '--scope', 'user', 'x', 'run'],
    add(stdio('run', [], { A: '1', B: 'a=b' }), 'user'),
  ],
  [
    'an address with headers behind it',
    ['add', '-t', 'http', 'x', 'https://a.example/mcp', '-H', 'X-Key: a b', '--scope=project'],
    add({ type: 'http', url: 'https://a.example/mcp', headers: { 'X-Key': 'a b' } }, 'project'),
  ],
  [
    'a web socket',
    ['add', '--transport=ws', 'x', 'wss://a.example'],
    add({ type: 'ws', url: 'wss://a.example' }),
  ],
  ['JSON', ['add-json', 'x', '{"command":"a"}', '-s', 'user'], add({ command: 'a' }, 'user')],
  ['the list', ['list'], { kind: 'list' }],
  ['one', ['get', 'x'], { kind: 'get', name: 'x' }],
  ['a removal', ['remove', 'x'], { kind: 'remove', name: 'x' }],
  ['a removal of a scope', ['remove', '-s', 'local', 'x'], { kind: 'remove', scope: 'local' }],
])('lathe mcp takes %s', (_, words, act) => {
  expect(parse(...words)).toMatchObject({ ok: true, value: { kind: 'mcp', folder: '/p', act } });
});

test('the folder and trust of lathe mcp can be said; behind a command they are its own', () => {
  expect(parse('list', '--cwd', 'sub', '--trust')).toMatchObject({
    value: { folder: '/p/sub', trust: true },
  });
  expect(parse('add', 'x', 'run', '--trust')).toMatchObject({
    value: { trust: false, act: { server: { args: ['--trust'] } } },
  });
});

test.each<[string, string[], RegExp]>([
  ['no verb', [], /^Not one of: lathe mcp add/],
  ['another verb', ['start', 'x'], /^Not one of: lathe mcp add/],
  ['no name', ['get'], /^Not one of/],
  ['two names', ['get', 'x', 'y'], /^One server at a time, but got: x, y$/],
  ['an unknown flag', ['add', '--verbose', 'x', 'y'], /^Unknown flag --verbose of lathe mcp\.$/],
  ['a bad name', ['add', 'a b', 'run'], /^"a b" cannot name a server: letters, digits/],
  ['a name of the language', ['add', '__proto__', 'run'], /^"__proto__" cannot name a server/],
  ['no command', ['add', 'x'], /^What is "x"\? A command or an address is missing\.$/],
  [
    'a bad scope',
    ['list', '--scope', 'all'],
    /^--scope must be one of local, project, user, not "all"\.$/,
  ],
  [
    'a bad transport',
    ['add', '-t', 'tcp', 'x', 'y'],
    /^--transport must be one of .* not "tcp"\.$/,
  ],
  ['an address without transport', ['add', 'x', 'https://a'], /^"https:\/\/a" is an address, and/],
  ['no address', ['add', '-t', 'http', 'x', 'run'], /^"run" is no address with http or https\.$/],
  ['the wrong scheme', ['add', '-t', 'ws', 'x', 'https://a'], /is no address with ws or wss\.$/],
  [
    'a password in an address',
    ['add', '-t', 'http', 'x', 'https://u:s3cret@a/b'],
    /^"https:\/\/…@a\/b" holds a user or a password, with which no server is reached\.$/,
  ],
  [
    'arguments of an address',
    ['add', '-t', 'http', 'x', 'https://a', 'b'],
    /has no arguments, but got: b$/,
  ],
  [
    'a header of a command',
    ['add', '-H', 'A: b', 'x', 'run'],
    /^--header is for servers at an address/,
  ],
  [
    'a variable of an address',
    ['add', '-t', 'sse', '-e', 'A=b', 'x', 'https://a'],
    /^--env is for servers that are started/,
  ],
  [
    'a bad variable',
    ['add', '-e', '=s3cret', 'x', 'run'],
    /^--env must be NAME=VALUE; number 1 is not\.$/,
  ],
  [
    'a bad header',
    ['add', '-t', 'http', '-H', 's3cret', 'x', 'https://a'],
    /^--header must be "Name: value"; number 1 is not\.$/,
  ],
  ['no value', ['add', '--env'], /^--env needs a value\.$/],
  [
    'a flag that means nothing here',
    ['list', '--env', 'A=b'],
    /^--env belongs to lathe mcp add only\.$/,
  ],
  [
    'JSON that is none',
    ['add-json', 'x', 's3cret{'],
    /^That is no JSON object: nothing was added as "x"\.$/,
  ],
  ['a list as JSON', ['add-json', 'x', '[]'], /^That is no JSON object/],
  [
    'an address that tells a secret',
    ['add', 'x', 'https://u:s3cret@a/?k=s3cret'],
    /^"https:\/\/…@a\/\?k=…" is an address/,
  ],
])('lathe mcp refuses %s, and shows no secret', (_, words, message) => {
  const parsed = parse(...words);
  expect(parsed).toMatchObject({ ok: false, error: { message: expect.stringMatching(message) } });
  expect(JSON.stringify(parsed)).not.toContain('s3cret');
});
