import path from 'node:path';
import type { RuleSource } from '../../../shared/permission';
import type { SettingsProblem } from '../../../shared/settings';
import { relativeInside } from '../permissions/paths';
import type { AwsPair, ProxyPorts, SandboxPrograms, SigningPolicy } from '../ports-sandbox';
import { type MaskedKey, mergeMasks, signingKeys } from './sandbox-masks';
import type { SandboxLists, SandboxValues, TlsTermination } from './sandbox-values';

/** The sandbox settings of a project. Paths are absolute; those for reading may be patterns. */
export interface SandboxSettings extends SandboxLists {
  readonly enabled: boolean;
  /** A run without a window does not begin where there is no sandbox. */
  readonly failIfUnavailable?: boolean;
  /** Commands inside run unasked, unless a deny or ask rule or a safety check says otherwise. */
  readonly autoAllow: boolean;
  /** The model may ask to run a command outside; the user is asked each time. */
  readonly allowUnsandboxed: boolean;
  /** For containers that allow no namespaces of their own: a weaker sandbox rather than none. */
  readonly weakerNested: boolean;
  readonly allowLocalBinding: boolean;
  readonly allowAllUnixSockets: boolean;
  /** macOS: commands may check certificates by a service outside. */
  readonly weakerNetwork: boolean;
  /** Commands may make namespaces of their own, by which they can get around walls between files. */
  readonly nestedNamespaces: boolean;
  /** macOS: commands may start and steer programs, which run outside. */
  readonly appleEvents: boolean;
  /** A host that no list allows is denied, and nobody is asked. */
  readonly strictAllowlist: boolean;
  readonly ignoreViolations: Readonly<Record<string, readonly string[]>>;
  readonly proxyPorts: ProxyPorts;
  readonly maskedVariables: readonly MaskedKey[];
  readonly maskedFiles: readonly MaskedKey[];
  readonly awsPairs: readonly AwsPair[];
  readonly sigv4: SigningPolicy;
  /** Keys are put in where nothing is encrypted, too. */
  readonly plaintextInject: boolean;
  /** There are no walls between files: those around the network stay. */
  readonly withoutFileWalls: boolean;
  /** Null where encrypted connections stay closed. Paths are absolute. */
  readonly tlsTerminate: TlsTermination | null;
  /** Programs to use in the place of those that are found. */
  readonly programs: SandboxPrograms;
}

/** One file's say, and where it stands. */
export interface SandboxLayer {
  readonly source: RuleSource;
  readonly file: string;
  readonly sandbox: SandboxValues;
}

/** The folders that paths in settings are relative to. */
export interface SandboxPlaces {
  readonly project: string;
  readonly home: string;
  /** The folder of the user's settings. */
  readonly configDir: string;
}

/**
 * Merges the layers, strongest first; lists join. What the managed file denies stays denied: nothing weaker may allow
 * reading inside it, and where it forbids running outside, nothing weaker may exclude commands. Pure.
 */
