import { createAgentState } from '../../../src/main/engine/agent-state';
import { createAutocompact } from '../../../src/main/engine/context/autocompact';
import { createEventLog } from '../../../src/main/engine/event-log';
import type { StopAnswer } from '../../../src/main/engine/loop/query-deps';
import { createHistory, historyOf } from '../../../src/main/engine/messages/history';
import { normalizeMessages } from '../../../src/main/engine/messages/normalize';
import type { ModelEvent, ModelRequest } from '../../../src/main/engine/model/model-client';
import { QueryEngine } from '../../../src/main/engine/query-engine';
import { countSpending, type ExecutorHooks } from '../../../src/main/engine/query-engine/options';
import type { CallExecutor } from '../../../src/main/engine/tools/streaming-executor';
import { type AgentEvent, DurableEvent, MAIN_AGENT } from '../../../src/shared/agent-event';
import type { AssistantBlock } from '../../../src/shared/message';
import { countingIds, memoryClock } from '../../support/memory-clock';

/** What the model does with one request. */
export type ScriptedTurn =
  | {
      readonly kind: 'answer';
      readonly texts: readonly string[];
      readonly thinks: boolean;
      readonly calls: number;
      readonly cutCall: boolean;
      readonly stopReason: string;
      readonly inputTokens: number;
    }
  | {
      readonly kind: 'failure';
      readonly error: 'prompt_too_long' | 'image' | 'network';
      readonly afterText: boolean;
    };

/** Longer than an answer takes to end, so that tools outlast it. */
const TOOL_STEPS = 20;

const LAST: ScriptedTurn = {
  kind: 'answer',
  texts: ['the end'],
  thinks: false,
  calls: 0,
  cutCall: false,
  stopReason: 'end_turn',
  inputTokens: 100,
};

/**
 * An engine whose every wait is a tick: model events, tool steps, requests being built, attachments, hooks. What is
 * to happen at a tick happens before the wait ends, so that an abort can come at any await.
 */
export function createEngine(
  turns: readonly ScriptedTurn[],
  options: { readonly stopHook: 'pass' | 'block'; readonly callHookStops?: string },
) {
  const ids = countingIds();
  const clock = memoryClock();
  const log = createEventLog({ sessionId: 's', epoch: 'e', clock });
  const events: AgentEvent[] = [];
  log.listen((stamped) => events.push(stamped.event));
  const ran: string[] = [];
  let ticks = 0;
  let due: { readonly at: number; readonly act: () => void } | null = null;
  let asked = 0;
  let unsettled = 0;
  let blocks = 0;

  const tick = async (): Promise<void> => {
    await Promise.resolve();
    if (due !== null && ticks >= due.at) {
      due.act();
      due = null;
    }
    ticks += 1;
    await Promise.resolve();
  };

  async function* stream(_request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const turn = turns[asked++] ?? LAST;
    for (const event of eventsOf(turn, ids.next)) {
      await tick();
      if (signal.aborted) {
        const error = { kind: 'aborted' as const, message: 'stopped', retryable: false };
        return yield { type: 'failed', error };
      }
      yield event;
    }
  }

  const createExecutor = ({ emit, onHookStop, signal }: ExecutorHooks): CallExecutor => {
    const work: Promise<void>[] = [];
    const perform = async (id: string, invalid: boolean) => {
      unsettled += 1;
      await tick();
      if (!signal.aborted && !invalid) ran.push(id);
      for (let step = 0; step < TOOL_STEPS && !signal.aborted; step += 1) await tick();
      // What was started needs real time to come down, also when it is stopped.
      await new Promise((resolve) => setImmediate(resolve));
      unsettled -= 1;
      if (options.callHookStops !== undefined) onHookStop(options.callHookStops);
      emit(settled(id, signal.aborted || invalid));
    };
    return {
      add: (block) => void work.push(perform(block.id, block.invalid !== undefined)),
      done: async () => void (await Promise.all(work)),
      hasStarted: () => ran.length > 0,
      background: () => false,
      cancel: () => false,
    };
  };

  const state = createAgentState({
    modelInMode: (model) => model,
    id: MAIN_AGENT,
    log,
    history: createHistory(),
    config: { model: 'test-model', thinking: null, effort: 'high', mode: 'default' },
    cwd: '/project',
  });
  const engine = new QueryEngine({
    state,
    listen: log.listen,
    spending: {
      ...countSpending(() => log.transcript().costs.total.costUsd),
      left: () => null,
      reached: () => null,
      refresh: () => null,
      why: () => '',
    },
    denials: () => log.transcript().denials,
    limits: () => ({ maxTurns: 12, maxBudgetUsd: null }),
    model: { stream },
    buildRequest: async (history) => {
      await tick();
      const messages = normalizeMessages(history, { model: 'test-model' });
      return { model: 'test-model', maxTokens: 8192, system: [], tools: [], messages };
    },
    createExecutor,
    attachments: async () => {
      await tick();
      return [{ kind: 'fact', text: 'a fact' }];
    },
    stopHooks: async (): Promise<StopAnswer> => {
      await tick();
      blocks += 1;
      return options.stopHook === 'block' && blocks === 1
        ? { kind: 'block', message: 'not yet' }
        : { kind: 'pass' };
    },
    layers: [createAutocompact(() => ({ enabled: true }))],
    contextWindow: () => 200_000,
    inputPrices: () => ({ read: 0.1, write: 1.25 }),
    maxOutput: () => 64_000,
    clock,
    ids,
    callIds: new Set(),
  });

  return {
    engine,
    events: () => events,
    history: () =>
      historyOf(
        events.flatMap((e) => (DurableEvent.safeParse(e).success ? [e as DurableEvent] : [])),
      ).messages(),
    atTick: (at: number, act: () => void) => {
      due = { at, act };
    },
    unsettled: () => unsettled,
    /** Calls that ran more than once. */
    twice: () => ran.filter((id, i) => ran.indexOf(id) !== i),
  };
}

