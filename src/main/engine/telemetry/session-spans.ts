import type { Span } from '@opentelemetry/api';
import { type AgentEvent, MAIN_AGENT, type Stamped } from '../../../shared/agent-event';
import type { HookReport } from '../../../shared/hooks';
import type { Task } from '../../../shared/task';
import type { ModelClient } from '../model/model-client';
import type { Clock } from '../ports';
import { usageFacts, withSpans } from './request-spans';
import { createSpanTree, type OpenSpans } from './span-tree';
import { BROKEN, definedOnly, FAILED, KIND, messageOf, type Tracing } from './tracing';

/** The spans of one session: each query is a trace, made of the session's events. */
export interface SessionSpans {
  /** Takes the next event of the session. */
  see(stamped: Stamped): void;
  agent(agentId: string): AgentSpans;
  /** Starts the span of a try to reach a tool server; gives what ends it, with why it failed. */
  connect(server: string, transport: string): (failure: string | null) => void;
  /** Ends what is open: the session is closed. */
  end(): void;
}

/** The spans of an agent that no event tells of. */
interface AgentSpans {
  /** Spans the requests of a client. */
  readonly requests: (client: ModelClient) => ModelClient;
  /** Spans work by its name: the making of a request, the collecting of attachments. */
  readonly around: <A extends readonly unknown[], T>(
    name: string,
    work: (...given: A) => Promise<T>,
  ) => (...given: A) => Promise<T>;
  readonly call: StartCall;
}

/** Starts the span of a call. */
export type StartCall = (call: {
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
}) => CallSpan;

interface CallSpan {
  /** `result`: what the model got, as far as it is text. */
  end(status: string, result?: string): void;
}

