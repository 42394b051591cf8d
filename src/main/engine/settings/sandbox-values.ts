import type { Node } from 'jsonc-parser';
import { plainValue, propertiesOf } from './json-tree';

/** What is allowed and denied of one kind, as written. */
export interface SandboxLists {
  readonly allowWrite: readonly string[];
  readonly denyWrite: readonly string[];
  readonly denyRead: readonly string[];
  readonly allowRead: readonly string[];
  readonly allowedDomains: readonly string[];
  readonly deniedDomains: readonly string[];
  readonly excludedCommands: readonly string[];
}

/** What one settings file says about the sandbox. CONVENTIONS 2. */
export interface SandboxValues extends SandboxLists {
  readonly enabled?: boolean;
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
  'autoAllowBashIfSandboxed',
  'allowUnsandboxedCommands',
  'enableWeakerNestedSandbox',
] as const;
const NETWORK_SWITCHES = ['allowLocalBinding', 'allowAllUnixSockets'] as const;
const PATH_LISTS = ['allowWrite', 'denyWrite', 'denyRead', 'allowRead'] as const;
const HOST_LISTS = ['allowedDomains', 'deniedDomains'] as const;

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

/** Of repeated names the last counts, as everywhere in JSON. */
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

/** Whether a text names a host (or everything below one) as the allow list understands it. */
export const isHostPattern = (text: string): boolean =>
  text.length <= 255 && HOST_PATTERN.test(text);
