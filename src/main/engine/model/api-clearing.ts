import type { ClearedByApi } from '../../../shared/message';
import { factsOf } from './catalog';
import type { Clearing, ModelClient, ModelError, ModelEvent, ModelRequest } from './model-client';
import { isObject } from './stream-blocks';

/** Lets the API clear old results and thinking of what it is sent. */
export const CLEARING_BETA = 'context-management-2025-06-27';

/** The names of the API's two edits. */
const CLEAR_RESULTS = 'clear_tool_uses_20250919';
const CLEAR_THINKING = 'clear_thinking_20251015';

/**
 * Has the endpoint clear in the API's own way (docs/spec.md F3) until it refuses that or clears less than it was asked to. From
 * then on, and at once for a request that it refused, it is sent what we cleared ourselves, like any other endpoint. Thinking
 * alone is left to stay where the API counts answers in another way.
 */
export function withApiClearing(inner: ModelClient): ModelClient {
  let isOn = true;
  let clearsThinking = true;
  const wanted = (request: ModelRequest): Clearing | null => {
    if (
      !isOn ||
      request.clearing === undefined ||
      factsOf(request.model)?.adaptiveThinking !== true
    )
      return null;
    const clearing = request.clearing();
    return clearing === null || clearsThinking ? clearing : { ...clearing, thinking: 0 };
  };
  async function* tried(
    request: ModelRequest,
    clearing: Clearing,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent> {
    for await (const event of inner.stream({ ...request, clearing: () => clearing }, signal)) {
      if (event.type === 'failed' && isRefusal(event.error)) {
        isOn = false;
        yield OFF;
        return yield* inner.stream(withoutClearing(request), signal);
      }
      if (event.type !== 'message_finished') {
        yield event;
        continue;
      }
      const { cleared = NOTHING } = event;
      if (cleared.thinking !== clearing.thinking) clearsThinking = false;
      if (cleared.results < clearing.results) {
        isOn = false;
        yield OFF;
      }
      yield { ...event, cleared };
    }
  }
  return {
    stream: (request, signal) => {
      const clearing = request.summarise === undefined ? wanted(request) : null;
      return clearing === null
        ? inner.stream(withoutClearing(request), signal)
        : tried(request, clearing, signal);
    },
  };
}

const NOTHING: ClearedByApi = { results: 0, thinking: 0, tokens: 0 };

const OFF: ModelEvent = {
  type: 'notice',
  level: 'info',
  code: 'api_clearing_off',
  text: 'The API did not clear old results in its own way. Lathe clears them in its own way until it is started again.',
};

/** Returns a request for an endpoint that clears nothing by itself. */
export function withoutClearing(request: ModelRequest): ModelRequest {
  if (request.clearing === undefined) return request;
  const { clearing: _, ...rest } = request;
  return rest;
}

/** Tells whether the API refused a request for its clearing, or for thinking that stands behind what it is to clear. */
const isRefusal = ({ status, kind, message }: ModelError): boolean =>
  (status === 400 || kind === 'invalid_request') &&
  /context_management|clear_|thinking|signature/i.test(message);

/** Makes the field that asks for a clearing. `thinks`: the request has thinking on. Pure. */
export function clearingField(
  { keptCalls, keptTools, keptThinking, thinking }: Clearing,
  thinks: boolean,
): Readonly<Record<string, unknown>> {
  const keep =
    thinking > 0 && keptThinking > 0 ? { type: 'thinking_turns', value: keptThinking } : 'all';
  return {
    edits: [
      // Left out, it would be the API's default, which differs from model to model. It has to come first.
      ...(thinks ? [{ type: CLEAR_THINKING, keep }] : []),
      {
        type: CLEAR_RESULTS,
        trigger: { type: 'tool_uses', value: keptCalls },
        keep: { type: 'tool_uses', value: keptCalls },
        ...(keptTools.length === 0 ? {} : { exclude_tools: keptTools }),
      },
    ],
  };
}

/** Tells whether a body needs {@link CLEARING_BETA}. */
export const needsClearingBeta = (body: Readonly<Record<string, unknown>>): boolean =>
  'context_management' in body;

/** Reads what the API says that it cleared; null when it says nothing of it. */
export function clearedIn(management: unknown): ClearedByApi | null {
  const edits: unknown = isObject(management) ? management['applied_edits'] : null;
  if (!Array.isArray(edits) || edits.length === 0) return null;
  const sum = (key: string): number =>
    edits.reduce<number>((total, edit: unknown) => {
      const value = isObject(edit) ? edit[key] : 0;
      return total + (typeof value === 'number' ? value : 0);
    }, 0);
  return {
    results: sum('cleared_tool_uses'),
    thinking: sum('cleared_thinking_turns'),
    tokens: sum('cleared_input_tokens'),
  };
}
