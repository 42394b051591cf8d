import { createHash } from 'node:crypto';
import path from 'node:path';
import { z } from 'zod';
import type { RuleSource } from '../../../shared/permission';
import type { SettingsProblem } from '../../../shared/settings';
import { jsonOddities } from './json-oddities';
import {
  decodeText,
  type JsonTree,
  type Property,
  plainValue,
  propertiesOf,
  readJson,
} from './json-text';
import { remarkProblems, unknownAmong, unknownServerKeys } from './known-keys';
import { EMPTY, emptyLayer, type SettingsLayer, withProblem } from './read';
import { EVERY_NAME } from './schema';
import { toolPoliciesIn } from './tool-policies';

/** The place that a tool server is defined in, as programs are told: `sdk` is inside the program, `dynamic` given for a run. */
export type ServerOrigin =
  | 'sdk'
  | 'plugin'
  | 'managed'
  | 'user'
  | 'project'
  | 'local'
  | 'agent'
  | 'dynamic';

/** A tool server to start, as it was written; variables in it are filled in when it starts. */
export interface McpServerSetting {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Its tools are offered all the time; else the model has to look for them. */
  readonly alwaysLoad: boolean;
  /** The time that each call of its tools has. Absent: as long as it takes. Milliseconds. */
  readonly timeout?: number;
  /** It runs inside the program that drives Lathe: there is no command to start. */
  readonly inside?: true;
  /** It is reached by its address: there is no command to start. */
  readonly remote?: {
    readonly type: 'http' | 'sse' | 'ws';
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    /** A command that prints more headers, as a JSON object. */
    readonly headersHelper?: string;
    /** The settings for signing in to it. */
    readonly oauth?: {
      readonly clientId?: string | undefined;
      readonly callbackPort?: number | undefined;
      /** The rights to ask for, with spaces between them. */
      readonly scopes?: string | undefined;
    };
  };
  /** The file that names it, or `--mcp-config`. */
  readonly file: string;
  /** Absent: `dynamic`. */
  readonly origin?: ServerOrigin;
}

/** A server that settings name and keep from starting. */
export interface HeldServer {
  readonly setting: McpServerSetting;
  /** Nobody trusts the folder, or `disabledMcpjsonServers` names it. */
  readonly why: 'trust' | 'disabled';
}

/** No call waits longer: a week. Milliseconds. */
const MAX_TIMEOUT_MS = 7 * 24 * 60 * 60 * 1000;
const Timeout = z.number().int().min(1).max(MAX_TIMEOUT_MS).optional();

/** A server that is started as a program (docs/configuration.md). Fields that are not listed are left alone. */
const Stdio = z.object({
  type: z.literal('stdio').optional(),
  command: z.string().min(1),
  args: z.array(z.string()).optional(),
  env: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String))
    .optional(),
  alwaysLoad: z.boolean().optional(),
  timeout: Timeout,
});

/** A server inside the program that drives Lathe. */
const Inside = z.object({ type: z.literal('sdk'), timeout: Timeout.catch(undefined) });

/** A server that is reached by its address. */
const Remote = z.object({
  type: z.enum(['http', 'sse', 'ws']),
  url: z.string().min(1),
  headers: z.record(z.string(), z.string()).optional(),
  headersHelper: z.string().min(1).optional(),
  oauth: z
    .object({
      clientId: z.string().min(1).optional(),
      callbackPort: z.number().int().min(1).max(65_535).optional(),
      scopes: z.string().min(1).optional(),
    })
    .optional(),
  alwaysLoad: z.boolean().optional(),
  timeout: Timeout,
});

/**
 * Reads a file that names servers and nothing else (`.mcp.json`, `--mcp-config`) as a layer of settings. Pure; a file
 * that is not valid JSON names none.
 */
export function readMcpLayer(
  bytes: Uint8Array | string,
  source: RuleSource,
  file: string,
): SettingsLayer {
  const { text: body, oddity } = decodeText(bytes);
  const tree = readJson(body);
  const digest = createHash('sha256').update(bytes).digest('base64url');
  const layer = { ...emptyLayer(source, file), digest };
  const fail = (line: number, message: string): SettingsLayer => ({
    ...layer,
    problems: [{ file, line, message: `${file}, line ${line}: ${message}`, level: 'error' }],
  });
  if (tree.fault !== null) {
    return fail(tree.fault.line, `${tree.fault.message}. No server of it is started.`);
  }
  const notText = body.search(/[\0\uFFFD]/);
  if (notText >= 0) {
    return fail(tree.lineOf(notText), 'this is not UTF-8 text. No server of it is started.');
  }
  if (tree.root === null) return withProblem(layer, EMPTY);
  if (tree.root.type !== 'object') return fail(1, 'an object "mcpServers" is expected.');
  const servers = propertiesOf(tree.root).filter(({ name }) => name === 'mcpServers');
  const problems = remarkProblems(file, tree, [
    ...unknownAmong(propertiesOf(tree.root), MCP_FILE_KEYS, ''),
    ...servers.flatMap(({ value }) => unknownServerKeys(value)),
    ...jsonOddities(body, tree.root),
  ]);
  const read = { ...layer, problems };
  const told = oddity === null ? read : withProblem(read, oddity);
  return withServers(told, servers, tree);
}

