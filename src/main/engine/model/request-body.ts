import type { ThinkingMode } from '../../../shared/agent-event';
import { clearingField } from './api-clearing';
import { compactionFields } from './api-compaction';
import { factsOf, supportedEffort } from './catalog';
import type { ModelRequest, ThinkingDisplay } from './model-client';

/** Lets the API drop thinking blocks whose prefix changed, instead of refusing the request. */
export const BINDING_BETA = 'thinking-binding-controls-2026-08-01';

/** Lets the API count a task's tokens down for the model. */
export const TASK_BUDGET_BETA = 'task-budgets-2026-03-13';

/** Lets the API count the tokens of thinking that it does not show. */
export const COUNT_BETA = 'thinking-token-count-2026-05-13';

/** Tells whether a body asks for thinking that is not shown. */
export const hidesThinking = (body: Readonly<Record<string, unknown>>): boolean =>
  Object(body['thinking'])['display'] === 'omitted';

/** The API's least task budget; smaller wishes are left to the loop. Source: the provider's page. Tokens. */
const MIN_TASK_BUDGET = 20_000;

/** The features of an endpoint beyond the common body. */
export interface BodyFeatures {
  /** Needs {@link BINDING_BETA}; compatible servers may not know it. */
  readonly dropStaleThinking: boolean;
  /** Needs {@link TASK_BUDGET_BETA}. */
  readonly taskBudget: boolean;
  /** Summaries are written by the API, and given back as its blocks. */
  readonly compaction: boolean;
  /** `diagnostics`: the API says why its prompt cache was missed. */
  readonly diagnoseCache: boolean;
}

/** Makes the body of `POST /v1/messages`. Never sampling parameters, never a forced tool choice (both are refused). */
export function requestBody(
  request: ModelRequest,
  features: BodyFeatures,
): Readonly<Record<string, unknown>> {
  const effort = supportedEffort(request.model, request.effort);
  const { model, maxTokens, thinkingDisplay } = request;
  const thinking = thinkingField(model, request.thinking ?? 'adaptive', maxTokens, thinkingDisplay);
  const output = { ...(effort === undefined ? {} : { effort }), ...budgetField(request, features) };
  const tools = [...request.tools, ...(request.serverTools ?? [])];
  const clearing = request.clearing?.() ?? null;
  const shaped = clearing === null ? request : { ...request, messages: clearing.messages };
  const binding = { block_binding: { prefix_mismatch_behavior: 'drop_block' } };
  return {
    model: request.model,
    max_tokens: request.maxTokens,
    ...(request.stream === false ? {} : { stream: true }),
    ...(request.system.length === 0 ? {} : { system: request.system }),
    ...(tools.length === 0 ? {} : { tools }),
    ...(features.compaction ? compactionFields(shaped) : { messages: shaped.messages }),
    ...(thinking === null
      ? {}
      : {
          thinking: {
            ...thinking,
            ...(features.dropStaleThinking && thinking['type'] === 'adaptive' ? binding : {}),
          },
        }),
    ...(clearing === null
      ? {}
      : { context_management: clearingField(clearing, thinksIn(thinking)) }),
    ...(Object.keys(output).length === 0 ? {} : { output_config: output }),
    ...(features.diagnoseCache && request.previousMessageId !== undefined
      ? { diagnostics: { previous_message_id: request.previousMessageId } }
      : {}),
  };
}

/** Tells whether a field turns thinking on in a way that the API clears. */
const thinksIn = (thinking: Readonly<Record<string, unknown>> | null): boolean =>
  thinking?.['type'] === 'adaptive' || thinking?.['type'] === 'enabled';

function budgetField(
  { model, taskBudget }: ModelRequest,
  features: BodyFeatures,
): Readonly<Record<string, unknown>> {
  const known = features.taskBudget && factsOf(model)?.taskBudget === true;
  if (!known || taskBudget === undefined || taskBudget.total < MIN_TASK_BUDGET) return {};
  return { task_budget: { type: 'tokens', ...taskBudget } };
}

/** The API's least budget. Tokens. */
const MIN_BUDGET = 1024;

/**
 * Makes the `thinking` field for a model; null when none may be sent. Replaces what a model refuses by the nearest it
 * takes: a budget by adaptive thinking, and off by as little as possible. Sources: the provider's thinking pages,
 * November 2026 (`thinkingOff` in the catalog).
 */
export function thinkingField(
  model: string,
  mode: ThinkingMode,
  maxTokens: number,
  display?: ThinkingDisplay,
): Readonly<Record<string, unknown>> | null {
  const facts = factsOf(model);
  if (facts === null) return null;
  const adaptive = { type: 'adaptive', display: display ?? 'summarized' };
  if (mode === 'disabled') {
    if (facts.thinkingOff === 'disabled')
      return facts.adaptiveThinking ? { type: 'disabled' } : null;
    return facts.thinkingOff === 'never' ? adaptive : { type: 'between_tools' };
  }
  if (facts.adaptiveThinking) return adaptive;
  if (mode === 'adaptive') return null;
  const budget = Math.min(Math.max(MIN_BUDGET, mode.budgetTokens), maxTokens - 1);
  if (budget < MIN_BUDGET) return null;
  return { type: 'enabled', budget_tokens: budget, ...(display === undefined ? {} : { display }) };
}
