import { Anthropic } from '@anthropic-ai/sdk';

type Options = Parameters<Anthropic['buildRequest']>[0];
type Built = Awaited<ReturnType<Anthropic['buildRequest']>>;

/**
 * The SDK's client, for requests that differ in nothing but their bodies: their address and headers, which are the larger
 * part of what the SDK does for a request, are made once. The same `Headers` object stands for the same headers. Options other
 * than body and signal must be plain data.
 */
export class SteadyAnthropic extends Anthropic {
  #last: { readonly key: string; readonly built: Built } | null = null;

  override async buildRequest(
    options: Options,
    { retryCount = 0 }: { retryCount?: number } = {},
  ): Promise<Built> {
    const { body, signal, ...rest } = options;
    if (typeof body !== 'string' || body === '' || rest.headers instanceof Headers)
      return super.buildRequest(options, { retryCount });
    const key = JSON.stringify([rest, retryCount]);
    if (this.#last?.key !== key) {
      this.#last = {
        key,
        built: await super.buildRequest({ ...rest, body: '{}' }, { retryCount }),
      };
    }
    const { built } = this.#last;
    return { ...built, req: { ...built.req, body, ...(signal ? { signal } : {}) } };
  }
}