/**
 * Returns a layer with the servers of an object, each with its line. Of several objects of that name the last counts, and what any of
 * them denies. Pure.
 */
export function withServers(
  layer: SettingsLayer,
  objects: readonly Property[],
  { lineOf }: Pick<JsonTree, 'lineOf'>,
): SettingsLayer {
  const last = objects.at(-1);
  if (last === undefined) return layer;
  const { value, at } = last;
  const { file } = layer;
  if (value.type !== 'object') {
    const line = lineOf(at);
    const message = `${file}, line ${line}: mcpServers: an object of servers is expected.`;
    return { ...layer, problems: [{ file, line, message, level: 'error' }] };
  }
  const found = propertiesOf(value);
  const mcpServers = Object.fromEntries(found.map((one) => [one.name, plainValue(one.value)]));
  const lines = Object.fromEntries([
    ['mcpServers', lineOf(at)],
    ...found.map((one) => [`mcpServers.${one.name}`, lineOf(one.at)] as const),
  ]);
  const policies = objects.flatMap((one) => toolPoliciesIn(one.value, layer.source));
  const rules = [...layer.rules, ...policies];
  return { ...layer, lines, rules, fields: { mcpServers } };
}

/** The fields of a file that names servers; `$schema` says nothing. */
const MCP_FILE_KEYS: ReadonlySet<string> = new Set(['mcpServers', '$schema']);

/** The name of the layers of `--mcp-config`. */
const COMMAND_LINE = '--mcp-config';

/** The layers that name servers, and those of the project that are switched off. */
interface ServerLayers {
  /** The layers that count, the strongest first: its server of a name is the one that is started. */
  readonly layers: readonly SettingsLayer[];
  readonly trusted: boolean;
  /** The project's `.mcp.json`. */
  readonly projectFile: string;
  /** The program that drives Lathe named the servers of the command line. */
  readonly driven: boolean;
}

/**
 * Returns the servers to start, and those that are held back: in a folder that nobody trusts only those that the program which drives Lathe
 * answers for, because what starts there may run what the folder names. What cannot be started is added to `problems`. Pure but for that.
 */
export function mcpServersOf(
  { layers, trusted, projectFile, driven }: ServerLayers,
  problems: SettingsProblem[],
): { readonly servers: readonly McpServerSetting[]; readonly held: readonly HeldServer[] } {
  const disabled = new Set(layers.flatMap(({ fields }) => fields.disabledMcpjsonServers ?? []));
  const byName = new Map<string, McpServerSetting>();
  const off = new Map<string, McpServerSetting>();
  for (const layer of layers) {
    const { fields, file, lines } = layer;
    for (const [name, value] of Object.entries(fields.mcpServers ?? {})) {
      if (byName.has(name)) continue;
      const field = `mcpServers.${name || '""'}`;
      const line = lines[`mcpServers.${name}`];
      const server = withOrigin(readServer(name, value, file), layer);
      if (file === projectFile && (disabled.has(name) || disabled.has(EVERY_NAME))) {
        if (typeof server !== 'string') off.set(name, server);
        continue;
      }
      if (typeof server !== 'string') byName.set(name, server);
      else {
        const place = line === undefined ? file : `${file}, line ${line}`;
        const message = `${place}: ${field}${server} This server is not started.`;
        problems.push({
          file,
          ...(line === undefined ? {} : { line }),
          field,
          message,
          level: 'warning',
        });
      }
    }
  }
  const servers = [...byName.values()];
  const held: HeldServer[] = [...off.values()]
    .filter(({ name }) => !byName.has(name))
    .map((setting) => ({ setting, why: 'disabled' }));
  const counts = ({ inside, file }: McpServerSetting) =>
    trusted || inside === true || (driven && file === COMMAND_LINE);
  const left = servers.filter((server) => !counts(server));
  if (left.length === 0) return { servers, held };
  problems.push({
    file: left[0]?.file ?? '',
    field: 'mcpServers',
    message: `Tool servers are not started (${left.map(({ name }) => name).join(', ')}): nobody trusts this folder.`,
    level: 'warning',
  });
  const untrusted = left.map((setting): HeldServer => ({ setting, why: 'trust' }));
  return { servers: servers.filter(counts), held: [...held, ...untrusted] };
}

