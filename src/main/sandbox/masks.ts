import { statSync } from 'node:fs';
import type { CredentialEnvVarConfig, CredentialFileConfig } from '@anthropic-ai/sandbox-runtime';
import type { MaskedFileStore } from '@anthropic-ai/sandbox-runtime/dist/sandbox/credential-mask-files.js';
import type { AwsPair, MaskedFile, MaskedValue, MaskShape } from '../engine/ports-sandbox';
import type { Library } from './library';

/** A value that a header can carry; others would be refused on the way out. */
const FITS_HEADER = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;

/** All of a file but the space around it, which no header could carry. */
const WHOLE = '(\\S(?:[\\s\\S]*\\S)?)';

/** The largest file that is masked. Bytes. */
const MAX_FILE_BYTES = 1024 * 1024;

/** Masked keys, and the names of those that cannot be masked: they are withheld. */
interface MaskedVariables {
  /** The stand-ins, by variable. */
  readonly standIns: Readonly<Record<string, string>>;
  readonly unmasked: readonly string[];
}

/**
 * Gives the values of variables to the proxies, and makes their stand-ins. The library would take values from this process's
 * environment, which its other children inherit. Throws where nothing may run without a key.
 */
export function maskVariables(
  { manager, buildMaskedEnvVars, registerAwsPairs }: Library,
  masked: readonly MaskedValue[],
  pairs: readonly AwsPair[],
): MaskedVariables {
  const held = masked.filter(({ value, shape }) => shape !== undefined || FITS_HEADER.test(value));
  const env = Object.fromEntries(held.map(({ name, value }) => [name, value]));
  const entries = held.map(
    ({ name, hosts, shape }): CredentialEnvVarConfig => ({
      ...{ name, mode: 'mask', injectHosts: [...hosts] },
      ...formOf(shape),
    }),
  );
  const { setEnvVars } = buildMaskedEnvVars(entries, [], manager.getSentinelRegistry(), env);
  const signing = manager.getAwsPairRegistry();
  signing.clear();
  registerAwsPairs(entries, [...pairs], [], setEnvVars, signing, env);
  return {
    standIns: setEnvVars,
    unmasked: masked.flatMap(({ name }) => (name in setEnvVars ? [] : [name])),
  };
}

/**
 * Returns the entries of files by which the library masks them, and the paths of those that it cannot mask. A file that is not
 * there has no key. Throws where nothing may run without one.
 */
export function maskableFiles(library: Library, files: readonly MaskedFile[]) {
  const entries: CredentialFileConfig[] = [];
  const unmasked: string[] = [];
  for (const { path, hosts, shape } of files) {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) continue;
    const entry: CredentialFileConfig = {
      ...{ path, mode: 'mask', injectHosts: [...hosts] },
      ...(shape === undefined ? { extract: WHOLE } : formOf(shape)),
      ...(shape?.duplicates === true ? { maskDuplicates: true } : {}),
    };
    const fits = stat.isFile() && stat.size <= MAX_FILE_BYTES && isMaskable(library, entry, shape);
    if (fits) entries.push(entry);
    else unmasked.push(path);
  }
  return { entries, unmasked };
}

/** Tells whether the library masks a file: it would leave one that it cannot mask as it is. Nothing is kept of this trial. */
function isMaskable(
  { buildMaskedFileBinds, SentinelRegistry }: Library,
  entry: CredentialFileConfig,
  shape: MaskShape | undefined,
): boolean {
  const nowhere = { write: () => '' } as unknown as MaskedFileStore;
  try {
    return buildMaskedFileBinds([entry], [], new SentinelRegistry(), nowhere).binds.length === 1;
  } catch (thrown) {
    if (shape?.failsWithout === true) throw thrown;
    return false;
  }
}

/** Lets keys go nowhere that are no longer masked: nothing can be taken out of the registry. */
export function revoke(
  { manager }: Library,
  variables: Readonly<Record<string, unknown>>,
  files: readonly CredentialFileConfig[],
): void {
  const registry = manager.getSentinelRegistry();
  const known = [
    ...Object.keys(variables).flatMap((name) => [name, `env:${name}`]),
    ...files.map(({ path }) => `file:${path}`),
  ];
  for (const name of registry.namesInjectableAt('', () => true)) {
    const isKnown = known.some((one) => name === one || name.startsWith(`${one}#`));
    if (!isKnown) registry.register(name, '', []);
  }
}

function formOf(shape: MaskShape | undefined) {
  if (shape === undefined) return {};
  const { extract, decode, claims, failsWithout } = shape;
  return {
    ...(extract === undefined ? {} : { extract }),
    ...(decode === undefined ? {} : { decode }),
    ...(claims === undefined ? {} : { maskClaims: [...claims] }),
    // The library's own choice would be to let it through.
    onExtractNoMatch: failsWithout === true ? ('error' as const) : ('deny' as const),
  };
}
