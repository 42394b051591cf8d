import type { AgentEvent } from '../../../shared/agent-event';
import type { ContextEdit } from '../../../shared/context-edit';
import type { Message, ToolUseBlock } from '../../../shared/message';
import { windowShare } from '../../../shared/transcript';
import type { StopReason } from '../../../shared/turn';
import { contextChanged } from '../context/limits';
import { freedTokens } from '../context/tokens';
import { sinceBoundary } from '../messages/normalize';
import { project, withoutThinking } from '../messages/projection';
import type { ModelError, ModelEvent, ModelRequest } from '../model/model-client';
import type { QueryDeps } from './query-deps';

/** The outcome of a request: the answer, as far as it came. */
interface Answer {
  readonly messageId: string;
  readonly error: ModelError | null;
  readonly stopReason: StopReason | null;
  /** The answer arrived whole. */
  readonly answered: boolean;
  /** The tool uses in it, cut ones too. */
  readonly calls: readonly ToolUseBlock[];
  /** The visible text of the answer. */
  readonly text: string;
}

/** Turns the events of a model into events of the agent, and remembers how the answer went. */
interface TurnReader {
  read(event: ModelEvent): readonly AgentEvent[];
  /** Ends the text that was received before the stream broke off. Half a tool call or thought is not kept. */
  rest(): readonly AgentEvent[];
  answer(): Answer;
}

/** The part that has come of a block that is not finished. */
interface OpenBlock {
  readonly kind: string;
  text: string;
}

/** The outcome of one turn. */
export interface TurnOutcome extends Answer {
  /** Milliseconds from the request to the end of its stream. */
  readonly apiMs: number;
}

/**
 * Makes one API round trip and runs the tools it asked for. Tools start while the answer still streams; the turn is over
 * when both are. Failures of the API are in the outcome, so that the loop can recover before anyone hears of them.
 */
export async function streamTurn(
  request: ModelRequest,
  deps: QueryDeps,
  signal: AbortSignal,
): Promise<TurnOutcome> {
  const executor = deps.createExecutor(deps.record, signal);
  const startedAt = deps.clock.now();
  const reader = createTurnReader(request.model, deps);
  let apiMs = 0;
  try {
    for await (const event of deps.model.stream(request, signal)) {
      if (event.type === 'thinking_refused') deps.record(thinkingDropped(deps.history()));
      for (const recorded of reader.read(event)) {
        deps.record(recorded);
        if (recorded.type === 'block_finished' && recorded.block.type === 'tool_use') {
          executor.add(recorded.block);
        }
      }
      // Of an answer that was stopped, what it came to stands in the window as well.
      const isStopped = event.type === 'spent' && signal.aborted;
      if (event.type === 'message_finished' || isStopped) {
        deps.record(contextChanged(windowShare(event.usage), request, deps));
      }
      await deps.room();
    }
    for (const recorded of reader.rest()) deps.record(recorded);
    apiMs = deps.clock.now() - startedAt;
  } finally {
    // Also after a defect of ours: a call that began has its result before the turn is over.
    await executor.done();
    // What comes next is never on screen before what was said.
    await deps.display?.settled(signal);
  }
  return { ...reader.answer(), apiMs };
}

/** Leaves out the thinking of all answers so far, so that the API does not refuse it again with each request to come. */
function thinkingDropped(history: readonly Message[]): AgentEvent {
  const messages = sinceBoundary(history);
  const edits = messages.flatMap((message): readonly ContextEdit[] =>
    withoutThinking(message) === message ? [] : [{ kind: 'drop_thinking', messageId: message.id }],
  );
  const { counted } = freedTokens(messages, project(messages, edits));
  return {
    type: 'context_edited',
    layer: 'thinking_refused',
    edits: [...edits],
    freed: 0,
    counted,
  };
}

/** A wait that is as long as this is written down, so that it outlives Lathe. Milliseconds. */
const LONG_WAIT_MS = 60_000;

/** Returns what is written down of a wait that begins `now`; nothing for a short one. */
export const longWait = (
  { delayMs, reason }: { readonly delayMs: number; readonly reason: string },
  now: number,
): readonly AgentEvent[] =>
  delayMs < LONG_WAIT_MS ? [] : [{ type: 'long_wait', until: now + delayMs, reason }];