const ORIGINS: Readonly<Partial<Record<RuleSource, ServerOrigin>>> = {
  managed: 'managed',
  userSettings: 'user',
  projectSettings: 'project',
  localSettings: 'local',
};

function withOrigin(
  server: McpServerSetting | string,
  { source, ofPlugin }: Pick<SettingsLayer, 'source' | 'ofPlugin'>,
): McpServerSetting | string {
  if (typeof server === 'string') return server;
  const origin = ofPlugin === undefined ? ORIGINS[source] : 'plugin';
  return origin === undefined ? server : { ...server, origin };
}

/** Returns the place that a server is defined in. Pure. */
export const originOf = ({
  inside,
  origin,
}: Pick<McpServerSetting, 'inside' | 'origin'>): ServerOrigin =>
  inside === true ? 'sdk' : (origin ?? 'dynamic');

/** Reads servers that a program names in the middle of a run; `errors` says by name what is wrong with others. Pure. */
export function readServers(
  given: unknown,
  file: string,
): {
  readonly servers: readonly McpServerSetting[];
  readonly errors: Readonly<Record<string, string>>;
} {
  const named = z.record(z.string(), z.unknown()).safeParse(given);
  const read = Object.entries(named.data ?? {}).map(
    ([name, value]) => [name, readServer(name, value, file)] as const,
  );
  return {
    servers: read.flatMap(([, server]) => (typeof server === 'string' ? [] : server)),
    errors: Object.fromEntries(
      read.flatMap(([name, server]) => (typeof server === 'string' ? [[name, name + server]] : [])),
    ),
  };
}

/** The words for the value that a field should have. */
const EXPECTED: Readonly<Record<string, string>> = {
  type: 'one of "stdio", "http", "sse", "ws"',
  command: 'a command in quotes',
  args: 'a list of texts',
  env: 'an object of names and texts',
  url: 'an address in quotes',
  headers: 'an object of names and texts',
  headersHelper: 'a command in quotes',
  oauth: 'an object with "clientId", "callbackPort" (a number) and "scopes" (in quotes)',
  alwaysLoad: 'true or false',
  timeout: 'a whole number of milliseconds',
};

/** Tells whether a text can be the address of a server; one with variables is known only when they are filled in. */
const isAddress = (text: string): boolean =>
  text.includes('${') || (URL.canParse(text) && /^(https?|wss?):$/.test(new URL(text).protocol));

/** Returns a server as it is written, or what is wrong with it, as the words behind its name. */
function readServer(name: string, value: unknown, file: string): McpServerSetting | string {
  // What cannot be seen would make two names look alike, in questions too.
  if (name.trim() === '' || name === '__proto__' || /[\p{Cc}\p{Cf}]/u.test(name))
    return ': this name cannot be used.';
  const { url: address, type: kind, ...more } = Object(value) as Readonly<Record<string, unknown>>;
  // Other programs have these: whoever switched a server off for them did not mean to start it here.
  if ((more['disabled'] ?? false) !== false || more['enabled'] === false)
    return ': it is switched off by “disabled” or “enabled”.';
  const isRemote = address !== undefined || Remote.shape.type.safeParse(kind).success;
  const remote = isRemote ? Remote.safeParse(value) : null;
  if (remote?.success && !isAddress(remote.data.url))
    return '.url: an address that begins with http://, https://, ws:// or wss:// is expected.';
  if (remote?.success) {
    const { type, url, headers = {}, headersHelper, oauth } = remote.data;
    const { alwaysLoad = false, timeout } = remote.data;
    return {
      name,
      command: '',
      args: [],
      env: {},
      alwaysLoad,
      ...(timeout === undefined ? {} : { timeout }),
      remote: {
        ...{ type, url, headers },
        ...(headersHelper === undefined ? {} : { headersHelper }),
        ...(oauth === undefined ? {} : { oauth }),
      },
      file,
    };
  }
  const parsed = Stdio.safeParse(value);
  if (parsed.success) {
    const { command, args = [], env = {}, alwaysLoad = false, timeout } = parsed.data;
    return {
      ...{ name, command, args, env, alwaysLoad, file },
      ...(timeout === undefined ? {} : { timeout }),
    };
  }
  const inside = Inside.safeParse(value);
  if (inside.success) {
    // Only a program that drives Lathe can mean itself, and no file can speak for it.
    if (path.isAbsolute(file)) return ': a file cannot name a server inside a program.';
    const { timeout } = inside.data;
    return {
      ...{ name, command: '', args: [], env: {}, alwaysLoad: true, inside: true, file },
      ...(timeout === undefined ? {} : { timeout }),
    };
  }
  const [issue] = (remote ?? parsed).error.issues;
  const field = String(issue?.path[0] ?? '');
  return field === ''
    ? ': an object with "command", or with "type" and "url", is expected.'
    : `.${field}: ${EXPECTED[field] ?? 'something else'} is expected.`;
}
