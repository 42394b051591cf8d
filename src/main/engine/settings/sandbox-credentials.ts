import type { Node } from 'jsonc-parser';
import type { AwsPair, MaskShape, SigningPolicy } from '../ports-sandbox';
import { plainValue, propertiesOf } from './json-text';
import {
  child,
  children,
  isHostPattern,
  isPath,
  lists,
  type ReportProblem,
} from './sandbox-fields';

/** A key for which commands get a stand-in. */
export interface WantedMask {
  /** The name of the variable, or the path of the file as written. */
  readonly name: string;
  /** Where its value is put in on the way out; absent: at all allowed hosts. */
  readonly hosts?: readonly string[];
  /** Absent: all of it is masked. */
  readonly shape?: MaskShape;
}

/** Holds the settings of one file about keys. */
export interface CredentialValues {
  /** Files and folders that hold keys, as written. */
  readonly credentialFiles: readonly string[];
  /** Variables that hold keys. */
  readonly credentialVariables: readonly string[];
  readonly maskedFiles: readonly WantedMask[];
  readonly maskedVariables: readonly WantedMask[];
  /** Keys are put in where nothing is encrypted, too. */
  readonly allowPlaintextInject?: boolean;
  readonly awsPairs?: readonly AwsPair[];
  readonly sigv4?: SigningPolicy;
}

/** The names of the fields of `credentials`. */
export const CREDENTIAL_KEYS = ['files', 'envVars', 'allowPlaintextInject', 'awsPairs', 'sigv4'];

/** The names of the fields of a key that can be masked, beside its own name. */
const ENTRY_KEYS: ReadonlySet<string> = new Set([
  ...['mode', 'injectHosts', 'extract', 'decode', 'maskClaims', 'onExtractNoMatch'],
  'maskDuplicates',
]);

/** The longest pattern that picks keys out of a text. Characters. */
const MAX_PATTERN_CHARS = 1000;

/**
 * Reads the `credentials` of a sandbox. The last object counts, but the keys of all of them are kept; one whose entry says something wrong
 * is withheld.
 */
export function readCredentials(
  nodes: readonly Node[],
  report: ReportProblem,
  lose: ReportProblem,
): CredentialValues {
  const node = nodes.at(-1);
  const files = keysIn(nodes, 'files', 'path', isPath, { report, lose });
  const variables = keysIn(nodes, 'envVars', 'name', isVariable, { report, lose });
  const pairs = awsPairs(child(node, 'awsPairs'), report);
  const sigv4 = signing(child(node, 'sigv4'), report);
  const plaintext = child(node, 'allowPlaintextInject');
  if (plaintext !== undefined && plaintext.type !== 'boolean')
    report(plaintext, 'sandbox.credentials.allowPlaintextInject', 'true or false is expected');
  return {
    credentialFiles: files.withheld,
    maskedFiles: files.masked,
    credentialVariables: variables.withheld,
    maskedVariables: variables.masked,
    ...(plaintext?.type === 'boolean' ? { allowPlaintextInject: Boolean(plaintext.value) } : {}),
    ...(pairs === null ? {} : { awsPairs: pairs }),
    ...(sigv4 === null ? {} : { sigv4 }),
  };
}

/** Tells whether a shell can have a variable of that name. */
const isVariable = (text: unknown): text is string =>
  typeof text === 'string' && /^[A-Za-z_][A-Za-z0-9_]*$/.test(text);

/** Reads a list of keys. */
function keysIn(
  credentials: readonly Node[],
  list: 'files' | 'envVars',
  key: 'path' | 'name',
  fits: (text: string) => boolean,
  { report, lose }: Readonly<Record<'report' | 'lose', ReportProblem>>,
): { readonly masked: readonly WantedMask[]; readonly withheld: readonly string[] } {
  const field = `sandbox.credentials.${list}`;
  const masked: WantedMask[] = [];
  const withheld: string[] = [];
  const values = children(credentials, list);
  for (const value of values.filter(({ type }) => type !== 'array'))
    lose(value, field, 'a list of objects is expected');
  for (const item of values.flatMap((value) => (value.type === 'array' && value.children) || [])) {
    const name = saidIn(item, key);
    if (typeof name !== 'string' || !fits(name)) {
      report(item, field, `an object with "${key}" is expected`);
      continue;
    }
    const mode = saidIn(item, 'mode');
    const unknown = propertiesOf(item).find((one) => one.name !== key && !ENTRY_KEYS.has(one.name));
    // A misspelled one may be what says where the key goes.
    const shape =
      unknown === undefined
        ? shapeIn(item, list === 'files')
        : `there is no field “${unknown.name}”`;
    if (mode === 'mask' && typeof shape !== 'string') {
      const hosts = child(item, 'injectHosts') && injectHosts(item, field, report);
      masked.push({
        name,
        ...(hosts === undefined ? {} : { hosts }),
        ...(shape === null ? {} : { shape }),
      });
      continue;
    }
    withheld.push(name);
    const why = mode === 'mask' ? shape : 'its "mode" is "deny" or "mask"';
    if (mode !== 'deny') report(item, field, `“${name}” is withheld: ${why}`);
  }
  return { masked, withheld };
}

