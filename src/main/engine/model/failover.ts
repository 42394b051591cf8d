import type { Clock } from '../ports';
import type { ModelClient, ModelError, ModelEvent, ModelRequest } from './model-client';

/** One way to the models, in the order to be tried. */
export interface Provider {
  /** For people: `Anthropic`, `Amazon Bedrock`, `Google Vertex AI`. */
  readonly name: string;
  /** Asked while another provider is left: gives up soon. */
  readonly impatient: ModelClient;
  /** Asked when no other is left: keeps trying. */
  readonly patient: ModelClient;
}

/** A server that asks for a longer wait than this loses the request to the next provider. SPEC C8. Milliseconds. */
export const FAILOVER_WAIT_MS = 20_000;
/** How long a provider that failed is left alone when it does not say itself. Milliseconds. */
export const REST_MS = 60_000;

/**
 * Hands a request on to the next provider when one limits or cannot serve it, and says so. A provider that failed
 * rests until the time it named; never once a tool use of the answer was finished.
 */
export function withFailover(providers: readonly Provider[], clock: Clock): ModelClient {
  const restsUntil = new Map<string, number>();
  const isAwake = (provider: Provider) => (restsUntil.get(provider.name) ?? 0) <= clock.now();
  const failed = new Set<string>();
  let current = providers[0]?.name ?? '';

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const awake = providers.filter(isAwake);
    const queue = awake.length > 0 ? awake : [...providers];
    for (let i = 0; i < queue.length; i += 1) {
      const provider = queue[i];
      if (provider === undefined) return;
      if (provider.name !== current)
        yield failed.has(current) ? moved(current, provider.name) : backAt(provider.name);
      current = provider.name;
      const next = queue[i + 1];
      const error = yield* attempt(provider, next === undefined, request, signal);
      if (error === null) {
        failed.delete(provider.name);
        return;
      }
      failed.add(provider.name);
      restsUntil.set(provider.name, clock.now() + (error.retryAfterMs ?? REST_MS));
    }
  }
  return { stream };
}

/** Passes one provider's answer on. Gives the failure that another provider may mend, held back; else null. */
async function* attempt(
  provider: Provider,
  last: boolean,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, ModelError | null> {
  const client = last ? provider.patient : provider.impatient;
  let messageId: string | null = null;
  let toolFinished = false;
  for await (const event of client.stream(request, signal)) {
    if (event.type === 'message_started') messageId = event.messageId;
    if (event.type === 'message_voided') messageId = null;
    if (event.type === 'block_finished' && event.block.type === 'tool_use') toolFinished = true;
    const held = event.type === 'failed' && !last && !toolFinished && isMendable(event.error);
    if (!held || signal.aborted) {
      yield event;
      continue;
    }
    const reason = event.error.message;
    if (messageId !== null) yield { type: 'message_voided', messageId, reason };
    return event.error;
  }
  return null;
}

/** Failures of the provider, not of the request. */
const isMendable = (error: ModelError): boolean => error.retryable || error.kind === 'billing';

const moved = (from: string, to: string): ModelEvent => ({
  type: 'notice',
  level: 'warning',
  code: 'provider_failover',
  text: `${from} cannot serve this now; ${to} answers.`,
});

const backAt = (to: string): ModelEvent => ({
  type: 'notice',
  level: 'info',
  code: 'provider_failover',
  text: `${to} answers again.`,
});
