import type { ProviderOptions } from '../model/providers/cloud';
import type { SettingsLayer } from './read';

/** The providers of models that managed settings let be used. */
export interface AllowedProviders {
  readonly file: string;
  readonly names: readonly string[];
  /** The addresses of endpoints of one's own that the managed settings name. */
  readonly addresses: readonly string[];
}

/** A way to models: a provider, at its own address or at another one. */
export type WayToModels =
  | Pick<ProviderOptions, 'kind' | 'baseUrl'>
  | { readonly kind: 'anthropic'; readonly baseUrl?: string | undefined };

const ADDRESSES = ['ANTHROPIC_BASE_URL', 'ANTHROPIC_BEDROCK_BASE_URL', 'ANTHROPIC_VERTEX_BASE_URL'];

/** Reads the list of the strongest managed file that has one; undefined where none has. Pure. */
export function allowedProvidersIn(
  managed: readonly SettingsLayer[],
): AllowedProviders | undefined {
  const layer = managed.find(({ fields }) => fields.allowedProviders !== undefined);
  if (layer === undefined) return undefined;
  const addresses = managed.flatMap(({ env }) => ADDRESSES.flatMap((name) => env[name] ?? []));
  return { file: layer.file, names: layer.fields.allowedProviders ?? [], addresses };
}

/** Returns why a way to models may not be used; null where it may. Pure. */
export function providerRefusal(
  allowed: AllowedProviders | undefined,
  { kind, baseUrl }: WayToModels,
): string | null {
  if (allowed === undefined) return null;
  const isOwn = baseUrl === undefined || (kind === 'anthropic' && isAnthropic(baseUrl));
  const name = isOwn ? kind : 'customEndpoint';
  if (allowed.names.includes(name) && (isOwn || allowed.addresses.includes(baseUrl))) return null;
  const what = isOwn ? `The provider "${kind}"` : 'This endpoint';
  return `${what} is not in allowedProviders of ${allowed.file}.`;
}

const isAnthropic = (url: string): boolean =>
  URL.canParse(url) && new URL(url).origin === 'https://api.anthropic.com';
