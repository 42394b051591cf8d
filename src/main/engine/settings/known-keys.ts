import type { Node } from 'jsonc-parser';
import { nearestName } from '../../../shared/nearest-name';
import type { SettingsProblem } from '../../../shared/settings';
import type { JsonTree, Property } from './json-text';
import { propertiesOf } from './json-text';
import { nestedObjects, toolRemarks } from './nested-keys';
import {
  limitMeant,
  looseList,
  lossOf,
  meansPermissions,
  PERMISSIONS,
  restrictionMeant,
  TOP,
} from './restricting-keys';
import { SANDBOX_DENIALS, SANDBOX_KEYS } from './sandbox-values';
import { WORKTREE_FIELDS } from './schema';
import { USED_ELSEWHERE } from './used-elsewhere';

/** A remark about one property: where it stands, its name with that of its parents, and what is told. */
export interface KeyRemark {
  readonly at: number;
  readonly field: string;
  readonly message: string;
  /** It may deny something that nobody can read. */
  readonly loses?: true;
}

/** Fields inside others that only other programs use. */
const NESTED_ELSEWHERE: ReadonlySet<string> = new Set([
  ...['attribution.sessionUrl', 'statusLine.hideVimModeIndicator'],
  ...['statusLine.padding', 'statusLine.refreshInterval'],
]);

/** Fields that say nothing about what a program does. */
const SILENT: ReadonlySet<string> = new Set(['$schema', '$comment']);

/** Fields of `worktree` that only other programs use. */
const WORKTREE_ELSEWHERE: ReadonlySet<string> = new Set(['sparsePaths', 'bgIsolation', 'location']);
const WORKTREE: ReadonlySet<string> = new Set([
  ...Object.keys(WORKTREE_FIELDS),
  ...WORKTREE_ELSEWHERE,
]);

/** Returns a remark for each field of a settings file that nobody reads, with the name that may be meant. Pure. */
export function unknownKeys(root: JsonTree['root']): KeyRemark[] {
  const top = propertiesOf(root);
  const used = top.filter(({ name }) => !SILENT.has(name) && !USED_ELSEWHERE.has(name));
  const nested = nestedObjects(top);
  const nestedElsewhere = nested.flatMap(({ properties, prefix }) =>
    properties
      .map((one) => ({ ...one, name: `${prefix}${one.name}` }))
      .filter(({ name }) => NESTED_ELSEWHERE.has(name)),
  );
  return [
    ...unknownSettings(used, TOP, ''),
    ...elsewhere([...top.filter(({ name }) => USED_ELSEWHERE.has(name)), ...nestedElsewhere]),
    ...nested.flatMap(({ properties, known, prefix }) =>
      unknownAmong(
        properties.filter(({ name }) => !NESTED_ELSEWHERE.has(`${prefix}${name}`)),
        known,
        prefix,
      ),
    ),
    ...used
      .filter(({ name }) => meansPermissions(name))
      .flatMap(({ name, value }) => unknownSettings(propertiesOf(value), PERMISSIONS, `${name}.`)),
    ...below(top, 'worktree', WORKTREE, ''),
    ...top
      .filter(({ name }) => name === 'worktree')
      .flatMap(({ value }) =>
        elsewhere(
          propertiesOf(value)
            .filter(({ name }) => WORKTREE_ELSEWHERE.has(name))
            .map((one) => ({ ...one, name: `worktree.${one.name}` })),
        ),
      ),
    ...top
      .filter(({ name }) => name === 'mcpServers')
      .flatMap(({ value }) => unknownServerKeys(value)),
    ...top
      .filter(({ name }) => name === 'sandbox')
      .flatMap(({ value }) => [
        ...unknownSettings(propertiesOf(value), SANDBOX_KEYS.own, 'sandbox.'),
        ...(['filesystem', 'network', 'credentials'] as const).flatMap((part) =>
          propertiesOf(value)
            .filter(({ name }) => name === part)
            .flatMap((one) =>
              unknownSettings(propertiesOf(one.value), SANDBOX_KEYS[part], `sandbox.${part}.`),
            ),
        ),
      ]),
  ];
}

/** Fields of a tool server that Lathe reads, or that belong to a kind of server which it tells of as a whole. */
const SERVER_KEYS: ReadonlySet<string> = new Set(
  'type name command args env alwaysLoad timeout url headers headersHelper oauth tools disabled enabled'.split(
    ' ',
  ),
);

