import { resolve } from 'node:path';
import { err, ok, type Result } from '../../../../shared/result';
import { SERVER_SCOPES, type ServerScope } from '../../../engine/settings/mcp-file';
import { shownAddress } from '../../../engine/settings/shown-server';
import type { CommandLine, McpAct } from './command';
import { usage } from './scan';

const TRANSPORTS = ['stdio', 'http', 'sse', 'ws'] as const;
type Transport = (typeof TRANSPORTS)[number];

/** The flags of `lathe mcp`, by what stands on the line. Each takes a value. */
export const MCP_FLAGS: Readonly<Record<string, string>> = {
  '--scope': 'scope',
  '-s': 'scope',
  '--transport': 'transport',
  '-t': 'transport',
  '--env': 'env',
  '-e': 'env',
  '--header': 'header',
  '-H': 'header',
  '--cwd': 'cwd',
};

const USAGE =
  'lathe mcp add [--scope local|project|user] [--transport stdio|http|sse|ws] [--env NAME=VALUE] [--header "Name: value"] <name> <command or address> [-- arguments…]';

/** A line of `lathe mcp`: words, and the values of its flags. */
interface Line {
  readonly words: readonly string[];
  readonly values: Readonly<Record<string, readonly string[]>>;
  readonly trust: boolean;
}

/** Reads the words behind `lathe mcp`. `base` is what relative paths are relative to. */
export function parseMcp(words: readonly string[], base: string): Result<CommandLine> {
  if (words[0] === 'help') return ok(HELP);
  const line = readLine(words);
  if (!line.ok) return line;
  if (line.value === 'help') return ok(HELP);
  const act = readAct(line.value);
  if (!act.ok) return act;
  const folder = resolve(base, line.value.values['cwd']?.at(-1) ?? '.');
  return ok({ kind: 'mcp', folder, trust: line.value.trust, act: act.value });
}

const HELP: CommandLine = { kind: 'help', topic: 'mcp' };

/** `help`: that is what is asked for. */
function readLine(given: readonly string[]): Result<Line | 'help'> {
  const words: string[] = [];
  let trust = false;
  const values: Record<string, string[]> = {};
  let rest = [...given];
  while (rest.length > 0) {
    const [word = '', ...after] = rest;
    rest = after;
    if (word === '--') {
      words.push(...rest);
      break;
    }
    if (word === '--trust' && (words[0] !== 'add' || words.length < 3)) {
      trust = true;
      continue;
    }
    const equals = word.startsWith('--') ? word.indexOf('=') : -1;
    const name = equals < 0 ? word : word.slice(0, equals);
    const flag = Object.hasOwn(MCP_FLAGS, name) ? MCP_FLAGS[name] : undefined;
    if (flag === undefined) {
      // Behind the command of a server everything is its own.
      const isOurs = words.length < 3 && words[0] === 'add';
      if (/^--?[A-Za-z]/.test(word) && (isOurs || words[0] !== 'add'))
        return name === '--help' || name === '-h'
          ? ok('help')
          : err(usage(`Unknown flag ${name} of lathe mcp.`, USAGE));
      words.push(word);
      continue;
    }
    const value = equals < 0 ? rest.shift() : word.slice(equals + 1);
    if (value === undefined) return err(usage(`${name} needs a value.`, USAGE));
    values[flag] = [...(values[flag] ?? []), value];
    // Several variables may follow one flag.
    while (flag === 'env' && /^[A-Za-z_]\w*=/.test(rest[0] ?? ''))
      values[flag].push(rest.shift() ?? '');
  }
  return ok({ words, values, trust });
}

function readAct({ words, values }: Line): Result<McpAct> {
  const [verb, name, ...rest] = words;
  const scope = scopeOf(values['scope']?.at(-1));
  if (!scope.ok) return scope;
  const only = verb === 'add' ? [] : ['transport', 'env', 'header'];
  const misplaced = only.find((flag) => values[flag] !== undefined);
  if (misplaced !== undefined)
    return err(usage(`--${misplaced} belongs to lathe mcp add only.`, USAGE));
  if (verb === 'list' && name === undefined) return ok({ kind: 'list' });
  if (name === undefined || !VERBS.has(verb ?? '')) return err(usage(NOT_ONE_OF, USAGE));
  if (verb === 'add') return readAdd(name, rest, values, scope.value ?? 'local');
  if (verb === 'add-json') return readAddJson(name, rest, scope.value ?? 'local');
  if (rest.length > 0)
    return err(usage(`One server at a time, but got: ${words.slice(1).join(', ')}`, USAGE));
  if (verb === 'get' || verb === 'login' || verb === 'logout') return ok({ kind: verb, name });
  return ok({ kind: 'remove', name, ...(scope.value === null ? {} : { scope: scope.value }) });
}

