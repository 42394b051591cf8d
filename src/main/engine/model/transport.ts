import type { BaseAnthropic } from '@anthropic-ai/sdk/client';
import type { PlanLimits } from '../../../shared/plan-limits';
import { requireUnpacked } from './network-error';
import { readPlanLimits } from './plan-limits';
import { answerByRead } from './read-answer';
import type { RawEvent } from './server-sent-events';

/** The wait for the first byte of an answer (`API_TIMEOUT_MS`, docs/configuration.md). Milliseconds. */
export const DEFAULT_TIMEOUT_MS = 600_000;

/** A body as `POST /v1/messages` takes it. */
export type Body = Readonly<Record<string, unknown>>;

/** An answer with the facts of its response. */
export interface Received {
  /** Events of one network read come together; an answer in one piece is told as those it would have come in. */
  readonly events: AsyncIterable<readonly RawEvent[]>;
  readonly status: number;
  /** The provider's name of the request, for its support. */
  readonly requestId?: string;
  /** The limits of the plan that pays, where the answer tells them. */
  readonly limits?: PlanLimits | null;
}

/** The way to one provider. */
export interface ProviderTransport {
  /** Sends a request. Throws what the SDK throws; the SDK is loaded at the first call. */
  send(body: Body, signal: AbortSignal): Promise<Received>;
}

/** The parts that all requests of a provider share. */
export interface RequestOptions {
  readonly timeoutMs: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Turns bodies into JSON; absent where the SDK changes them before they leave. */
  readonly json?: (body: Body) => string;
}

/**
 * Creates a transport over a client of the SDK's family: they all take `POST /v1/messages` and give server-sent events,
 * whatever the provider really speaks. Tries a load that failed again at the next request.
 */
export function sdkTransport(
  load: () => Promise<BaseAnthropic>,
  { timeoutMs, headers = {}, json }: RequestOptions,
): ProviderTransport {
  let loading: Promise<BaseAnthropic> | undefined;
  return {
    send: async (body, signal) => {
      loading ??= load().catch((problem: unknown) => {
        loading = undefined;
        throw problem;
      });
      const client = await loading;
      const stream = body['stream'] === true;
      const sent =
        json === undefined
          ? { body, headers }
          : { body: json(body), headers: { ...headers, 'content-type': 'application/json' } };
      const response = await client
        .post('/v1/messages', { ...sent, stream, signal, timeout: timeoutMs })
        .asResponse();
      const { status, headers: answered } = response;
      requireUnpacked(response);
      const requestId = answered.get('request-id') ?? answered.get('x-amzn-requestid');
      const limits = readPlanLimits(answered);
      const events = answerByRead(response);
      return { events, status, limits, ...(requestId === null ? {} : { requestId }) };
    },
  };
}

/** Settings of the wire that hold for every provider. */
export interface ProviderWire {
  readonly timeoutMs: number;
  /** Absent: the version the provider's package was made for. */
  readonly version?: string;
  readonly betas: readonly string[];
  readonly customHeaders: Readonly<Record<string, string>>;
  readonly fetch?: typeof fetch;
}

/** Returns the headers of every request; the packages move version and betas to where their provider wants them. */
export const providerHeaders = (wire: ProviderWire): Readonly<Record<string, string>> => ({
  ...wire.customHeaders,
  ...(wire.version === undefined ? {} : { 'anthropic-version': wire.version }),
  ...(wire.betas.length === 0 ? {} : { 'anthropic-beta': wire.betas.join(',') }),
});
