import type { Node } from 'jsonc-parser';
import type { ChosenRipgrep } from '../ports-sandbox';
import { plainValue, propertiesOf } from './json-text';

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

/** A variable for which commands get a stand-in. */
interface WantedMask {
  readonly name: string;
  /** Where its value is put in on the way out; absent: at all allowed hosts. */
  readonly hosts?: readonly string[];
}

/** The opening of encrypted connections, with a certificate authority of the person's, or one of each session. */
export interface TlsTermination {
  readonly caCertPath?: string | undefined;
  readonly caKeyPath?: string | undefined;
}

/** The sandbox settings in one settings file. docs/configuration.md. */
export interface SandboxValues extends SandboxLists {
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
  /** Paths whose violations are not told, by a part of the command; `*`: of every command. */
  readonly ignoreViolations?: Readonly<Record<string, readonly string[]>>;
  readonly bwrapPath?: string;
  readonly socatPath?: string;
  readonly ripgrep?: ChosenRipgrep;
  readonly httpProxyPort?: number;
  readonly socksProxyPort?: number;
  readonly maskedVariables: readonly WantedMask[];
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
  maskedVariables: [],
};

/** Says what is wrong with a value: its node, its field, and what is expected. */
export type ReportProblem = (node: Node, field: string, expected: string) => void;

const NOT_MASKED = 'no key is put in for one that is masked in this way';

