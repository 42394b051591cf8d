import { isDeepStrictEqual } from 'node:util';
import { type AgentEvent, MAIN_AGENT } from '../../../shared/agent-event';
import { NO_USAGE, type Spends } from '../../../shared/facts';
import { lineId } from '../../../shared/line-id';
import type { AssistantBlock, Usage } from '../../../shared/message';
import { apiMessage, type Json } from './api-shape';
import { rateLimitEvent } from './plan-lines';
import { createWarnings, resultLine, type Warnings } from './result-line';
import { streamEvents } from './stream-events';
import {
  conversationReset,
  elicitationCompleted,
  errorName,
  hookLine,
  hookProgress,
  hookStarted,
  localOutput,
  memoryRecall,
  noticeLine,
  refusalFallback,
  refusalLine,
  taskEnded,
  taskStarted,
  taskUpdated,
  waitLines,
} from './system-lines';

/** The facts that every line of one session carries. */
export interface LineContext {
  readonly sessionId: string;
  /** A fresh UUID for each line. */
  uuid(): string;
  /** Returns what this run has spent so far, by model. */
  spent(): Spends;
  /** Returns the answer in the shape that was asked for; null: it is owed, undefined: none was asked for. */
  structuredOutput(): unknown;
  /** Returns the input of a call as programs see it, once; null when it is as the model wrote it. */
  shownInput(callId: string): Json | null;
}

/** Turns events into the lines of `--output-format stream-json` (docs/headless.md). */
export interface LineMapper {
  /** `agentId`: the agent it happened to; by default, the main agent. */
  lines(event: AgentEvent, agentId?: string): readonly Json[];
}

/** An answer that is still coming, with the results of its calls that are already there. */
interface OpenAnswer {
  readonly id: string;
  readonly model: string;
  readonly content: readonly AssistantBlock[];
  readonly results: readonly Json[];
  /** Its end, when it is held back. */
  readonly end?: { readonly stopReason: string | null; readonly usage: Usage };
}

/** The events that are printed beside the main agent's own. */
interface Shows {
  /** Runs of hooks at every event; else only those at the beginning of the session. */
  readonly hooks: boolean;
  /** The words and thoughts of sub-agents; else only their calls. */
  readonly agentText: boolean;
}
const SHOWS_ALL: Shows = { hooks: true, agentText: true };

/** Returns the event at which a hook runs that is told of; null for what tells of no hook. */
function hookEventOf(event: AgentEvent): string | null {
  if (event.type === 'hook_settled') return event.report.event;
  return event.type === 'hook_started' || event.type === 'hook_progress' ? event.hook.event : null;
}

/**
 * Creates a mapper for one session. What a sub-agent says and does comes with the id of the call that started it, as
 * `parent_tool_use_id`; its end is no result of the run.
 */
export function createLineMapper(
  context: LineContext,
  partialMessages: boolean,
  shows: Shows = SHOWS_ALL,
  warnings: Warnings = createWarnings(),
): LineMapper {
  /** The limits of the plan that were told last. */
  let limits: Json = {};
  const main = createAgentMapper(context, partialMessages, null, warnings);
  const others = new Map<string, (event: AgentEvent) => readonly Json[]>();
  return {
    lines(event, agentId = MAIN_AGENT) {
      // Programs know the words of a sub-agent by its call.
      if (event.type === 'agent_started' && event.agent.callId !== '') {
        const { id, callId } = event.agent;
        const partial = partialMessages && shows.agentText;
        others.set(id, createAgentMapper(context, partial, callId, warnings, shows.agentText));
      }
      if (event.type === 'notice' && event.level !== 'info')
        warnings.add(event.fix === undefined ? event.text : `${event.text} ${event.fix}`);
      if (!shows.hooks && (hookEventOf(event) ?? 'SessionStart') !== 'SessionStart') return [];
      if (event.type === 'plan_limits') {
        const told = rateLimitEvent(event.limits);
        if (isDeepStrictEqual(told, limits)) return [];
        limits = told;
        return [{ ...told, session_id: context.sessionId, uuid: context.uuid() }];
      }
      if (agentId === MAIN_AGENT) return main(event);
      if (event.type === 'query_finished' || !OF_SUB_AGENTS.has(event.type)) return [];
      return others.get(agentId)?.(event) ?? [];
    },
  };
}

/** The events of a sub-agent that are shown: its words, its calls, and what keeps it waiting. */
const OF_SUB_AGENTS: ReadonlySet<AgentEvent['type']> = new Set([
  'message_started',
  'block_started',
  'block_delta',
  'block_finished',
  'message_finished',
  'model_changed',
  'tombstone',
  'approval_requested',
  'call_settled',
  'retry_waiting',
  'auth_status',
]);