/** Creates a reader for one request to `requestedModel`. */
function createTurnReader(
  requestedModel: string,
  { uniqueIds: ids, clock, display }: Pick<QueryDeps, 'uniqueIds' | 'clock' | 'display'>,
): TurnReader {
  let messageId = '';
  let model = requestedModel;
  let open = new Map<number, OpenBlock>();
  /** The ids that the calls of this answer go by, by the place of their block. */
  let callIds = new Map<number, string>();
  let texts: string[] = [];
  let calls: ToolUseBlock[] = [];
  let stopReason: StopReason | null = null;
  let error: ModelError | null = null;
  let answered = false;
  let isEmpty = true;
  let failed: { readonly reason: string; readonly attempt: number } | null = null;

  const callIdAt = (index: number, id: string): string => {
    const own = callIds.get(index) ?? ids.call(id);
    callIds.set(index, own);
    return own;
  };

  const finishBlock = (event: Extract<ModelEvent, { type: 'block_finished' }>): AgentEvent => {
    const { index, block } = event;
    open.delete(index);
    isEmpty &&= block.type === 'text' ? block.text.trim() === '' : THOUGHTS.has(block.type);
    if (block.type === 'text') texts.push(block.text);
    if (block.type !== 'tool_use')
      return { type: 'block_finished', messageId, model, index, block };
    const call = { ...block, id: callIdAt(index, block.id) };
    calls.push(call);
    return { type: 'block_finished', messageId, model, index, block: call };
  };

  const rest = (): AgentEvent[] => {
    const kept = [...open].filter(([, block]) => block.kind === 'text' && block.text.trim() !== '');
    open = new Map();
    return kept.map(([index, { text }]) =>
      finishBlock({ type: 'block_finished', index, block: { type: 'text', text } }),
    );
  };

  const read = (event: ModelEvent): AgentEvent[] => {
    switch (event.type) {
      case 'message_started': {
        isEmpty = true;
        messageId = ids.answer(event.messageId);
        callIds = new Map();
        model = event.model;
        const started: AgentEvent = { type: 'message_started', messageId, model };
        const retried: AgentEvent[] = failed ? [{ type: 'retried', ...failed }] : [];
        failed = null;
        return [...retried, started];
      }
      case 'block_started':
        open.set(event.index, { kind: event.kind, text: '' });
        return [
          {
            ...event,
            messageId,
            ...(event.kind === 'text' && display?.holds() ? { held: true } : {}),
            ...(event.callId === undefined ? {} : { callId: callIdAt(event.index, event.callId) }),
          },
        ];
      case 'block_delta': {
        const block = open.get(event.index);
        if (block) block.text += event.text;
        return [{ ...event, messageId }];
      }
      case 'block_finished':
        return [finishBlock(event)];
      case 'message_finished': {
        answered = true;
        stopReason = event.stopReason;
        // A text that was cut belongs to its answer, not behind it.
        const end: AgentEvent[] = [...rest(), { ...event, messageId, model }];
        return isEmpty && stopReason === 'end_turn' ? [...end, EMPTY_ANSWER] : end;
      }
      case 'message_voided':
        open = new Map();
        texts = [];
        calls = [];
        return [{ type: 'tombstone', messageId, reason: event.reason }];
      case 'spent': {
        const { usage, costUsd } = event;
        const purpose = 'broken_answer';
        return [{ type: 'side_call', purpose, model: event.model, usage, costUsd, durationMs: 0 }];
      }
      case 'retry_waiting':
        failed = { reason: event.reason, attempt: event.attempt };
        return event.heartbeat === true ? [event] : [event, ...longWait(event, clock.date())];
      case 'retry_ended':
      case 'stalled':
      case 'notice':
      case 'plan_limits':
      case 'auth_status':
        return [event];
      case 'model_fallback': {
        const { from, to: model, refusal } = event;
        const declined = refusal && { declined: { ...refusal, model: from } };
        return [
          fallbackNotice(from, model, refusal !== undefined),
          { type: 'model_changed', model, standsIn: true, ...declined },
        ];
      }
      case 'thinking_counted':
        return [{ ...event, messageId }];
      case 'failed':
        error = event.error;
        return [];
      default:
        return [];
    }
  };

  return {
    read,
    rest,
    answer: () => ({ messageId, error, stopReason, answered, calls, text: texts.join('\n\n') }),
  };
}

/** The blocks that say nothing to the user. */
const THOUGHTS: ReadonlySet<string> = new Set(['thinking', 'redacted_thinking']);

const EMPTY_ANSWER: AgentEvent = {
  type: 'notice',
  level: 'warning',
  code: 'empty_answer',
  text: 'The model answered with nothing. Nothing failed: send your message again, or in other words.',
};

const fallbackNotice = (from: string, to: string, declined: boolean): AgentEvent => ({
  type: 'notice',
  level: 'warning',
  code: 'model_fallback',
  text: `${from} ${declined ? 'declined to answer' : 'is overloaded'}; ${to} answers from here.`,
});
