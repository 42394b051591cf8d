import { isListedAddress } from './address-patterns';
import { type AllowList, allowLists } from './allow-lists';
import type { SettingsLayer } from './read';
import type { NamedServers } from './schema';

/** The tool servers that settings let start. */
export interface ServerPolicy {
  /** The servers that never start, and the files that say so. */
  readonly denied: readonly { readonly file: string; readonly servers: readonly NamedServers[] }[];
  /** Only servers that each of these lists names are started. */
  readonly allowed: readonly AllowList<NamedServers>[];
}

/** A server with its variables filled in, and as it was written. */
export interface JudgedServer {
  readonly name: string;
  /** The programs with their arguments, filled in first; none for a server that is reached by an address. */
  readonly commands: readonly (readonly string[])[];
  /** The addresses, filled in first. */
  readonly addresses: readonly string[];
  /** It runs inside the program that drives Lathe. */
  readonly inside: boolean;
}

/**
 * Returns what settings say about the servers that may start; null when they say nothing. Denials of `all` layers join, as they take
 * only away; of the lists that allow, those of `counted` layers count. Pure.
 */
export function serverPolicyOf(
  all: readonly SettingsLayer[],
  counted: readonly SettingsLayer[],
): ServerPolicy | null {
  const denied = all.flatMap(({ file, fields }) => {
    const servers = fields.deniedMcpServers ?? [];
    return servers.length === 0 ? [] : [{ file, servers }];
  });
  const managed = counted.filter(({ source }) => source === 'managed');
  const isManaged = managed.some(({ fields }) => fields.allowManagedMcpServersOnly);
  const allowed = allowLists(
    isManaged ? managed : counted,
    ({ allowedMcpServers }) => allowedMcpServers,
  );
  return denied.length + allowed.length === 0 ? null : { denied, allowed };
}

/** Returns why a server may not start; null when it may. A server of the program itself needs no leave. Pure. */
export function refusalOf({ denied, allowed }: ServerPolicy, server: JudgedServer): string | null {
  const against = denied.find(({ servers }) => servers.some((entry) => isDenied(entry, server)));
  if (against !== undefined) return `It is denied by deniedMcpServers in ${against.file}.`;
  if (server.inside) return null;
  const without = allowed.find(({ entries }) => !isAllowed(entries, server));
  return without === undefined ? null : `allowedMcpServers in ${without.file} does not have it.`;
}

/** Tells whether a denial means a server, be it as it was written or with its variables filled in. */
function isDenied(
  { serverName, serverCommand, serverUrl }: NamedServers,
  { name, commands, addresses }: JudgedServer,
): boolean {
  if (serverName === undefined && serverCommand === undefined && serverUrl === undefined)
    return true;
  return (
    serverName === name ||
    commands.some((argv) => isSame(serverCommand, argv)) ||
    (serverUrl !== undefined && addresses.some((url) => isMeant(url, serverUrl)))
  );
}

/**
 * Tells whether a list names a server as it would run. Where the list has commands, a program is known by its command alone, and
 * where it has addresses, a server at an address by that: anybody can choose a name.
 */
function isAllowed(servers: readonly NamedServers[], server: JudgedServer): boolean {
  const [argv] = server.commands;
  const [address] = server.addresses;
  const commands = servers.flatMap(({ serverCommand }) => (serverCommand ? [serverCommand] : []));
  const patterns = servers.flatMap(({ serverUrl }) => serverUrl ?? []);
  if (argv !== undefined && commands.length > 0) return commands.some((one) => isSame(one, argv));
  if (address !== undefined && patterns.length > 0) return isListedAddress(address, patterns);
  return servers.some(({ serverName }) => serverName === server.name);
}

const isSame = (one: readonly string[] | undefined, other: readonly string[]): boolean =>
  one?.length === other.length && one.every((word, at) => word === other[at]);

/** Tells whether a pattern means an address, with or without what is behind its path: a query, or a last slash. */
function isMeant(address: string, pattern: string): boolean {
  if (address.trim() === pattern.trim()) return true;
  if (!URL.canParse(address)) return false;
  const url = new URL(address);
  // The name with the dot of the root at its end is the same host.
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1);
  url.hash = '';
  const plain = new URL(url);
  plain.search = '';
  const other = new URL(plain);
  other.pathname = plain.pathname.endsWith('/')
    ? plain.pathname.slice(0, -1)
    : `${plain.pathname}/`;
  return [url, plain, other].some(({ href }) => isListedAddress(href, [pattern]));
}
