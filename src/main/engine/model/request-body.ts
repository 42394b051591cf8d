import { factsOf, supportedEffort } from './catalog';
import type { ModelRequest } from './model-client';

/** Lets the API drop thinking blocks whose prefix changed, instead of refusing the request. */
export const BINDING_BETA = 'thinking-binding-controls-2026-08-01';

/**
 * The body of `POST /v1/messages`. Never sampling parameters, never a forced tool choice (both are refused).
 * `dropStaleThinking` needs {@link BINDING_BETA}; compatible servers may not know it.
 */
export function requestBody(
  request: ModelRequest,
  dropStaleThinking: boolean,
): Readonly<Record<string, unknown>> {
  const effort = supportedEffort(request.model, request.effort);
  const binding = { block_binding: { prefix_mismatch_behavior: 'drop_block' } };
  return {
    model: request.model,
    max_tokens: request.maxTokens,
    stream: true,
    ...(request.system.length === 0 ? {} : { system: request.system }),
    ...(request.tools.length === 0 ? {} : { tools: request.tools }),
    messages: request.messages,
    ...(factsOf(request.model)?.adaptiveThinking
      ? {
          thinking: {
            type: 'adaptive',
            display: 'summarized',
            ...(dropStaleThinking ? binding : {}),
          },
        }
      : {}),
    ...(effort === undefined ? {} : { output_config: { effort } }),
  };
}