export function mergeSandbox(
  layers: readonly SandboxLayer[],
  places: SandboxPlaces,
  problems: SettingsProblem[],
): SandboxSettings {
  const pick = (name: Switch, fallback: boolean, from = layers): boolean =>
    from.map(({ sandbox }) => sandbox[name]).find((value) => value !== undefined) ?? fallback;
  const managed = layers.filter(({ source }) => source === 'managed');
  // A folder must not take walls down, or name the programs that they are made of.
  const own = layers.filter(({ source }) => !OF_FOLDER.has(source));
  tellUnheard(layers, problems);
  const isOn = (name: Switch, from: readonly SandboxLayer[]) =>
    from.some(({ sandbox }) => sandbox[name] === true);
  const isOff = (name: Switch) => layers.some(({ sandbox }) => sandbox[name] === false);
  const join = (name: keyof SandboxLists, from = layers) => [
    ...new Set(from.flatMap(({ sandbox }) => sandbox[name])),
  ];
  const paths = (name: PathList) => [
    ...new Set(layers.flatMap((layer) => pathsOf(layer, name, places, problems))),
  ];
  const managedDenies = managed.flatMap((layer) => pathsOf(layer, 'denyRead', places, []));
  const managedOnly = isOn('allowManagedDomainsOnly', managed);
  const hosts = managedOnly ? managed : isOn('strictAllowlist', own) ? own : layers;
  // A folder may only say no.
  const opened = (name: Switch) => pick(name, false, own) && !isOff(name);
  const nestedNamespaces = opened('allowNestedUserNamespaces');
  const appleEvents = opened('allowAppleEvents');
  const readers = isOn('allowManagedReadPathsOnly', managed) ? managed : layers;
  const proxyPorts = portsOf(bindsHosts(managed) ? managed : own);
  const tlsTerminate = terminationOf(own, places);
  const allowedDomains = join('allowedDomains', hosts);
  const ownHosts = hosts.filter((layer) => own.includes(layer));
  const plaintextInject = opened('allowPlaintextInject');
  const awsPairs = strongest(own, 'awsPairs') ?? [];
  const terms = {
    allowedDomains: join('allowedDomains', ownHosts),
    obstacle: obstacleTo(tlsTerminate, plaintextInject, proxyPorts),
  };
  const variables = mergeMasks(
    {
      ...terms,
      ...{ field: 'sandbox.credentials.envVars', signing: signingKeys(awsPairs) },
      layers: layers.map((layer) => ({
        ...{ file: layer.file, isOwn: own.includes(layer) },
        masked: layer.sandbox.maskedVariables,
        withheld: layer.sandbox.credentialVariables,
      })),
    },
    problems,
  );
  const files = mergeMasks(
    {
      ...{ ...terms, field: 'sandbox.credentials.files' },
      layers: layers.map((layer) => ({
        ...{ file: layer.file, isOwn: own.includes(layer) },
        masked: layer.sandbox.maskedFiles.map((one) => ({
          ...one,
          name: sandboxPath(one.name, layer.source, places),
        })),
        withheld: pathsOf(layer, 'credentialFiles', places, problems),
      })),
    },
    problems,
  );
  // What is masked cannot be read as it is either.
  const credentials = [...files.withheld, ...files.masked.map(({ name }) => name)];
  const withoutFileWalls = opened('disabled') && mayTakeFileWalls(managed);
  // A folder cannot have commands run unasked where it takes more than walls to hold them.
  const isWeak = nestedNamespaces || appleEvents || withoutFileWalls;
  const lockedIn = managed.some(({ sandbox }) => sandbox.allowUnsandboxedCommands === false);
  return {
    enabled: pick('enabled', false),
    ...(pick('failIfUnavailable', false) ? { failIfUnavailable: true } : {}),
    // Without being asked only where walls cannot be got around.
    autoAllow: isWeak ? opened('autoAllowBashIfSandboxed') : pick('autoAllowBashIfSandboxed', true),
    allowUnsandboxed: pick('allowUnsandboxedCommands', true),
    weakerNested: pick('enableWeakerNestedSandbox', false),
    allowLocalBinding: pick('allowLocalBinding', false),
    allowAllUnixSockets: pick('allowAllUnixSockets', false),
    weakerNetwork: pick('enableWeakerNetworkIsolation', false),
    nestedNamespaces,
    appleEvents,
    strictAllowlist: managedOnly || isOn('strictAllowlist', layers),
    ignoreViolations: joinedLists(layers.map(({ sandbox }) => sandbox.ignoreViolations ?? {})),
    programs: programsOf(own),
    proxyPorts,
    tlsTerminate,
    allowUnixSockets: join('allowUnixSockets'),
    allowMachLookup: join('allowMachLookup'),
    credentialFiles: files.withheld,
    credentialVariables: variables.withheld,
    maskedVariables: variables.masked,
    maskedFiles: files.masked,
    ...{ awsPairs, sigv4: strongest(own, 'sigv4') ?? {}, plaintextInject, withoutFileWalls },
    allowWrite: paths('allowWrite'),
    denyWrite: paths('denyWrite'),
    denyRead: paths('denyRead'),
    allowRead: [
      ...managed.flatMap((layer) => pathsOf(layer, 'allowRead', places, problems)),
      ...readers
        .filter(({ source }) => source !== 'managed')
        .flatMap((layer) =>
          allowedReads(layer, [...managedDenies, ...credentials], places, problems),
        ),
    ],
    allowedDomains,
    deniedDomains: join('deniedDomains'),
    excludedCommands: join('excludedCommands', lockedIn ? managed : layers),
  };
}

