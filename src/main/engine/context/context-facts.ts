import type { AgentEvent, ContextParts } from '../../../shared/agent-event';
import type { ModelRequest } from '../model/model-client';
import type { Autocompact } from './autocompact';
import { contextLimits } from './blocking';
import { type CountedSchemas, textTokens, toolsTokens } from './tokens';

/** What telling about the context takes. */
export interface ContextDeps {
  readonly contextWindow: (model: string) => number;
  readonly autocompactWindow: () => number | undefined;
  readonly autocompact: Pick<Autocompact, 'wanted'>;
  readonly counted?: CountedSchemas;
}

/** What a person is told of the context that a request and its answer fill (SPEC F8). Tokens. */
export function contextChanged(
  usedTokens: number,
  request: ModelRequest,
  deps: ContextDeps,
): AgentEvent {
  const windowTokens = deps.contextWindow(request.model);
  const window = Math.min(windowTokens, deps.autocompactWindow() ?? windowTokens);
  const { autocompact } = contextLimits(window, request.maxTokens);
  return {
    type: 'context_changed',
    usedTokens,
    windowTokens,
    parts: contextParts(usedTokens, request, deps.counted),
    compactAt: deps.autocompact.wanted('full') ? autocompact : null,
  };
}

/** Where the tokens are. What stands in front is estimated; the conversation has the rest of what was counted. Pure. */
export function contextParts(
  usedTokens: number,
  request: ModelRequest,
  counted?: CountedSchemas,
): ContextParts {
  const system = request.system.reduce((sum, part) => sum + textTokens(part.text), 0);
  const tools = toolsTokens(request.tools, counted);
  const opening = request.messages[0]?.content[0]?.['text'];
  const isOpening = typeof opening === 'string' && opening.startsWith('<system-reminder>');
  const memory = isOpening ? textTokens(opening) : 0;
  const before = system + tools + memory;
  // An estimate that is too high must not make the parts more than the whole.
  const scale = before > usedTokens ? usedTokens / before : 1;
  const [s, t, m] = [system, tools, memory].map((part) => Math.floor(part * scale));
  const parts = { system: s ?? 0, tools: t ?? 0, memory: m ?? 0 };
  return { ...parts, messages: usedTokens - parts.system - parts.tools - parts.memory };
}