/** Creates the spans of a session. */
export function createSessionSpans(
  tracing: Tracing,
  clock: Pick<Clock, 'date'>,
  sessionId: string,
): SessionSpans {
  const { text } = tracing;
  const tree = createSpanTree(tracing, sessionId);
  const { start, openOf, inner, endTurn } = tree;
  const calls = new Map<string, Span>();
  const approvals = new Map<string, Span>();
  const connecting = new Set<Span>();
  const tasks = new Map<string, { readonly span: Span; readonly task: Task }>();

  const startQuery = (agentId: string, queryId: string, at: number) => {
    const open = openOf(agentId);
    const name = open.info?.type ?? agentId;
    open.query = start(`invoke_agent ${name}`, open.parent, at, {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.id': agentId,
      'gen_ai.agent.name': name,
      'lathe.query.id': queryId,
      'lathe.query.source': open.info === null ? 'user' : 'agent',
    });
  };

  const endQuery = (
    open: OpenSpans,
    event: Extract<AgentEvent, { type: 'query_finished' }>,
    at: number,
  ) => {
    endTurn(open, at);
    const { query } = open;
    if (query === null) return;
    query.setAttributes({
      ...usageFacts(event.usage),
      'lathe.query.end': event.terminal,
      'lathe.query.turns': event.turns,
      'lathe.query.api_ms': event.apiMs,
      'lathe.cost.usd': event.costUsd,
      'process.memory.usage': tracing.memory(),
    });
    if (text !== null)
      query.setAttribute('gen_ai.output.messages', messageOf('assistant', text(event.text)));
    if (BROKEN.has(event.terminal))
      query.setStatus(FAILED).setAttribute('error.type', event.terminal);
    query.end(at);
    open.query = null;
  };

  const hookRan = (open: OpenSpans, hook: HookReport, at: number) => {
    const span = start(
      `hook ${hook.event}`,
      calls.get(hook.callId ?? '') ?? inner(open),
      at - hook.durationMs,
      definedOnly<string | number>({
        'lathe.hook.event': hook.event,
        'lathe.hook.outcome': hook.outcome,
        'lathe.hook.exit_code': hook.exitCode,
      }),
    );
    if (hook.outcome === 'failed') span.setStatus(FAILED);
    span.end(at);
  };

  const taskStarted = (open: OpenSpans, task: Task) => {
    // The work of a sub-agent has a span of its own.
    if (task.subAgentId !== undefined) return;
    const span =
      tasks.get(task.id)?.span ??
      start(`task ${task.type}`, calls.get(task.callId ?? '') ?? inner(open), task.startedAt, {
        'lathe.task.id': task.id,
        'lathe.task.type': task.type,
      });
    span.setAttribute('lathe.task.background', task.isBackgrounded);
    tasks.set(task.id, { span, task });
  };

  const taskSettled = (task: Task, at: number) => {
    const span = tasks.get(task.id)?.span;
    tasks.delete(task.id);
    span?.setAttributes(
      definedOnly<string | number>({
        'lathe.task.status': task.status,
        'lathe.task.output_bytes': task.outputBytes,
        'process.exit.code': task.result?.code,
      }),
    );
    if (task.status === 'failed') span?.setStatus(FAILED);
    span?.end(task.endedAt ?? at);
  };

  const seePrompt = (
    { query }: OpenSpans,
    event: Extract<AgentEvent, { type: 'user_message' }>,
  ): void => {
    if (text === null || event.synthetic === true) return;
    const words = event.content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
    query?.setAttribute('gen_ai.input.messages', messageOf('user', text(words.join('\n\n'))));
  };

  const see = ({ agentId, at, event }: Stamped): void => {
    const open = openOf(agentId);
    switch (event.type) {
      case 'query_started':
        startQuery(agentId, event.queryId, at);
        return;
      case 'user_message':
        seePrompt(open, event);
        return;
      case 'turn_started':
        endTurn(open, at);
        open.turn = start('turn', open.query, at, { 'lathe.turn': event.turn });
        open.context = start('context', open.turn, at, {});
        return;
      case 'context_edited':
        inner(open)?.addEvent(
          'context_edited',
          { 'lathe.context.layer': event.layer, 'lathe.context.freed_tokens': event.freed },
          at,
        );
        return;
      case 'compaction_started':
        open.compaction = start('compaction', inner(open), at, {
          'lathe.compaction.trigger': event.trigger,
          'lathe.compaction.tokens_before': event.tokensBefore,
        });
        return;
      case 'compaction_ended':
        open.compaction?.setAttributes({
          'lathe.compaction.outcome': event.outcome,
          'lathe.compaction.tokens_after': event.tokensAfter,
        });
        if (event.outcome === 'failed') open.compaction?.setStatus(FAILED);
        open.compaction?.end(at);
        open.compaction = null;
        return;
      case 'approval_requested': {
        const { id, callId } = event.approval;
        const parent = calls.get(callId) ?? inner(open);
        approvals.set(id, start('permission', parent, at, { 'gen_ai.tool.call.id': callId }));
        return;
      }
      case 'approval_answered':
      case 'approval_withdrawn': {
        const answer = event.type === 'approval_answered' ? event.behavior : 'withdrawn';
        approvals.get(event.approvalId)?.setAttribute('lathe.permission.answer', answer).end(at);
        approvals.delete(event.approvalId);
        return;
      }
      case 'hook_settled':
        hookRan(open, event.report, at);
        return;
      case 'task_started':
        taskStarted(open, event.task);
        return;
      case 'task_settled':
        taskSettled(event.task, at);
        return;
      case 'agent_started':
        tree.begin(event.agent, calls.get(event.agent.callId) ?? inner(open));
        return;
      case 'agent_settled':
        tree.end(event.agentId, at);
        return;
      case 'query_finished':
        endQuery(open, event, at);
        return;
    }
  };

  const call: (agentId: string) => StartCall = (agentId) => (asked) => {
    const open = openOf(agentId);
    const server = /^mcp__(.+?)__/.exec(asked.tool)?.[1];
    const span = start(
      `execute_tool ${asked.tool}`,
      open.turn ?? open.query ?? open.parent,
      clock.date(),
      definedOnly<string>({
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': asked.tool,
        'gen_ai.tool.call.id': asked.id,
        'gen_ai.agent.id': agentId,
        'mcp.method.name': server === undefined ? null : 'tools/call',
        'lathe.mcp.server': server,
        'gen_ai.tool.call.arguments': text?.(JSON.stringify(asked.input)),
      }),
      server === undefined ? KIND.internal : KIND.client,
    );
    calls.set(asked.id, span);
    return {
      end: (status, result) => {
        calls.delete(asked.id);
        // A command that its call waited for ends with it, and nothing else tells of that.
        for (const { span: work, task } of tasks.values()) {
          if (task.callId !== asked.id || task.isBackgrounded) continue;
          work.end(clock.date());
          tasks.delete(task.id);
        }
        span.setAttribute('lathe.call.status', status);
        if (text !== null && result !== undefined)
          span.setAttribute('gen_ai.tool.call.result', text(result));
        if (status === 'failed') span.setStatus(FAILED).setAttribute('error.type', 'tool_error');
        span.end(clock.date());
      },
    };
  };

  const connect: SessionSpans['connect'] = (server, transport) => {
    const span = start(
      `connect ${server}`,
      inner(openOf(MAIN_AGENT)),
      clock.date(),
      { 'lathe.mcp.server': server, 'lathe.mcp.transport': transport },
      KIND.client,
    );
    connecting.add(span);
    return (failure) => {
      connecting.delete(span);
      if (failure !== null) span.setStatus(FAILED).setAttribute('error.type', 'not_connected');
      if (failure !== null && text !== null) span.setAttribute('lathe.mcp.problem', text(failure));
      span.end(clock.date());
    };
  };

  return {
    see,
    connect,
    agent: (agentId) => ({
      call: call(agentId),
      requests: (client) =>
        withSpans(client, (request) => {
          const open = openOf(agentId);
          const now = clock.date();
          // Only the request of the turn itself comes after the context.
          if (request.purpose === undefined && open.compaction === null) {
            open.context?.end(now);
            open.context = null;
          }
          const span = start(
            `chat ${request.model}`,
            inner(open),
            now,
            definedOnly<string | number>({
              'gen_ai.operation.name': 'chat',
              'gen_ai.provider.name': 'anthropic',
              'gen_ai.request.model': request.model,
              'gen_ai.request.max_tokens': request.maxTokens,
              'gen_ai.agent.id': agentId,
              'lathe.request.source': request.purpose ?? 'conversation',
            }),
            KIND.client,
          );
          const group = request.purpose === undefined ? open.requests : open.beside;
          for (const other of group) if (!other.isRecording()) group.delete(other);
          group.add(span);
          return span;
        }),
      around:
        (name, work) =>
        async (...given) => {
          const span = start(name, inner(openOf(agentId)), clock.date(), {});
          try {
            return await work(...given);
          } finally {
            span.end(clock.date());
          }
        },
    }),
    end: () => {
      const now = clock.date();
      tree.endAll(now);
      const works = [...tasks.values()].map(({ span }) => span);
      for (const span of [...calls.values(), ...approvals.values(), ...connecting, ...works])
        span.end(now);
    },
  };
}