const SWITCHES = [
  'enabled',
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
const FILE_SWITCHES = ['allowManagedReadPathsOnly'] as const;
const PATH_LISTS = ['allowWrite', 'denyWrite', 'denyRead', 'allowRead'] as const;
const HOST_LISTS = ['allowedDomains', 'deniedDomains'] as const;
const MAC_LISTS = ['allowUnixSockets', 'allowMachLookup'] as const;
const PROGRAMS = ['bwrapPath', 'socatPath'] as const;
const PORTS = ['httpProxyPort', 'socksProxyPort'] as const;

/** Fields that are known and not used, by the object they stand in, each with the reason. */
const UNUSED = {
  own: {},
  filesystem: { disabled: 'the walls around files stay' },
  network: {},
  credentials: {
    allowPlaintextInject: 'keys leave encrypted only',
    awsPairs: NOT_MASKED,
    sigv4: NOT_MASKED,
  },
} as const;

/** The names of all fields, by the object they stand in. */
export const SANDBOX_KEYS = {
  own: new Set<string>([
    ...[...SWITCHES, ...PROGRAMS, ...Object.keys(UNUSED.own)],
    ...['excludedCommands', 'ripgrep', 'filesystem', 'network', 'credentials', 'ignoreViolations'],
  ]),
  filesystem: new Set<string>([
    ...[...PATH_LISTS, ...FILE_SWITCHES],
    ...Object.keys(UNUSED.filesystem),
  ]),
  network: new Set<string>([
    ...[...NETWORK_SWITCHES, ...HOST_LISTS, ...MAC_LISTS, ...PORTS, 'tlsTerminate'],
    ...Object.keys(UNUSED.network),
  ]),
  credentials: new Set<string>(['files', 'envVars', ...Object.keys(UNUSED.credentials)]),
} as const;

/** Reads the `sandbox` object of a settings file. A bad value costs only itself and is reported. */
export function readSandboxValues(node: Node | undefined, report: ReportProblem): SandboxValues {
  if (node === undefined) return NO_SANDBOX_VALUES;
  const filesystem = child(node, 'filesystem');
  const network = child(node, 'network');
  const credentials = child(node, 'credentials');
  const parts = { own: node, filesystem, network, credentials };
  for (const [name, part] of Object.entries(parts)) {
    if (part && part.type !== 'object' && part !== node)
      report(part, `sandbox.${name}`, 'an object is expected');
    const place = name === 'own' ? 'sandbox' : `sandbox.${name}`;
    for (const [field, why] of Object.entries(UNUSED[name as keyof typeof UNUSED])) {
      const value = child(part, field);
      if (value !== undefined) report(value, `${place}.${field}`, `this is not used: ${why}`);
    }
  }
  return {
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
    credentialFiles: withheldFiles(credentials, report),
    ...variables(credentials, report),
  };
}

/** The name of a variable that a shell can have. */
const isVariable = (text: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(text);

/** An entry of a list of keys. */
interface Key {
  readonly item: Node;
  /** Its name or path. */
  readonly text: string;
  readonly mode: unknown;
}

/** Reads a list of keys. */
function keysIn(
  credentials: Node | undefined,
  list: 'files' | 'envVars',
  key: 'path' | 'name',
  fits: (text: string) => boolean,
  report: ReportProblem,
): readonly Key[] {
  const field = `sandbox.credentials.${list}`;
  const value = child(credentials, list);
  if (value === undefined) return [];
  if (value.type !== 'array') {
    report(value, field, 'a list of objects is expected');
    return [];
  }
  return (value.children ?? []).flatMap((item) => {
    const named = child(item, key);
    const text = named === undefined ? undefined : plainValue(named);
    if (typeof text !== 'string' || !fits(text)) {
      report(item, field, `an object with "${key}" is expected`);
      return [];
    }
    const mode = child(item, 'mode');
    return [{ item, text, mode: mode === undefined ? undefined : plainValue(mode) }];
  });
}

/** Reads the files with keys. One that is to be masked is withheld too: the command gets less, and never the key. */
function withheldFiles(credentials: Node | undefined, report: ReportProblem): readonly string[] {
  return keysIn(credentials, 'files', 'path', isPath, report).map(({ item, text, mode }) => {
    if (mode !== 'deny')
      report(item, 'sandbox.credentials.files', `“${text}” is withheld: ${NOT_MASKED}`);
    return text;
  });
}

/** Fields that mask a part of a value, or in its shape. */
const SHAPES = ['extract', 'decode', 'maskClaims'] as const;

function variables(
  credentials: Node | undefined,
  report: ReportProblem,
): Pick<SandboxValues, 'credentialVariables' | 'maskedVariables'> {
  const field = 'sandbox.credentials.envVars';
  const credentialVariables: string[] = [];
  const maskedVariables: WantedMask[] = [];
  for (const { item, text, mode } of keysIn(credentials, 'envVars', 'name', isVariable, report)) {
    const shaped = SHAPES.some((shape) => child(item, shape) !== undefined);
    if (mode === 'mask' && !shaped) {
      const hosts = child(item, 'injectHosts') && injectHosts(item, report);
      maskedVariables.push({ name: text, ...(hosts === undefined ? {} : { hosts }) });
      continue;
    }
    credentialVariables.push(text);
    if (mode !== 'deny') report(item, field, `“${text}” is withheld: ${NOT_MASKED}`);
  }
  return { credentialVariables, maskedVariables };
}

function injectHosts(item: Node, report: ReportProblem): readonly string[] {
  const fits = (text: string) => isHostPattern(text) && !/:[0-9]+$/.test(text);
  const expected = 'a host without a port, such as "example.com" or "*.example.com",';
  const prefix = 'sandbox.credentials.envVars.';
  return lists(item, ['injectHosts'], prefix, fits, expected, report).injectHosts;
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

/** Returns a named property; of repeated names the last counts, as everywhere in JSON. */
const child = (node: Node | undefined, name: string): Node | undefined =>
  propertiesOf(node).findLast((property) => property.name === name)?.value;

function switches<K extends string>(
  node: Node | undefined,
  names: readonly K[],
  prefix: string,
  report: ReportProblem,
): { readonly [name in K]?: boolean } {
  const found: { [name in K]?: boolean } = {};
  for (const name of names) {
    const value = child(node, name);
    if (value === undefined) continue;
    if (value.type === 'boolean') found[name] = Boolean(value.value);
    else report(value, prefix + name, 'true or false is expected');
  }
  return found;
}

function lists<K extends string>(
  node: Node | undefined,
  names: readonly K[],
  prefix: string,
  fits: (text: string) => boolean,
  expected: string,
  report: ReportProblem,
): { readonly [name in K]: readonly string[] } {
  const read = (name: K): readonly string[] => {
    const value = child(node, name);
    if (value === undefined) return [];
    if (value.type !== 'array') {
      report(value, prefix + name, 'a list of texts is expected');
      return [];
    }
    return (value.children ?? []).flatMap((item) => {
      const text = plainValue(item);
      if (typeof text === 'string' && fits(text)) return [text];
      report(item, prefix + name, `${expected} is expected`);
      return [];
    });
  };
  return Object.fromEntries(names.map((name) => [name, read(name)])) as {
    readonly [name in K]: readonly string[];
  };
}

const isPath = (text: string): boolean => text.trim() !== '' && !text.includes('\0');

const LABEL = '[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?';
/** A whole name, an address, or everything below a name of at least two parts. */
const HOST_PATTERN = new RegExp(
  `^(\\[[0-9a-f:.]+\\]|\\*\\.${LABEL}(\\.${LABEL})+|${LABEL}(\\.${LABEL})*)(:[1-9][0-9]{0,4})?$`,
  'i',
);

/** Tells whether a text names a host (or everything below one) as the allow list understands it. */
export const isHostPattern = (text: string): boolean =>
  text.length <= 255 && HOST_PATTERN.test(text);