/** The sources of a folder's own settings. */
const OF_FOLDER: ReadonlySet<RuleSource> = new Set<RuleSource>([
  'projectSettings',
  'localSettings',
]);

type Switch = {
  [K in keyof SandboxValues]-?: boolean extends NonNullable<SandboxValues[K]> ? K : never;
}[keyof SandboxValues];

/** Tells of what counts only in other files than the one it stands in. */
function tellUnheard(layers: readonly SandboxLayer[], problems: SettingsProblem[]): void {
  const tell = (file: string, field: string, why: string) =>
    problems.push({
      ...{ file, field: `sandbox.${field}`, level: 'warning' },
      message: `${file}: sandbox.${field} is not used: ${why}.`,
    });
  for (const { source, file, sandbox } of layers) {
    if (source !== 'managed' && sandbox.allowManagedDomainsOnly === true)
      tell(file, 'network.allowManagedDomainsOnly', 'it counts in managed settings');
    if (source !== 'managed' && sandbox.allowManagedReadPathsOnly === true)
      tell(file, 'filesystem.allowManagedReadPathsOnly', 'it counts in managed settings');
    if (!OF_FOLDER.has(source)) continue;
    for (const name of ['allowNestedUserNamespaces', 'allowAppleEvents'] as const)
      if (sandbox[name] === true) tell(file, name, 'a folder cannot allow it');
    for (const name of ['bwrapPath', 'socatPath', 'ripgrep'] as const)
      if (sandbox[name] !== undefined) tell(file, name, 'a folder cannot name it');
    for (const name of ['httpProxyPort', 'socksProxyPort'] as const)
      if (sandbox[name] !== undefined) tell(file, `network.${name}`, 'a folder cannot name it');
    if (sandbox.disabled === true) tell(file, 'filesystem.disabled', 'a folder cannot allow it');
    if (sandbox.allowPlaintextInject === true)
      tell(file, 'credentials.allowPlaintextInject', 'a folder cannot allow it');
    for (const name of ['awsPairs', 'sigv4'] as const)
      if (sandbox[name] !== undefined)
        tell(file, `credentials.${name}`, 'a folder cannot say where a key goes');
    if (sandbox.tlsTerminate !== undefined)
      tell(file, 'network.tlsTerminate', 'a folder cannot open connections');
  }
}

/** Tells whether managed settings say which hosts may be reached: a proxy of anybody else would not ask them. */
const bindsHosts = (managed: readonly SandboxLayer[]): boolean =>
  managed.some(
    ({ sandbox }) =>
      sandbox.allowManagedDomainsOnly === true ||
      sandbox.strictAllowlist === true ||
      sandbox.deniedDomains.length > 0,
  );

/** Tells whether managed settings say nothing about files: where they do, only they may take the walls down. */
const mayTakeFileWalls = (managed: readonly SandboxLayer[]): boolean =>
  managed.some(({ sandbox }) => sandbox.disabled === true) ||
  managed.every(
    ({ sandbox }) =>
      sandbox.disabled === undefined &&
      sandbox.allowManagedReadPathsOnly === undefined &&
      [
        ...sandbox.allowWrite,
        ...sandbox.denyWrite,
        ...sandbox.denyRead,
        ...sandbox.allowRead,
        ...sandbox.credentialFiles,
      ].length === 0,
  );

/** Returns how encrypted connections are opened, as the strongest layer says that says anything. */
function terminationOf(
  layers: readonly SandboxLayer[],
  places: SandboxPlaces,
): TlsTermination | null {
  const layer = layers.find(({ sandbox }) => sandbox.tlsTerminate !== undefined);
  const { caCertPath, caKeyPath } = layer?.sandbox.tlsTerminate ?? {};
  if (layer === undefined) return null;
  if (caCertPath === undefined || caKeyPath === undefined) return {};
  return {
    caCertPath: sandboxPath(caCertPath, layer.source, places),
    caKeyPath: sandboxPath(caKeyPath, layer.source, places),
  };
}

