import { type Content, notUtf8, type Repository, type Row, utf16 } from './repository';

/** What a server of each name is in the file, and what is told of it; '' for one that is tried. */
const SERVERS: readonly (readonly [of: string, name: string, value: string, told: string])[] = [
  ['a number', 'number', '5', 'number: an object with "command", or with "type" and "url"'],
  ['null', 'nothing', 'null', 'nothing: an object with "command", or with "type" and "url"'],
  ['no command', 'bare', '{}', 'bare.command: a command in quotes is expected'],
  ['an empty command', 'blank', '{"command": ""}', 'blank.command: a command in quotes'],
  ['a list for a command', 'list', '{"command": ["a"]}', 'list.command: a command in quotes'],
  ['a text for arguments', 'args', '{"command": "a", "args": "b"}', 'args.args: a list of texts'],
  ['numbers for arguments', 'nums', '{"command": "a", "args": [1]}', 'nums.args: a list of texts'],
  ['a list of variables', 'env', '{"command": "a", "env": []}', 'env.env: an object of names'],
  ['an address alone', 'url', '{"url": "http://127.0.0.1:1/"}', 'url.type: one of "stdio", "http"'],
  ['a type that is none', 'type', '{"type": "pigeon", "url": "x"}', 'type.type: one of "stdio"'],
  ['no address', 'http', '{"type": "http"}', 'http.url: an address in quotes'],
  ['a bad address', 'bad', '{"type": "http", "url": "::"}', 'bad.url: an address that begins with'],
  ['a file', 'file', '{"type": "http", "url": "file:///etc/passwd"}', 'file.url: an address that'],
  [
    'numbers for headers',
    'head',
    '{"type": "http", "url": "http://127.0.0.1:1/", "headers": {"a": 5}}',
    'head.headers: an object of names and texts',
  ],
  [
    'a name from every object',
    '__proto__',
    '{"command": "a"}',
    '__proto__: this name cannot be used',
  ],
  ['no name', '', '{"command": "a"}', '"": this name cannot be used'],
  ['a field that is near to one', 'near', '{"comand": "a"}', 'near.comand: there is no such'],
];
const LINES = SERVERS.map(([, name, value]) => `  ${JSON.stringify(name)}: ${value}`);

const whole = (of: string, content: Content, told: Row['told']): Repository => ({
  name: `servers: ${of}`,
  rows: [{ of, files: { '.mcp.json': content }, ...(told ? { told } : {}) }],
});

/** Tool servers in `.mcp.json`, each beside one that works. */
export const SERVER_FILES: readonly Repository[] = [
  {
    name: 'servers',
    files: { '.mcp.json': `{"mcpServers": {\n${LINES.join(',\n')}\n}}` },
    rows: [
      ...SERVERS.map(([of, , , told], at) => ({
        of,
        told: [`./.mcp.json, line ${at + 2}: mcpServers.${told}`],
      })),
      {
        of: 'the field that is missing then',
        told: ['mcpServers.near.command: a command in quotes'],
      },
    ],
  },
  whole('an empty object', '{}', undefined),
  whole('a list of servers', '{"mcpServers": []}', [
    './.mcp.json, line 1: mcpServers: an object of servers is expected',
  ]),
  whole('a list', '[]', ['./.mcp.json, line 1: an object "mcpServers" is expected']),
  whole('JSON without an end', '{\n', ['./.mcp.json, line 2: a closing } is expected here']),
  whole('nothing', '', ['./.mcp.json, line 1: the file is empty']),
  whole('bytes that are no text', notUtf8('{"a": "¿"}'), [
    './.mcp.json, line 1: this is not UTF-8 text',
  ]),
  whole('UTF-16', utf16('{"mcpServers": 5}'), [
    './.mcp.json, line 1: mcpServers: an object of servers is expected',
  ]),
  whole('brackets without end', '['.repeat(20_000), [
    './.mcp.json, line 1: it is nested more than 200 deep',
  ]),
  whole('a pipe', { pipe: true }, ['./.mcp.json: ./.mcp.json is a device, a pipe or a socket']),
  whole('a link to itself', { link: '.mcp.json' }, ['./.mcp.json: The links in ./.mcp.json']),
  whole('a file over its size', { begins: '{}', bytes: 2 ** 30 }, [
    './.mcp.json: ./.mcp.json has a size of more than 8388608 bytes',
  ]),
];