const VERBS: ReadonlySet<string> = new Set(['add', 'add-json', 'get', 'remove', 'login', 'logout']);
const NOT_ONE_OF =
  'Not one of: lathe mcp add <name> <command or address>, add-json <name> <json>, list, get <name>, remove <name>, login <name>, logout <name>';

function scopeOf(text: string | undefined): Result<ServerScope | null> {
  if (text === undefined) return ok(null);
  const scope = SERVER_SCOPES.find((one) => one === text);
  return scope === undefined
    ? err(usage(`--scope must be one of ${SERVER_SCOPES.join(', ')}, not "${text}".`, USAGE))
    : ok(scope);
}

/** Returns what is wrong with the name of a new server; null when it can be used. */
const wrongName = (name: string) =>
  /^[A-Za-z0-9_-]+$/.test(name) && name !== '__proto__'
    ? null
    : usage(`"${name}" cannot name a server: letters, digits, - and _ can.`, USAGE);

function readAdd(
  name: string,
  [target, ...args]: readonly string[],
  values: Line['values'],
  scope: ServerScope,
): Result<McpAct> {
  const bad = wrongName(name);
  if (bad !== null) return err(bad);
  if (target === undefined || target === '')
    return err(usage(`What is "${name}"? A command or an address is missing.`, USAGE));
  const given = values['transport']?.at(-1);
  const transport: Transport | undefined = TRANSPORTS.find((one) => one === (given ?? 'stdio'));
  if (transport === undefined)
    return err(
      usage(`--transport must be one of ${TRANSPORTS.join(', ')}, not "${given}".`, USAGE),
    );
  const isAddress = /^(https?|wss?):\/\//i.test(target);
  if (transport === 'stdio') {
    if (isAddress && given === undefined)
      return err(
        usage(
          `"${shownAddress(target)}" is an address, and a server without --transport is a command.`,
          'Add --transport http, or sse, or ws.',
        ),
      );
    if (values['header'] !== undefined)
      return err(usage('--header is for servers at an address; a command has --env.', USAGE));
    const env = pairsOf('--env', values['env'] ?? [], /^([A-Za-z_]\w*)=(.*)$/s, 'NAME=VALUE');
    if (!env.ok) return env;
    return ok(added(scope, name, { type: 'stdio', command: target, args, env: env.value }));
  }
  if (args.length > 0)
    return err(usage(`A server at an address has no arguments, but got: ${args.join(' ')}`, USAGE));
  if (values['env'] !== undefined)
    return err(
      usage('--env is for servers that are started; one at an address has --header.', USAGE),
    );
  const scheme = transport === 'ws' ? /^wss?:$/ : /^https?:$/;
  if (!isAddress || !scheme.test(URL.parse(target)?.protocol ?? ''))
    return err(
      usage(
        `"${shownAddress(target)}" is no address with ${transport === 'ws' ? 'ws or wss' : 'http or https'}.`,
        USAGE,
      ),
    );
  const { username, password } = URL.parse(target) ?? {};
  if (username || password)
    return err(
      usage(
        `"${shownAddress(target)}" holds a user or a password, with which no server is reached.`,
        'Give them with --header "Authorization: …".',
      ),
    );
  const headers = pairsOf(
    '--header',
    values['header'] ?? [],
    /^([!#$%&'*+.^_`|~\w-]+):\s*(.*)$/s,
    '"Name: value"',
  );
  if (!headers.ok) return headers;
  const sent = Object.keys(headers.value).length === 0 ? {} : { headers: headers.value };
  return ok(added(scope, name, { type: transport, url: target, ...sent }));
}

const added = (scope: ServerScope, name: string, server: Record<string, unknown>): McpAct => ({
  kind: 'add',
  scope,
  name,
  server,
});

/** Reads pairs of a name and a value. The error shows no value: it may be secret. */
function pairsOf(
  flag: string,
  texts: readonly string[],
  form: RegExp,
  expected: string,
): Result<Record<string, string>> {
  const pairs: [string, string][] = [];
  for (const [index, text] of texts.entries()) {
    const [, name, value] = form.exec(text) ?? [];
    if (name === undefined || value === undefined)
      return err(usage(`${flag} must be ${expected}; number ${index + 1} is not.`, USAGE));
    pairs.push([name, value]);
  }
  return ok(Object.fromEntries(pairs));
}

function readAddJson(name: string, rest: readonly string[], scope: ServerScope): Result<McpAct> {
  const bad = wrongName(name);
  if (bad !== null) return err(bad);
  const [text, ...more] = rest;
  if (text === undefined || more.length > 0)
    return err(usage('lathe mcp add-json takes a name and one JSON object, in quotes.', ADD_JSON));
  const server = parseObject(text);
  return server === null
    ? err(usage(`That is no JSON object: nothing was added as "${name}".`, ADD_JSON))
    : ok(added(scope, name, server));
}

const ADD_JSON = `lathe mcp add-json weather '{"command":"npx","args":["-y","weather"]}'`;

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? { ...value }
      : null;
  } catch {
    return null;
  }
}
