import type { Node } from 'jsonc-parser';
import type { ChosenRipgrep } from '../ports-sandbox';
import { plainValue, propertiesOf } from './json-text';
import { CREDENTIAL_KEYS, type CredentialValues, readCredentials } from './sandbox-credentials';
import {
  child,
  children,
  denials,
  isHostPattern,
  isOff,
  isPath,
  lists,
  type ReportProblem,
  switches,
} from './sandbox-fields';

/** Lists of allowed and denied items, as written. */
export interface SandboxLists {
  readonly allowWrite: readonly string[];
  readonly denyWrite: readonly string[];
  readonly denyRead: readonly string[];
  readonly allowRead: readonly string[];
  readonly allowedDomains: readonly string[];
  readonly deniedDomains: readonly string[];
  readonly excludedCommands: readonly string[];
  readonly allowUnixSockets: readonly string[];
  readonly allowMachLookup: readonly string[];
  /** Files and folders that hold keys. */
  readonly credentialFiles: readonly string[];
  /** Variables that hold keys. */
  readonly credentialVariables: readonly string[];
}

/** The opening of encrypted connections, with a certificate authority of the user's, or one of each session. */
export interface TlsTermination {
  readonly caCertPath?: string | undefined;
  readonly caKeyPath?: string | undefined;
}

/** The sandbox settings in one settings file. docs/configuration.md. */
export interface SandboxValues extends SandboxLists, CredentialValues {
  readonly enabled?: boolean;
  readonly failIfUnavailable?: boolean;
  readonly autoAllowBashIfSandboxed?: boolean;
  readonly allowUnsandboxedCommands?: boolean;
  readonly enableWeakerNestedSandbox?: boolean;
  readonly enableWeakerNetworkIsolation?: boolean;
  readonly allowNestedUserNamespaces?: boolean;
  readonly allowAppleEvents?: boolean;
  readonly allowLocalBinding?: boolean;
  readonly allowAllUnixSockets?: boolean;
  readonly strictAllowlist?: boolean;
  readonly allowManagedDomainsOnly?: boolean;
  readonly allowManagedReadPathsOnly?: boolean;
  /** There are no walls between files. */
  readonly disabled?: boolean;
  /** Paths whose violations are not told, by a part of the command; `*`: of every command. */
  readonly ignoreViolations?: Readonly<Record<string, readonly string[]>>;
  readonly bwrapPath?: string;
  readonly socatPath?: string;
  readonly ripgrep?: ChosenRipgrep;
  readonly httpProxyPort?: number;
  readonly socksProxyPort?: number;
  readonly tlsTerminate?: TlsTermination;
}

/** A file that says nothing about it. */
export const NO_SANDBOX_VALUES: SandboxValues = {
  allowWrite: [],
  denyWrite: [],
  denyRead: [],
  allowRead: [],
  allowedDomains: [],
  deniedDomains: [],
  excludedCommands: [],
  allowUnixSockets: [],
  allowMachLookup: [],
  credentialFiles: [],
  credentialVariables: [],
  maskedFiles: [],
  maskedVariables: [],
};

const SWITCHES = [
  'failIfUnavailable',
  'autoAllowBashIfSandboxed',
  'allowUnsandboxedCommands',
  'enableWeakerNestedSandbox',
  'enableWeakerNetworkIsolation',
  'allowNestedUserNamespaces',
  'allowAppleEvents',
] as const;
const NETWORK_SWITCHES = [
  'allowLocalBinding',
  'allowAllUnixSockets',
  'strictAllowlist',
  'allowManagedDomainsOnly',
] as const;
const FILE_SWITCHES = ['allowManagedReadPathsOnly', 'disabled'] as const;
const PATH_LISTS = ['allowWrite', 'allowRead'] as const;
const DENIED_PATHS = ['denyWrite', 'denyRead'] as const;
const HOST_LISTS = ['allowedDomains'] as const;
const DENIED_HOSTS = ['deniedDomains'] as const;
/** The lists of what commands may not reach. */
export const SANDBOX_DENIALS: ReadonlySet<string> = new Set([...DENIED_PATHS, ...DENIED_HOSTS]);
const MAC_LISTS = ['allowUnixSockets', 'allowMachLookup'] as const;
const PROGRAMS = ['bwrapPath', 'socatPath'] as const;
const PORTS = ['httpProxyPort', 'socksProxyPort'] as const;

/** The names of all fields, by the object they stand in. */
export const SANDBOX_KEYS = {
  own: new Set<string>([
    ...['enabled', ...SWITCHES, ...PROGRAMS],
    ...['excludedCommands', 'ripgrep', 'filesystem', 'network', 'credentials', 'ignoreViolations'],
  ]),
  filesystem: new Set<string>([...PATH_LISTS, ...DENIED_PATHS, ...FILE_SWITCHES]),
  network: new Set<string>([
    ...[
      ...NETWORK_SWITCHES,
      ...HOST_LISTS,
      ...DENIED_HOSTS,
      ...MAC_LISTS,
      ...PORTS,
      'tlsTerminate',
    ],
  ]),
  credentials: new Set<string>(CREDENTIAL_KEYS),
} as const;

/**
 * Reads the `sandbox` objects of a settings file. The last one counts, but what any of them denies; a bad value costs only itself. What
 * may be a denial and cannot be read goes to `lose`.
 */