/** Returns the reason that no key can be put in on the way out; null when it can. */
function obstacleTo(
  tlsTerminate: TlsTermination | null,
  plaintext: boolean,
  ports: ProxyPorts,
): string | null {
  if (ports.http !== undefined || ports.socks !== undefined)
    return 'proxies of yours do not put it in';
  return tlsTerminate === null && !plaintext ? 'masking needs sandbox.network.tlsTerminate' : null;
}

/** Returns what the strongest layer says that says anything. */
const strongest = <K extends keyof SandboxValues>(
  layers: readonly SandboxLayer[],
  name: K,
): SandboxValues[K] | undefined =>
  layers.map(({ sandbox }) => sandbox[name]).find((value) => value !== undefined);

function portsOf(layers: readonly SandboxLayer[]): ProxyPorts {
  const http = strongest(layers, 'httpProxyPort');
  const socks = strongest(layers, 'socksProxyPort');
  return {
    ...(http === undefined ? {} : { http }),
    ...(socks === undefined ? {} : { socks }),
  };
}

function programsOf(layers: readonly SandboxLayer[]): SandboxPrograms {
  const bwrap = strongest(layers, 'bwrapPath');
  const socat = strongest(layers, 'socatPath');
  const ripgrep = strongest(layers, 'ripgrep');
  return {
    ...(bwrap === undefined ? {} : { bwrap }),
    ...(socat === undefined ? {} : { socat }),
    ...(ripgrep === undefined ? {} : { ripgrep }),
  };
}

/** Joins lists of the same name. */
function joinedLists(
  all: readonly Readonly<Record<string, readonly string[]>>[],
): Readonly<Record<string, readonly string[]>> {
  const joined = new Map<string, readonly string[]>();
  for (const [name, paths] of all.flatMap((lists) => Object.entries(lists)))
    joined.set(name, [...(joined.get(name) ?? []), ...paths]);
  return Object.fromEntries(joined);
}

type PathList = 'allowWrite' | 'denyWrite' | 'denyRead' | 'allowRead' | 'credentialFiles';

function pathsOf(
  layer: SandboxLayer,
  name: PathList,
  places: SandboxPlaces,
  problems: SettingsProblem[],
): readonly string[] {
  return layer.sandbox[name].flatMap((written) => {
    const absolute = sandboxPath(written, layer.source, places);
    if (name.endsWith('Read') || name === 'credentialFiles' || !/[*?[]/.test(absolute))
      return [absolute];
    const advice = 'name the folder or file itself, patterns are only known for reading';
    problems.push(problemOf(layer, name, written, advice));
    return [];
  });
}

const DENIED = 'managed settings deny it, or it holds keys';

function allowedReads(
  layer: SandboxLayer,
  managedDenies: readonly string[],
  places: SandboxPlaces,
  problems: SettingsProblem[],
): readonly string[] {
  return pathsOf(layer, 'allowRead', places, problems).filter((allowed) => {
    const denied = managedDenies.some(
      (deny) => /[*?[]/.test(deny + allowed) || relativeInside(deny, allowed, true) !== null,
    );
    if (denied) problems.push(problemOf(layer, 'allowRead', allowed, DENIED));
    return !denied;
  });
}

const problemOf = (
  { file }: SandboxLayer,
  name: PathList,
  written: string,
  why: string,
): SettingsProblem => ({
  file,
  field: `sandbox.filesystem.${name}`,
  message: `${file}: sandbox.filesystem.${name}: “${written}” is not used: ${why}.`,
  level: 'warning',
});

/**
 * Returns the path an entry means: `/x` and `//x` from the root, `~/x` from home, anything else
 * from the project, in the user's own settings from their folder. `/**` at the end says no more
 * than the folder.
 */
function sandboxPath(written: string, source: RuleSource, places: SandboxPlaces): string {
  const text = written.replace(/\/\*\*$/, '') || '/';
  if (text === '~' || text.startsWith('~/')) return path.join(places.home, text.slice(1));
  if (text.startsWith('//')) return path.resolve(text.slice(1));
  return path.resolve(source === 'userSettings' ? places.configDir : places.project, text);
}