/**
 * Maps the events of one agent. An answer becomes one `assistant` line with the whole API message, when its
 * usage is known; calls that finish before that have their `user` line right after it.
 */
function createAgentMapper(
  context: LineContext,
  partialMessages: boolean,
  parentCallId: string | null,
  warnings: Warnings,
  showsText = true,
): (event: AgentEvent) => readonly Json[] {
  let answer: OpenAnswer | null = null;
  const blockKinds = new Map<number, string>();
  const startedTasks = new Set<string>();
  /** Calls that somebody was asked about. */
  const asked = new Set<string>();
  let last: Extract<AgentEvent, { type: 'message_finished' }> | null = null;
  /** The prompt that is being answered, by the id that the program gave it. */
  let prompt: string | null = null;
  /** The time to the first token of the query. Milliseconds. */
  let ttftMs: number | undefined;
  /** The tokens of the thought so far. */
  let thought = 0;

  const line = (fields: Json, message?: string): Json => ({
    ...fields,
    session_id: context.sessionId,
    uuid: message === undefined ? context.uuid() : lineId(message),
  });
  const closeAnswer = (stopReason: string | null, usage = NO_USAGE): Json[] => {
    if (answer === null) return [];
    const { results, end = { stopReason, usage }, ...message } = answer;
    answer = null;
    const assistant = {
      type: 'assistant',
      message: apiMessage({ ...message, ...end }),
      parent_tool_use_id: parentCallId,
    };
    return [...(message.content.length > 0 ? [line(assistant, message.id)] : []), ...results];
  };

  /** Programs get what a call is about, e.g. whole paths; what goes back to the API stays as the model wrote it. */
  const shown = (block: AssistantBlock): AssistantBlock =>
    block.type === 'tool_use'
      ? { ...block, input: context.shownInput(block.id) ?? block.input }
      : block;

  function own(event: AgentEvent): readonly Json[] {
    switch (event.type) {
      case 'message_started':
        return closeAnswer(null);
      case 'block_finished':
        answer = {
          ...answer,
          id: event.messageId,
          model: event.model,
          content: [
            ...(answer?.content ?? []),
            ...(showsText || event.block.type === 'tool_use' ? [shown(event.block)] : []),
          ],
          results: answer?.results ?? [],
        };
        return [];
      case 'message_finished':
        last = event;
        ttftMs ??= event.ttftMs;
        // One that was cut may yet be voided and asked for again: it is held back until that is known.
        if (event.stopReason !== 'max_tokens' || answer === null) {
          return closeAnswer(event.stopReason, event.usage);
        }
        answer = { ...answer, end: { stopReason: event.stopReason, usage: event.usage } };
        return [];
      case 'user_message':
        if (event.synthetic !== true) prompt = asUuid(event.id);
        return [];
      case 'block_started':
        thought = 0;
        return [];
      case 'thinking_counted':
        thought += event.tokens;
        return [
          line({
            ...{ type: 'system', subtype: 'thinking_tokens', estimated_tokens: thought },
            estimated_tokens_delta: event.tokens,
            ...(prompt === null ? {} : { user_message_uuid: prompt }),
          }),
        ];
      case 'conversation_cleared':
        return [line(conversationReset(context.sessionId, asUuid(event.promptId)))];
      case 'model_changed': {
        const fallback = refusalFallback(event, { prompt, isMain: parentCallId === null });
        return fallback === null ? [] : [line(fallback)];
      }
      case 'tombstone':
        if (answer?.id === event.messageId) answer = null;
        return [];
      case 'approval_requested':
        asked.add(event.approval.callId);
        return [];
      case 'call_settled': {
        const wasAsked = asked.delete(event.callId);
        const denial = event.status === 'denied' && !wasAsked ? [line(deniedLine(event))] : [];
        const results = [
          ...denial,
          line(toolResultLine(event, parentCallId), `${event.callId}:result`),
        ];
        if (answer === null) return results;
        answer = { ...answer, results: [...answer.results, ...results] };
        return [];
      }
      case 'retry_waiting':
        return waitLines(event).map((fields) => line(fields));
      case 'query_started':
        ttftMs = undefined;
        return [];
      case 'turn_started':
        return [line({ type: 'system', subtype: 'status', status: 'requesting' })];
      case 'compaction_started':
        return [line({ type: 'system', subtype: 'status', status: 'compacting' })];
      case 'compaction_ended':
        return [line({ type: 'system', subtype: 'status', status: null, ...compactResult(event) })];
      case 'compacted':
        return [
          line({
            type: 'system',
            subtype: 'compact_boundary',
            compact_metadata: {
              trigger: event.trigger === 'manual' ? 'manual' : 'auto',
              pre_tokens: event.tokensBefore,
              post_tokens: event.tokensAfter,
            },
          }),
        ];
      case 'auth_status':
        return [line({ ...event })];
      case 'notice':
        // Programs hear of a sign-in by its own lines.
        return event.code === 'cloud_sign_in' ? [] : [line(noticeLine(event))];
      case 'hook_settled':
        return [line(hookLine(event.report))];
      case 'hook_started':
        return [line(hookStarted(event.hook))];
      case 'hook_progress':
        return [line(hookProgress(event))];
      case 'elicitation_completed':
        return [line(elicitationCompleted(event))];
      case 'attachment': {
        const recall = memoryRecall(event);
        return recall === null ? [] : [line(recall)];
      }
      case 'task_started':
        if (!event.task.isBackgrounded || startedTasks.has(event.task.id)) return [];
        startedTasks.add(event.task.id);
        return [line(taskStarted(event.task))];
      case 'task_settled':
        return [line(taskUpdated(event.task)), line(taskEnded(event.task))];
      case 'query_finished':
        return [
          ...closeAnswer(event.stopReason),
          ...[...refusalLine(event, last), ...localOutput(event)].map((fields) => line(fields)),
          ...(event.failure === undefined ? [] : [line(failureLine(event, event.failure.error))]),
          line(
            resultLine(event, {
              spent: context.spent(),
              warnings: warnings.take(),
              structured: context.structuredOutput(),
              ttftMs,
            }),
          ),
        ];
      default:
        return [];
    }
  }

  return (event) => {
    const partial = partialMessages ? streamEvents(event, blockKinds) : [];
    const wrapped = partial.map((streamed) =>
      line({ type: 'stream_event', event: streamed, parent_tool_use_id: parentCallId }),
    );
    return [...wrapped, ...own(event)];
  };
}