const settled = (callId: string, isError: boolean): AgentEvent => ({
  type: 'call_settled',
  callId,
  tool: 'Tool',
  title: { verb: 'Tool', target: '' },
  status: isError ? 'cancelled' : 'done',
  content: [{ type: 'text', text: 'result' }],
  isError,
  view: null,
  durationMs: 0,
});

function* eventsOf(turn: ScriptedTurn, next: (prefix: string) => string): Generator<ModelEvent> {
  if (turn.kind === 'failure') {
    if (turn.afterText) {
      yield { type: 'message_started', messageId: next('msg'), model: 'test-model' };
      yield { type: 'block_started', index: 0, kind: 'text' };
      yield { type: 'block_delta', index: 0, text: 'half a ' };
    }
    const retryable = turn.error === 'network';
    return yield { type: 'failed', error: { kind: turn.error, message: 'no', retryable } };
  }
  yield { type: 'message_started', messageId: next('msg'), model: 'test-model' };
  for (const [index, block] of blocksOf(turn, next).entries()) {
    if (block.type === 'other' || block.type === 'redacted_thinking') continue;
    yield { type: 'block_started', index, kind: block.type };
    yield { type: 'block_delta', index, text: 'piece' };
    yield { type: 'block_finished', index, block };
  }
  const usage = {
    inputTokens: turn.inputTokens,
    outputTokens: 1000,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
  };
  yield { type: 'message_finished', stopReason: turn.stopReason, usage, costUsd: 0.01 };
}

function blocksOf(
  turn: Extract<ScriptedTurn, { kind: 'answer' }>,
  next: (prefix: string) => string,
): readonly AssistantBlock[] {
  const call = (invalid: boolean): AssistantBlock => {
    const id = next('call');
    const block = { type: 'tool_use' as const, id, name: 'Tool', input: { id } };
    return invalid ? { ...block, invalid: 'cut short' } : block;
  };
  return [
    ...(turn.thinks ? [{ type: 'thinking' as const, thinking: 'hm', signature: 'sig' }] : []),
    ...turn.texts.map((text) => ({ type: 'text' as const, text })),
    ...Array.from({ length: turn.calls }, () => call(false)),
    ...(turn.cutCall ? [call(true)] : []),
  ];
}
