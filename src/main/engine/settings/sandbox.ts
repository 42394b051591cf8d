import path from 'node:path';
import type { Node } from 'jsonc-parser';
import type { RuleSource } from '../../../shared/permission';
import type { SettingsProblem } from '../../../shared/settings';
import { relativeInside } from '../permissions/paths';
import { plainValue, propertiesOf } from './json-text';

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
  const pick = (name: keyof Omit<SandboxValues, keyof SandboxLists>, fallback: boolean): boolean =>
    layers.map(({ sandbox }) => sandbox[name]).find((value) => value !== undefined) ?? fallback;
  const managed = layers.filter(({ source }) => source === 'managed');
  const join = (name: keyof SandboxLists, from = layers) => [
    ...new Set(from.flatMap(({ sandbox }) => sandbox[name])),
  ];
  const paths = (name: PathList) => [
    ...new Set(layers.flatMap((layer) => pathsOf(layer, name, places, problems))),
  ];
  const managedDenies = managed.flatMap((layer) => pathsOf(layer, 'denyRead', places, []));
  const lockedIn = managed.some(({ sandbox }) => sandbox.allowUnsandboxedCommands === false);
  return {
    enabled: pick('enabled', false),
    ...(pick('failIfUnavailable', false) ? { failIfUnavailable: true } : {}),
    autoAllow: pick('autoAllowBashIfSandboxed', true),
    allowUnsandboxed: pick('allowUnsandboxedCommands', true),
    weakerNested: pick('enableWeakerNestedSandbox', false),
    allowLocalBinding: pick('allowLocalBinding', false),
    allowAllUnixSockets: pick('allowAllUnixSockets', false),
    allowWrite: paths('allowWrite'),
    denyWrite: paths('denyWrite'),
    denyRead: paths('denyRead'),
    allowRead: [
      ...managed.flatMap((layer) => pathsOf(layer, 'allowRead', places, problems)),
      ...layers
        .filter(({ source }) => source !== 'managed')
        .flatMap((layer) => allowedReads(layer, managedDenies, places, problems)),
    ],
    allowedDomains: join('allowedDomains'),
    deniedDomains: join('deniedDomains'),
    excludedCommands: join('excludedCommands', lockedIn ? managed : layers),
  };
}

type PathList = 'allowWrite' | 'denyWrite' | 'denyRead' | 'allowRead';

function pathsOf(
  layer: SandboxLayer,
  name: PathList,
  places: SandboxPlaces,
  problems: SettingsProblem[],
): readonly string[] {
  return layer.sandbox[name].flatMap((written) => {
    const absolute = sandboxPath(written, layer.source, places);
    if (name.endsWith('Read') || !/[*?[]/.test(absolute)) return [absolute];
    const advice = 'name the folder or file itself, patterns are only known for reading';
    problems.push(problemOf(layer, name, written, advice));
    return [];
  });
}

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
    if (denied) problems.push(problemOf(layer, 'allowRead', allowed, 'managed settings deny it'));
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

/** Lists of allowed and denied items, as written. */
interface SandboxLists {
  readonly allowWrite: readonly string[];
  readonly denyWrite: readonly string[];
  readonly denyRead: readonly string[];
  readonly allowRead: readonly string[];
  readonly allowedDomains: readonly string[];
  readonly deniedDomains: readonly string[];
  readonly excludedCommands: readonly string[];
}

/** The sandbox settings in one settings file. docs/configuration.md. */
export interface SandboxValues extends SandboxLists {
  readonly enabled?: boolean;
  readonly failIfUnavailable?: boolean;
  readonly autoAllowBashIfSandboxed?: boolean;
  readonly allowUnsandboxedCommands?: boolean;
  readonly enableWeakerNestedSandbox?: boolean;
  readonly allowLocalBinding?: boolean;
  readonly allowAllUnixSockets?: boolean;
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
};

/** Says what is wrong with a value: its node, its field, and what is expected. */
export type ReportProblem = (node: Node, field: string, expected: string) => void;

const SWITCHES = [
  'enabled',
  'failIfUnavailable',
  'autoAllowBashIfSandboxed',
  'allowUnsandboxedCommands',
  'enableWeakerNestedSandbox',
] as const;
const NETWORK_SWITCHES = ['allowLocalBinding', 'allowAllUnixSockets'] as const;
const PATH_LISTS = ['allowWrite', 'denyWrite', 'denyRead', 'allowRead'] as const;
const HOST_LISTS = ['allowedDomains', 'deniedDomains'] as const;

/** The names of all fields, by the object they stand in. */
export const SANDBOX_KEYS = {
  own: new Set<string>([...SWITCHES, 'excludedCommands', 'filesystem', 'network']),
  filesystem: new Set<string>(PATH_LISTS),
  network: new Set<string>([...NETWORK_SWITCHES, ...HOST_LISTS]),
} as const;

/** Reads the `sandbox` object of a settings file. A bad value costs only itself and is reported. */
export function readSandboxValues(node: Node | undefined, report: ReportProblem): SandboxValues {
  if (node === undefined) return NO_SANDBOX_VALUES;
  const filesystem = child(node, 'filesystem');
  const network = child(node, 'network');
  for (const [name, part] of [
    ['sandbox.filesystem', filesystem],
    ['sandbox.network', network],
  ] as const) {
    if (part && part.type !== 'object') report(part, name, 'an object is expected');
  }
  return {
    ...switches(node, SWITCHES, 'sandbox.', report),
    ...switches(network, NETWORK_SWITCHES, 'sandbox.network.', report),
    ...lists(filesystem, PATH_LISTS, 'sandbox.filesystem.', isPath, 'a path in quotes', report),
    ...lists(network, HOST_LISTS, 'sandbox.network.', isHostPattern, HOST_EXPECTED, report),
    ...lists(node, ['excludedCommands'], 'sandbox.', isPath, 'a command in quotes', report),
  };
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
