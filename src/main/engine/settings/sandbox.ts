import path from 'node:path';
import type { RuleSource } from '../../../shared/permission';
import type { SettingsProblem } from '../../../shared/settings';
import { relativeInside } from '../permissions/paths';
import type { SandboxLists, SandboxValues } from './sandbox-values';

/** What applies to the sandbox of a project. Paths are absolute; those for reading may be patterns. */
export interface SandboxSettings extends SandboxLists {
  readonly enabled: boolean;
  /** Commands inside run unasked, unless a deny or ask rule or a safety check says otherwise. */
  readonly autoAllow: boolean;
  /** The model may ask to run a command outside; a person is asked each time. */
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

/** What paths in settings are relative to. */
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
 * The path an entry means: `/x` and `//x` from the root, `~/x` from home, anything else from the project, in the user's own
 * settings from their folder. `/**` at the end says no more than the folder.
 */
function sandboxPath(written: string, source: RuleSource, places: SandboxPlaces): string {
  const text = written.replace(/\/\*\*$/, '') || '/';
  if (text === '~' || text.startsWith('~/')) return path.join(places.home, text.slice(1));
  if (text.startsWith('//')) return path.resolve(text.slice(1));
  return path.resolve(source === 'userSettings' ? places.configDir : places.project, text);
}