export function readSandboxValues(
  nodes: readonly Node[],
  report: ReportProblem,
  lose: ReportProblem,
): SandboxValues {
  const node = nodes.at(-1);
  if (node === undefined) return NO_SANDBOX_VALUES;
  // Somebody counts on walls that are not there.
  const wanted: ReportProblem = (at, ...told) => (isOff(at) ? report : lose)(at, ...told);
  if (node.type !== 'object') wanted(node, 'sandbox', 'an object is expected');
  const filesystem = child(node, 'filesystem');
  const network = child(node, 'network');
  for (const part of ['filesystem', 'network', 'credentials'])
    for (const value of children(nodes, part))
      if (value.type !== 'object') lose(value, `sandbox.${part}`, 'an object is expected');
  const { filesystem: files, network: hosts } = SANDBOX_KEYS;
  return {
    ...denials(
      children(nodes, 'filesystem'),
      DENIED_PATHS,
      files,
      'sandbox.filesystem.',
      isPath,
      'a path in quotes',
      { report, lose },
    ),
    ...denials(
      children(nodes, 'network'),
      DENIED_HOSTS,
      hosts,
      'sandbox.network.',
      isHostPattern,
      HOST_EXPECTED,
      { report, lose },
    ),
    ...switches(node, ['enabled'], 'sandbox.', wanted),
    ...switches(node, SWITCHES, 'sandbox.', report),
    ...switches(network, NETWORK_SWITCHES, 'sandbox.network.', report),
    ...switches(filesystem, FILE_SWITCHES, 'sandbox.filesystem.', report),
    ...lists(filesystem, PATH_LISTS, 'sandbox.filesystem.', isPath, 'a path in quotes', report),
    ...lists(network, HOST_LISTS, 'sandbox.network.', isHostPattern, HOST_EXPECTED, report),
    ...lists(network, MAC_LISTS, 'sandbox.network.', isPath, 'a name in quotes', report),
    ...lists(node, ['excludedCommands'], 'sandbox.', isPath, 'a command in quotes', report),
    ...programs(node, report),
    ...ripgrep(child(node, 'ripgrep'), report),
    ...ports(network, report),
    ...ignored(child(node, 'ignoreViolations'), report),
    ...termination(child(network, 'tlsTerminate'), report),
    ...readCredentials(children(nodes, 'credentials'), report, lose),
  };
}

function termination(
  node: Node | undefined,
  report: ReportProblem,
): Pick<SandboxValues, 'tlsTerminate'> {
  if (node === undefined) return {};
  const [caCertPath, caKeyPath] = ['caCertPath', 'caKeyPath'].map((name) => {
    const named = child(node, name);
    return named === undefined ? undefined : plainValue(named);
  });
  if (node.type === 'object' && caCertPath === undefined && caKeyPath === undefined)
    return { tlsTerminate: {} };
  const isFile = (path: unknown): path is string => typeof path === 'string' && isPath(path);
  if (isFile(caCertPath) && isFile(caKeyPath)) return { tlsTerminate: { caCertPath, caKeyPath } };
  const expected = 'an object is expected, with both "caCertPath" and "caKeyPath" or neither';
  report(node, 'sandbox.network.tlsTerminate', expected);
  return {};
}

function programs(
  node: Node,
  report: ReportProblem,
): { readonly [name in (typeof PROGRAMS)[number]]?: string } {
  const found: { [name in (typeof PROGRAMS)[number]]?: string } = {};
  for (const name of PROGRAMS) {
    const value = child(node, name);
    if (value === undefined) continue;
    const text = plainValue(value);
    if (typeof text === 'string' && text.startsWith('/') && isPath(text)) found[name] = text;
    else report(value, `sandbox.${name}`, 'the absolute path of a program is expected');
  }
  return found;
}

function ripgrep(
  node: Node | undefined,
  report: ReportProblem,
): { readonly ripgrep?: ChosenRipgrep } {
  if (node === undefined) return {};
  const command = child(node, 'command');
  const text = command === undefined ? undefined : plainValue(command);
  if (typeof text !== 'string' || !text.startsWith('/') || !isPath(text)) {
    report(
      command ?? node,
      'sandbox.ripgrep',
      'an object with "command", an absolute path, is expected',
    );
    return {};
  }
  const { args } = lists(node, ['args'], 'sandbox.ripgrep.', isPath, 'a text in quotes', report);
  return { ripgrep: { command: text, ...(args.length === 0 ? {} : { args }) } };
}

function ports(
  node: Node | undefined,
  report: ReportProblem,
): { readonly [name in (typeof PORTS)[number]]?: number } {
  const found: { [name in (typeof PORTS)[number]]?: number } = {};
  for (const name of PORTS) {
    const value = child(node, name);
    if (value === undefined) continue;
    const port = plainValue(value);
    if (typeof port === 'number' && Number.isInteger(port) && port > 0 && port < 65_536)
      found[name] = port;
    else report(value, `sandbox.network.${name}`, 'a port such as 8080 is expected');
  }
  return found;
}

function ignored(
  node: Node | undefined,
  report: ReportProblem,
): Pick<SandboxValues, 'ignoreViolations'> {
  if (node === undefined) return {};
  if (node.type !== 'object') {
    report(node, 'sandbox.ignoreViolations', 'an object is expected');
    return {};
  }
  const names = propertiesOf(node).map(({ name }) => name);
  const read = lists(node, names, 'sandbox.ignoreViolations.', isPath, 'a path in quotes', report);
  return { ignoreViolations: read };
}

const HOST_EXPECTED = 'a host such as "example.com" or "*.example.com", with a port if need be,';
