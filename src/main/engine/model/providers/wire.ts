/** What all requests to a provider have in common. */
export interface ProviderWire {
  readonly timeoutMs: number;
  /** Absent: the version the provider's package was made for. */
  readonly version?: string;
  readonly betas: readonly string[];
  readonly customHeaders: Readonly<Record<string, string>>;
  readonly fetch?: typeof fetch;
}

/** The headers of every request; the packages move version and betas to where their provider wants them. */
export const providerHeaders = (wire: ProviderWire): Readonly<Record<string, string>> => ({
  ...wire.customHeaders,
  ...(wire.version === undefined ? {} : { 'anthropic-version': wire.version }),
  ...(wire.betas.length === 0 ? {} : { 'anthropic-beta': wire.betas.join(',') }),
});
