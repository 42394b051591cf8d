import type { AgentEvent } from '../../../shared/agent-event';
import type { Message, ToolUseBlock } from '../../../shared/message';
import type { StopReason } from '../../../shared/turn';
import type { ModelError, ModelEvent } from '../model/model-client';
import type { Ids } from '../ports';

/** How an answer went. */
export interface Answer {
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

/** Turns what a model sends into events of the session, and remembers how the answer went. */
export interface TurnReader {
  read(event: ModelEvent): readonly AgentEvent[];
  /** Text that was received before the stream broke off is kept; half a tool call or thought is not. */
  rest(): readonly AgentEvent[];
  answer(): Answer;
}

/** What a stream has shown so far of a block that is not finished. */
interface OpenBlock {
  readonly kind: string;
  text: string;
}

/**
 * Ids that no other answer or call of a history has: the server's own where it is free. Some servers give every answer one
 * id, some give two calls of a response the same, and then a result could not be told from the other.
 */
export interface UniqueIds {
  answer(id: string): string;
  call(id: string): string;
}

/** Creates ids that differ from all in `history` and from each other. */
export function createUniqueIds(history: readonly Message[], ids: Ids): UniqueIds {
  const answers = new Set(history.map(({ id }) => id));
  const calls = new Set(history.flatMap(callIds));
  return {
    answer: (id) => {
      const own = answers.has(id) ? ids.next('msg') : id;
      answers.add(own);
      return own;
    },
    call: (id) => {
      let own = id;
      for (let n = 2; calls.has(own); n += 1) own = `${id}_${n}`;
      calls.add(own);
      return own;
    },
  };
}

const callIds = (message: Message): readonly string[] =>
  message.role === 'assistant'
    ? message.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))
    : [];

/** Creates a reader for one request to `requestedModel`. */
export function createTurnReader(requestedModel: string, ids: UniqueIds): TurnReader {
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
  let failed: { readonly reason: string; readonly attempt: number } | null = null;

  const callIdAt = (index: number, id: string): string => {
    const own = callIds.get(index) ?? ids.call(id);
    callIds.set(index, own);
    return own;
  };

  const finishBlock = (event: Extract<ModelEvent, { type: 'block_finished' }>): AgentEvent => {
    const { index, block } = event;
    open.delete(index);
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
        return [...rest(), { ...event, messageId, model }];
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
        return [event];
      case 'retry_ended':
      case 'stalled':
      case 'notice':
        return [event];
      case 'model_fallback':
        return [fallbackNotice(event.from, event.to), { type: 'model_changed', model: event.to }];
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

const fallbackNotice = (from: string, to: string): AgentEvent => ({
  type: 'notice',
  level: 'warning',
  code: 'model_fallback',
  text: `${from} is overloaded; ${to} answers from here.`,
});