/** The form of the ids that programs give their prompts. */
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const asUuid = (id: string | null): string | null => (id !== null && UUID.test(id) ? id : null);

const toolResultLine = (
  event: Extract<AgentEvent, { type: 'call_settled' }>,
  parentCallId: string | null,
): Json => ({
  type: 'user',
  message: {
    role: 'user',
    content: [
      {
        type: 'tool_result',
        tool_use_id: event.callId,
        content: event.content,
        is_error: event.isError,
      },
    ],
  },
  parent_tool_use_id: parentCallId,
  tool_use_result: structuredResult(event),
});

const textOf = ({ content }: Extract<AgentEvent, { type: 'call_settled' }>): string =>
  content.flatMap((block) => (block.type === 'text' ? block.text : [])).join('\n');

/** Returns a result as programs know it besides the model's: what a command printed, the todos, else its words. */
function structuredResult(event: Extract<AgentEvent, { type: 'call_settled' }>): unknown {
  const { view, isError } = event;
  const text = textOf(event);
  if (isError) return `Error: ${text}`;
  if (view?.kind === 'shell')
    return { stdout: text, stderr: '', interrupted: false, isImage: false };
  return view?.kind === 'todo' ? { newTodos: view.items } : text;
}

/** Tells of a failure of the API as programs know it: words that no model wrote, with the name of the failure. */
const failureLine = (
  event: Extract<AgentEvent, { type: 'query_finished' }>,
  error: string,
): Json => ({
  type: 'assistant',
  message: apiMessage({
    id: event.queryId,
    model: '<synthetic>',
    content: [{ type: 'text', text: event.text }],
    stopReason: 'stop_sequence',
    usage: NO_USAGE,
  }),
  parent_tool_use_id: null,
  error: errorName(error),
});

/** Tells of a call that was denied without a question to anybody. */
const deniedLine = (event: Extract<AgentEvent, { type: 'call_settled' }>): Json => ({
  type: 'system',
  subtype: 'permission_denied',
  tool_name: event.tool,
  tool_use_id: event.callId,
  message: textOf(event),
});

/** Returns how a summary ended, in the words of the protocol; nothing of one that was stopped. */
const compactResult = ({
  outcome,
  why,
}: Extract<AgentEvent, { type: 'compaction_ended' }>): Json => ({
  ...(outcome === 'aborted'
    ? {}
    : { compact_result: outcome === 'compacted' ? 'success' : 'failed' }),
  ...(why === undefined ? {} : { compact_error: why }),
});
