import type { ModelClient, ModelEvent, ModelRequest } from './model-client';

/** `overloaded` answers in a row before another model takes over. SPEC C7. */
export const OVERLOADED_BEFORE_FALLBACK = 3;

export interface FallbackOptions {
  /** Asked while another model is left: gives up after {@link OVERLOADED_BEFORE_FALLBACK} overloads. */
  readonly impatient: ModelClient;
  /** Asked for the last model: keeps trying. */
  readonly patient: ModelClient;
  /** In the order to be tried. */
  readonly models: readonly string[];
  /** The same request for another model: its thinking stripped, its limits kept. */
  readonly forModel: (request: ModelRequest, model: string) => ModelRequest;
}

/** Hands a request on to the next model when one stays overloaded; never once a tool use was finished. */
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
  for (;;) {
    const next = rest.shift();
    const client = next === undefined ? options.patient : options.impatient;
    let messageId: string | null = null;
    let toolFinished = false;
    let overloaded = false;
    for await (const event of client.stream(request, signal)) {
      if (event.type === 'message_started') messageId = event.messageId;
      if (event.type === 'message_voided') messageId = null;
      if (event.type === 'block_finished' && event.block.type === 'tool_use') toolFinished = true;
      overloaded = event.type === 'failed' && event.error.kind === 'overloaded';
      if (!overloaded || toolFinished || next === undefined) yield event;
    }
    if (!overloaded || toolFinished || next === undefined) return;
    if (messageId !== null)
      yield { type: 'message_voided', messageId, reason: `${request.model} is overloaded.` };
    yield { type: 'model_fallback', from: request.model, to: next };
    request = options.forModel(request, next);
  }
}