const saidIn = (item: Node, name: string): unknown => {
  const value = child(item, name);
  return value === undefined ? undefined : plainValue(value);
};

/** Reads which part of a key is masked, and in which form; null: all of it. A text says why it cannot be masked so. */
function shapeIn(item: Node, isFile: boolean): MaskShape | string | null {
  const [extract, decode, claims, noMatch, duplicates] = [
    ...['extract', 'decode', 'maskClaims', 'onExtractNoMatch', 'maskDuplicates'],
  ].map((name) => saidIn(item, name));
  if (extract !== undefined && !picks(extract))
    return '"extract" is no pattern with a group in parentheses that is the key';
  if (decode !== undefined && decode !== 'jwt') return '"decode" is "jwt" where it is given';
  if (extract !== undefined && decode !== undefined && !isFile)
    return 'a variable has "extract" or "decode"';
  const named = claimsOf(claims);
  if (claims !== undefined && (decode === undefined || named === null))
    return '"maskClaims" is a list of names, beside "decode"';
  if (noMatch !== undefined && !['warn', 'deny', 'error'].includes(String(noMatch)))
    return '"onExtractNoMatch" is "warn", "deny" or "error"';
  if (extract === undefined && decode === undefined) return null;
  return {
    ...(extract === undefined ? {} : { extract: String(extract) }),
    ...(decode === undefined ? {} : { decode }),
    ...(named === null ? {} : { claims: named }),
    ...(noMatch === 'error' ? { failsWithout: true } : {}),
    ...(isFile && duplicates === true ? { duplicates: true } : {}),
  };
}

function claimsOf(value: unknown): readonly string[] | null {
  const isList = Array.isArray(value) && value.length > 0;
  return isList && value.every((one) => typeof one === 'string' && one !== '') ? value : null;
}

/** Tells whether a text is a pattern with a group. */
function picks(pattern: unknown): boolean {
  if (typeof pattern !== 'string' || pattern.length > MAX_PATTERN_CHARS) return false;
  try {
    // With the empty choice it matches, and tells its groups.
    return (new RegExp(`${pattern}|`).exec('')?.length ?? 0) > 1;
  } catch {
    return false;
  }
}

function injectHosts(item: Node, field: string, report: ReportProblem): readonly string[] {
  const fits = (text: string) => isHostPattern(text) && !/:[0-9]+$/.test(text);
  const expected = 'a host without a port, such as "example.com" or "*.example.com",';
  return lists(item, ['injectHosts'], `${field}.`, fits, expected, report).injectHosts;
}

function awsPairs(node: Node | undefined, report: ReportProblem): readonly AwsPair[] | null {
  if (node === undefined) return null;
  const field = 'sandbox.credentials.awsPairs';
  if (node.type !== 'array') {
    report(node, field, 'a list of objects is expected');
    return null;
  }
  return (node.children ?? []).flatMap((item) => {
    const [accessKeyIdVar, secretAccessKeyVar, sessionTokenVar] = [
      ...['accessKeyIdVar', 'secretAccessKeyVar', 'sessionTokenVar'],
    ].map((name) => saidIn(item, name));
    if (
      isVariable(accessKeyIdVar) &&
      isVariable(secretAccessKeyVar) &&
      (sessionTokenVar === undefined || isVariable(sessionTokenVar))
    )
      return [
        {
          ...{ accessKeyIdVar, secretAccessKeyVar },
          ...(sessionTokenVar === undefined ? {} : { sessionTokenVar }),
        },
      ];
    report(item, field, 'an object with "accessKeyIdVar" and "secretAccessKeyVar" is expected');
    return [];
  });
}

const SIGNING_KEYS = ['streaming', 'presigned', 'sigv4a'] as const;

function signing(node: Node | undefined, report: ReportProblem): SigningPolicy | null {
  if (node === undefined) return null;
  const found: { -readonly [kind in keyof SigningPolicy]: SigningPolicy[kind] } = {};
  const field = 'sandbox.credentials.sigv4';
  for (const { name, value } of propertiesOf(node))
    if (!SIGNING_KEYS.some((kind) => kind === name))
      report(
        value,
        `${field}.${name}`,
        'there is no such field: one of streaming, presigned, sigv4a',
      );
  for (const kind of SIGNING_KEYS) {
    const said = saidIn(node, kind);
    if (said === 'deny' || said === 'passthrough') found[kind] = said;
    else if (said !== undefined || node.type !== 'object')
      report(node, `${field}.${kind}`, '"deny" or "passthrough" is expected');
  }
  return found;
}
