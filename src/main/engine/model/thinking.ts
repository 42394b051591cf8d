import { maxOutputOf } from './catalog';
import type { ApiMessage, ModelClient, ModelEvent, ModelRequest } from './model-client';
import { through } from './through';

const isThinking = (block: Readonly<Record<string, unknown>>): boolean =>
  block['type'] === 'thinking' || block['type'] === 'redacted_thinking';

/** A history without any thinking. An answer that was nothing else goes too, and its neighbours join. */
export function stripThinking(messages: readonly ApiMessage[]): readonly ApiMessage[] {
  const kept = messages
    .map((m) => ({ ...m, content: m.content.filter((b) => !isThinking(b)) }))
    .filter((m) => m.content.length > 0);
  return kept.reduce<ApiMessage[]>((out, message) => {
    const last = out.at(-1);
    if (last?.role !== message.role) out.push(message);
    else out[out.length - 1] = { ...last, content: [...last.content, ...message.content] };
    return out;
  }, []);
}

/** The same request for another model: thinking is bound to the model that made it, and limits differ. */
export const forModel = (request: ModelRequest, model: string): ModelRequest => ({
  ...request,
  model,
  maxTokens: Math.min(request.maxTokens, maxOutputOf(model)),
  messages: stripThinking(request.messages),
});

/**
 * Sends a request once more without its thinking when the API refuses a thinking block (its prefix changed:
 * resumed session, other tools, other system prompt). Endpoints that can drop such blocks never come here.
 */
export function withThinkingRepair(inner: ModelClient): ModelClient {
  return {
    stream: (request, signal) =>
      through(inner.stream(request, signal), (event) =>
        isRefused(event) && hasThinking(request)
          ? inner.stream({ ...request, messages: stripThinking(request.messages) }, signal)
          : event,
      ),
  };
}

const isRefused = (event: ModelEvent): boolean =>
  event.type === 'failed' &&
  event.error.kind === 'invalid_request' &&
  /thinking|signature/i.test(event.error.message);

const hasThinking = ({ messages }: ModelRequest): boolean =>
  messages.some(({ content }) => content.some(isThinking));
