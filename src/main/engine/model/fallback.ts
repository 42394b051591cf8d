import type { Refusal } from '../../../shared/model-name';
import type { Clock } from '../ports';
import type { AskStandIn, ModelClient, ModelError, ModelEvent, ModelRequest } from './model-client';

/** The `overloaded` answers in a row before another model takes over (docs/spec.md C7). */
export const OVERLOADED_BEFORE_FALLBACK = 3;

export interface FallbackOptions {
  /** Serves while another model is left: gives up after {@link OVERLOADED_BEFORE_FALLBACK} overloads. */
  readonly impatient: ModelClient;
  /** Serves the last model: keeps trying. */
  readonly patient: ModelClient;
  /** In the order to be tried. */
  readonly models: readonly string[];
  /** Makes the same request for another model. */
  readonly forModel: (
    request: ModelRequest,
    model: string,
    signal: AbortSignal,
  ) => Promise<ModelRequest>;
}

/**
 * Passes a request on to the next model when one stays overloaded, and once when one declines and nobody who is asked is
 * against it; never once a tool use was finished.
 */
export function withFallback(options: FallbackOptions): ModelClient {
  return { stream: (request, signal) => tryModels(options, request, signal) };
}

async function* tryModels(
  options: FallbackOptions,
  first: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const rest = options.models.filter((model) => model !== first.model);
  let request = first;
  let mayDecline = true;
  for (;;) {
    const next = rest.shift();
    const client = next === undefined ? options.patient : options.impatient;
    let messageId: string | null = null;
    let toolFinished = false;
    let overloaded = false;
    let declined: Declined | null = null;
    for await (const event of client.stream(request, signal)) {
      if (event.type === 'message_started') messageId = event.messageId;
      if (event.type === 'message_voided') messageId = null;
      if (event.type === 'block_finished' && event.block.type === 'tool_use') toolFinished = true;
      overloaded = event.type === 'failed' && event.error.kind === 'overloaded';
      const isFinal = toolFinished || next === undefined;
      if (!isFinal && mayDecline && isRefusal(event)) declined = event;
      else if (isFinal || !overloaded) yield event;
    }
    if ((!overloaded && declined === null) || toolFinished || next === undefined) return;
    const { model } = request;
    const why = declined?.refusal ?? UNEXPLAINED;
    if (declined !== null) {
      mayDecline = false;
      const wish = await request.askStandIn?.({ from: model, to: next, refusal: why }, signal);
      if (wish === 'refused' && !signal.aborted) {
        yield { ...declined, refusal: { ...why, kept: true } };
        return;
      }
      const { usage, costUsd } = declined;
      yield { type: 'spent', model, usage, costUsd };
      if (signal.aborted || wish === 'edit') {
        const message = 'The prompt is written anew.';
        if (messageId !== null) yield { type: 'message_voided', messageId, reason: message };
        yield { type: 'failed', error: { kind: 'aborted', message, retryable: false } };
        return;
      }
    }
    const reason = `${model} ${declined === null ? 'is overloaded' : 'declined to answer'}.`;
    if (messageId !== null) yield { type: 'message_voided', messageId, reason };
    const refusal = declined && { refusal: why };
    yield { type: 'model_fallback', from: model, to: next, ...refusal };
    request = await options.forModel(request, next, signal);
  }
}

type Declined = Extract<ModelEvent, { type: 'message_finished' }>;

const isRefusal = (event: ModelEvent): event is Declined =>
  event.type === 'message_finished' && event.stopReason === 'refusal';

const UNEXPLAINED: Refusal = { category: null, explanation: null };

/** A way to the models. */
export interface Provider {
  /** The name for the user: `Anthropic`, `Amazon Bedrock`, `Google Vertex AI`. */
  readonly name: string;
  /** Serves while another provider is left: gives up soon. */
  readonly impatient: ModelClient;
  /** Serves when no other is left: keeps trying. */
  readonly patient: ModelClient;
}

/** The longest wait a provider may ask for before the next one takes over (docs/spec.md C8). Milliseconds. */
export const FAILOVER_WAIT_MS = 20_000;
/** The time for which a provider that failed is not used when it does not say itself. Milliseconds. */
const REST_MS = 60_000;

/**
 * Passes a request on to the next provider when one limits or cannot serve it, and tells the user. A provider that failed
 * is not used until the time it named. Never passes on once a tool use of the answer was finished.
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

/** Passes one provider's answer on. Returns the failure, held back, that another provider may mend; else null. */
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

/** Tells failures of the provider from those of the request. */
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

/** Returns a client whose requests ask before another model stands in for one that declined. */
export const withStandInQuestion = (
  client: ModelClient,
  askStandIn: AskStandIn | undefined,
): ModelClient =>
  askStandIn === undefined
    ? client
    : { stream: (request, signal) => client.stream({ ...request, askStandIn }, signal) };