const OAUTH_KEYS: ReadonlySet<string> = new Set(['clientId', 'callbackPort', 'scopes']);

/** Returns a remark for each field of tool servers that nobody reads. Pure. */
export const unknownServerKeys = (servers: Node): KeyRemark[] =>
  propertiesOf(servers).flatMap(({ name, value }) => [
    ...unknownAmong(propertiesOf(value), SERVER_KEYS, `mcpServers.${name}.`),
    ...below(propertiesOf(value), 'oauth', OAUTH_KEYS, `mcpServers.${name}.`),
    ...toolRemarks(value, `mcpServers.${name}.tools`),
  ]);

/** Returns remarks as problems of a file. Pure. */
export const remarkProblems = (
  file: string,
  { lineOf }: Pick<JsonTree, 'lineOf'>,
  remarks: readonly KeyRemark[],
): readonly SettingsProblem[] =>
  remarks.map(({ at, field, message }) => {
    const line = lineOf(at);
    const told = `${file}, line ${line}: ${field}: ${message}.`;
    return { file, line, field, message: told, level: 'warning' };
  });

const below = (
  properties: readonly Property[],
  parent: string,
  known: ReadonlySet<string>,
  prefix: string,
): KeyRemark[] =>
  properties
    .filter(({ name }) => name === parent)
    .flatMap(({ value }) => unknownAmong(propertiesOf(value), known, `${prefix}${parent}.`));

/** Returns a remark for each property that is not among the known names. Pure. */
export function unknownAmong(
  properties: readonly Property[],
  known: ReadonlySet<string>,
  prefix: string,
): KeyRemark[] {
  return properties
    .filter(({ name }) => !known.has(name))
    .map((one) => ignored(one, known, prefix));
}

function ignored({ name, at }: Property, known: ReadonlySet<string>, prefix: string): KeyRemark {
  const meant = nearestName(name, known);
  const advice = meant === null ? '' : `; “${meant}” may be meant`;
  const message = `there is no such setting, so it is ignored${advice}`;
  return { at, field: `${prefix}${name}`, message };
}

/** Returns a remark for each unknown field of a file, of `permissions` or of `sandbox`. What may deny something is not just ignored. */
const unknownSettings = (
  properties: readonly Property[],
  known: ReadonlySet<string>,
  prefix: string,
): KeyRemark[] =>
  properties
    .filter(({ name }) => !known.has(name))
    .map((one) => {
      const kept = restrictionKept(one, known);
      const about = { at: one.at, field: `${prefix}${one.name}` };
      if (kept !== null) return { ...about, message: `there is no such setting; ${kept}` };
      const loss = lossOf(one, known, properties);
      if (loss === null) return ignored(one, known, prefix);
      const meant = nearestName(one.name, known);
      const advice = meant === null ? '' : ` (“${meant}” may be meant)`;
      const message = `there is no such setting${advice}, and ${loss}`;
      return { ...about, message, loses: true };
    });

/** Returns what counts of a misspelled key that may take something away; null where nothing does. */
function restrictionKept(one: Property, known: ReadonlySet<string>): string | null {
  if (known !== TOP && known !== PERMISSIONS) {
    const meant = nearestName(one.name, known) ?? '';
    return SANDBOX_DENIALS.has(meant) ? countsAs(meant) : null;
  }
  const limit = limitMeant(one.name);
  if (limit !== null) return `it counts as “${limit}”, because it only takes something away`;
  const list = known === PERMISSIONS ? restrictionMeant(one.name) : looseList(one);
  if (list !== null) return countsAs(list);
  return known === TOP && meansPermissions(one.name)
    ? '“permissions” may be meant; only what it denies and asks about counts'
    : null;
}

const countsAs = (list: string): string => `it counts as “${list}”, so that no denial is lost`;

/** Tells of the fields that only other programs use in one remark, so that a shared file makes no noise. */
function elsewhere(found: readonly Property[]): KeyRemark[] {
  const [first] = found;
  if (first === undefined) return [];
  const names = [...new Set(found.map(({ name }) => name))];
  const message = `Lathe does not use ${names.length === 1 ? 'this setting' : 'these settings'}; other programs may`;
  return [{ at: first.at, field: names.join(', '), message }];
}
