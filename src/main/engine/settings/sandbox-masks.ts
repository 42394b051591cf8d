import type { SettingsProblem } from '../../../shared/settings';
import type { AwsPair, MaskShape } from '../ports-sandbox';
import type { WantedMask } from './sandbox-credentials';

/** A key for which commands get a stand-in, and the hosts where it is put in on the way out. */
export interface MaskedKey {
  /** The name of the variable, or the absolute path of the file. */
  readonly name: string;
  readonly hosts: readonly string[];
  readonly shape?: MaskShape;
}

interface MaskLayer {
  readonly file: string;
  /** It may say where a key goes: it is not the folder's. */
  readonly isOwn: boolean;
  readonly masked: readonly WantedMask[];
  readonly withheld: readonly string[];
}

interface MaskTerms {
  readonly field: 'sandbox.credentials.envVars' | 'sandbox.credentials.files';
  /** All layers, strongest first. */
  readonly layers: readonly MaskLayer[];
  /** The hosts that layers of one's own allow. */
  readonly allowedDomains: readonly string[];
  /** The reason that no key can be put in; null when one can. */
  readonly obstacle: string | null;
  /** Keys that requests are signed with: they go nowhere where nobody names a host. */
  readonly signing?: ReadonlySet<string>;
}

/**
 * Merges what layers say about keys; of those that mask one, the strongest counts. What is not masked is withheld, and told.
 * Pure.
 */
export function mergeMasks(
  { field, layers, allowedDomains, obstacle, signing = new Set() }: MaskTerms,
  problems: SettingsProblem[],
): { readonly masked: readonly MaskedKey[]; readonly withheld: readonly string[] } {
  const tell = (file: string, text: string) =>
    problems.push({ file, field, level: 'warning', message: `${file}: ${field}: ${text}.` });
  const withheld = new Set(layers.flatMap((layer) => layer.withheld));
  for (const layer of layers.filter(({ isOwn }) => !isOwn)) {
    for (const { name } of layer.masked) {
      withheld.add(name);
      tell(layer.file, `“${name}” is withheld: a folder cannot say where a key goes`);
    }
  }
  const masked = new Map<string, MaskedKey>();
  for (const { file, masked: wanted } of layers.filter(({ isOwn }) => isOwn)) {
    for (const { name, hosts: named, shape } of wanted) {
      if (withheld.has(name) || masked.has(name)) continue;
      const signs = named === undefined && signing.has(name);
      const hosts = signs ? [] : (named ?? allowedDomains.filter(isWhole));
      const allowed = hosts.filter((host) => allowedDomains.some((domain) => covers(domain, host)));
      const strays = hosts.filter((host) => !allowed.includes(host));
      if (obstacle === null)
        for (const host of strays)
          tell(file, `“${name}” does not go to ${host}: no allowedDomains of yours name it`);
      if (obstacle === null && (allowed.length > 0 || signs))
        masked.set(name, { name, hosts: allowed, ...(shape === undefined ? {} : { shape }) });
      else {
        withheld.add(name);
        tell(file, `“${name}” is withheld: ${obstacle ?? 'there is no host where it may go'}`);
      }
    }
  }
  return { masked: [...masked.values()], withheld: [...withheld] };
}

const USUAL: AwsPair = {
  ...{ accessKeyIdVar: 'AWS_ACCESS_KEY_ID', secretAccessKeyVar: 'AWS_SECRET_ACCESS_KEY' },
  sessionTokenVar: 'AWS_SESSION_TOKEN',
};

/** Returns the keys that requests are signed with: those of the pairs, and the usual one where no pair has its names. Pure. */
export function signingKeys(pairs: readonly AwsPair[]): ReadonlySet<string> {
  const named = new Set(pairs.flatMap((pair) => Object.values(pair)));
  const isUsual = Object.values(USUAL).every((name) => !named.has(name));
  return new Set(
    [...pairs, ...(isUsual ? [USUAL] : [])].map(({ secretAccessKeyVar }) => secretAccessKeyVar),
  );
}

/** Tells whether a pattern names a host with all its ports: what is put in looks at the host alone. */
const isWhole = (domain: string): boolean => !/:[0-9]+$/.test(domain);

/** Tells whether everything that `host` names lies within `domain`; both may be patterns. */
function covers(domain: string, host: string): boolean {
  const [wide, narrow] = [domain.toLowerCase(), host.toLowerCase()];
  if (wide === narrow) return true;
  return wide.startsWith('*.') && narrow.replace(/^\*\./, '').endsWith(wide.slice(1));
}
