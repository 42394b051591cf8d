import type { SettingsProblem } from '../../../shared/settings';
import type { SandboxValues } from './sandbox-values';

/** A variable for which commands get a stand-in, and the hosts where its value is put in on the way out. */
export interface MaskedVariable {
  readonly name: string;
  readonly hosts: readonly string[];
}

interface MaskLayer {
  readonly file: string;
  readonly sandbox: Pick<SandboxValues, 'maskedVariables' | 'credentialVariables'>;
}

interface MaskTerms {
  /** All layers, strongest first. */
  readonly layers: readonly MaskLayer[];
  /** Those that may say where a key goes: not the folder's. */
  readonly own: readonly MaskLayer[];
  /** The hosts that the layers of `own` allow. */
  readonly allowedDomains: readonly string[];
  /** The reason that no value can be put in; null when one can. */
  readonly obstacle: string | null;
}

/**
 * Merges what layers say about variables with keys; of those that mask a variable, the strongest counts. What is not masked is
 * withheld, and told. Pure.
 */
export function mergeMasks(
  { layers, own, allowedDomains, obstacle }: MaskTerms,
  problems: SettingsProblem[],
): { readonly masked: readonly MaskedVariable[]; readonly withheld: readonly string[] } {
  const field = 'sandbox.credentials.envVars';
  const tell = (file: string, text: string) =>
    problems.push({ file, field, level: 'warning', message: `${file}: ${field}: ${text}.` });
  const withheld = new Set(layers.flatMap(({ sandbox }) => sandbox.credentialVariables));
  for (const layer of layers.filter((one) => !own.includes(one))) {
    for (const { name } of layer.sandbox.maskedVariables) {
      withheld.add(name);
      tell(layer.file, `“${name}” is withheld: a folder cannot say where a key goes`);
    }
  }
  const masked = new Map<string, MaskedVariable>();
  for (const { file, sandbox } of own) {
    for (const { name, hosts = allowedDomains.filter(isWhole) } of sandbox.maskedVariables) {
      if (withheld.has(name) || masked.has(name)) continue;
      const allowed = hosts.filter((host) => allowedDomains.some((domain) => covers(domain, host)));
      const strays = hosts.filter((host) => !allowed.includes(host));
      if (obstacle === null)
        for (const host of strays)
          tell(file, `“${name}” does not go to ${host}: no allowedDomains of yours name it`);
      if (obstacle === null && allowed.length > 0) masked.set(name, { name, hosts: allowed });
      else {
        withheld.add(name);
        tell(file, `“${name}” is withheld: ${obstacle ?? 'there is no host where it may go'}`);
      }
    }
  }
  return { masked: [...masked.values()], withheld: [...withheld] };
}

/** Tells whether a pattern names a host with all its ports: what is put in looks at the host alone. */
const isWhole = (domain: string): boolean => !/:[0-9]+$/.test(domain);

/** Tells whether everything that `host` names lies within `domain`; both may be patterns. */
function covers(domain: string, host: string): boolean {
  const [wide, narrow] = [domain.toLowerCase(), host.toLowerCase()];
  if (wide === narrow) return true;
  return wide.startsWith('*.') && narrow.replace(/^\*\./, '').endsWith(wide.slice(1));
}
