import type { Attributes, Span } from '@opentelemetry/api';
import type { SubAgentInfo } from '../../../shared/agent-event';
import { KIND, type Tracing } from './tracing';

/** The open spans of an agent, the innermost last. */
export interface OpenSpans {
  query: Span | null;
  turn: Span | null;
  /** From the beginning of a turn to its request. */
  context: Span | null;
  compaction: Span | null;
  /** Requests of the turn that have not ended. */
  readonly requests: Set<Span>;
  /** Requests with a purpose of their own, which may outlive the turn they began in. */
  readonly beside: Set<Span>;
  /** The sub-agent's kind, and the call that started it. */
  readonly info: SubAgentInfo | null;
  readonly parent: Span | null;
}

/** The open spans of a session's agents, each below the one it belongs to. */
interface SpanTree {
  /** Starts a span that belongs to the session. `at`: epoch milliseconds. */
  start(
    name: string,
    parent: Span | null,
    at: number,
    attributes: Attributes,
    kind?: (typeof KIND)[keyof typeof KIND],
  ): Span;
  openOf(agentId: string): OpenSpans;
  /** Returns the innermost open span of an agent. */
  inner(open: OpenSpans): Span | null;
  /** Ends what is open of a turn. */
  endTurn(open: OpenSpans, at: number): void;
  /** Takes a sub-agent in, below the span of the call that started it. */
  begin(agent: SubAgentInfo, parent: Span | null): void;
  /** Ends what is open of an agent, and forgets it. */
  end(agentId: string, at: number): void;
  endAll(at: number): void;
}

/** Creates the tree of a session; nothing is open. */
export function createSpanTree(tracing: Tracing, sessionId: string): SpanTree {
  const agents = new Map<string, OpenSpans>();
  const openOf = (agentId: string): OpenSpans => {
    const found = agents.get(agentId);
    if (found !== undefined) return found;
    const made = nothingOpen(null, null);
    agents.set(agentId, made);
    return made;
  };
  const endTurn = (open: OpenSpans, at: number) => {
    for (const span of open.requests) span.end(at);
    open.requests.clear();
    open.compaction?.end(at);
    open.context?.end(at);
    open.turn?.end(at);
    open.compaction = null;
    open.context = null;
    open.turn = null;
  };
  const endAgent = (open: OpenSpans, at: number) => {
    endTurn(open, at);
    for (const span of open.beside) span.end(at);
    open.query?.end(at);
  };
  return {
    start: (name, parent, at, attributes, kind = KIND.internal) =>
      tracing.tracer.startSpan(
        name,
        { kind, startTime: at, attributes: { 'gen_ai.conversation.id': sessionId, ...attributes } },
        parent === null ? undefined : tracing.below(parent),
      ),
    openOf,
    inner: (open) => open.compaction ?? open.context ?? open.turn ?? open.query ?? open.parent,
    endTurn,
    begin: (agent, parent) => void agents.set(agent.id, nothingOpen(agent, parent)),
    end: (agentId, at) => {
      endAgent(openOf(agentId), at);
      agents.delete(agentId);
    },
    endAll: (at) => {
      for (const open of agents.values()) endAgent(open, at);
    },
  };
}

const nothingOpen = (info: SubAgentInfo | null, parent: Span | null): OpenSpans => ({
  ...{ query: null, turn: null, context: null, compaction: null },
  requests: new Set(),
  beside: new Set(),
  info,
  parent,
});
