import type { AgentEvent } from '../../../shared/agent-event';
import type { ToolUseBlock } from '../../../shared/message';
import type { CallStatus } from '../../../shared/tool-call';
import type { AskAboutCall } from './approval';
import { accessOf, amend, type Call, type CallPreparation, prepareCall, unfit } from './call';
import type { CallGroup } from './dependency-graph';
import type { AskUser } from './environment';
import {
  CALL_STOPPED,
  CALL_STOPPED_TEXT,
  type CallControl,
  type CallMiddleware,
  type CallOutcome,
  chain,
  isCallStopped,
  type RefusedCall,
  type ToolCall,
} from './middleware/call-middleware';
import { type Clearance, createOrchestrator, type Slot } from './orchestrator';
import type { ToolContent } from './tool';

/** Runs the calls of one response, each from the moment its block is complete. */
export interface CallExecutor {
  /** Takes a call in; it starts as soon as the schedule lets it. */
  add(block: ToolUseBlock): void;
  /** Resolves when every call taken in has its result. Never rejects. */
  done(): Promise<void>;
  /** Returns whether any tool began to run. */
  hasStarted(): boolean;
  /** Moves a running call to the background; false when it is not running. */
  background(callId: string): boolean;
  /** Stops one call and lets the others go on; false when it has its result or is not known. */
  cancel(callId: string): boolean;
}

export interface CallExecutorOptions extends CallPreparation {
  /** The concerns around each call, outermost first. */
  readonly middleware: readonly CallMiddleware[];
  readonly emit: (event: AgentEvent) => void;
  /** Resolves when all emitted events are safely in the session's file: a call that runs is never forgotten. */
  readonly flush: () => Promise<void>;
  /** Puts a question of a tool before the user. Null where nobody can be asked. */
  readonly askUser: AskAboutCall | null;
  readonly signal: AbortSignal;
}

const INTERRUPTED = 'Interrupted by the user before it finished.';

/** Returns an error as the model sees it (docs/spec.md D4). */
const toolError = (message: string): ToolContent => [
  { type: 'text', text: `<tool_use_error>${message}</tool_use_error>` },
];

/** Creates the executor of one response. */
export function createCallExecutor(options: CallExecutorOptions): CallExecutor {
  const { environment, emit, signal } = options;
  const { clock } = environment.services;
  const calls: Call[] = [];
  const slots = new Map<Call, Slot>();
  const work: Promise<void>[] = [];
  const orchestrator = createOrchestrator(signal);
  const whole = Promise.withResolvers<void>();
  let started = false;

  const announce = (call: Call, status: CallStatus) =>
    emit({
      type: 'call_changed',
      callId: call.block.id,
      tool: call.block.name,
      title: call.title,
      status,
      view: call.view,
      ...(call.startedAt === null ? {} : { startedAt: call.startedAt }),
    });

  const settle = (call: Call, status: CallStatus, content: ToolContent) => {
    call.running = false;
    call.settled = true;
    emit({
      type: 'call_settled',
      callId: call.block.id,
      tool: call.block.name,
      title: call.title,
      status,
      content: [...call.note, ...content],
      isError: status !== 'done',
      view: call.view,
      durationMs: call.began === null ? 0 : clock.now() - call.began,
    });
  };

  /** Records an outcome. A deferred call gets no result: it is asked for again. */
  const record = (call: Call, outcome: CallOutcome) => {
    if (outcome.kind === 'done') settle(call, 'done', outcome.content);
    if (outcome.kind === 'failed')
      settle(
        call,
        outcome.call.signal.aborted ? 'cancelled' : 'failed',
        toolError(textOf(outcome.content)),
      );
    if (outcome.kind === 'refused') settle(call, outcome.status, toolError(outcome.message));
  };

  const perform = async (call: Call, slot: Slot): Promise<void> => {
    let failed = false;
    try {
      failed = (await attempt(call, slot)).kind === 'failed';
    } catch (thrown) {
      // A concern that throws is a defect of ours; the model and the user still get one clear result.
      failed = true;
      const message = `${call.block.name} failed unexpectedly: ${messageOf(thrown)}`;
      if (!call.settled) record(call, { kind: 'refused', status: 'failed', message });
    }
    // What the user stopped did not fail: the others go on.
    const fails = failed && !call.stop.signal.aborted;
    slot.settle(fails && (call.tool?.failureCancelsSiblings ?? false));
  };

  const attempt = async (call: Call, slot: Slot): Promise<CallOutcome> => {
    // Events that arrived with the call are written before it starts, so that their order does not depend on the disk.
    await options.flush();
    await call.ready;
    const refusal = refusalOf(await slot.clearance(), call, calls);
    const { tool, input } = call;
    if (refusal !== null || tool === null || input === null) {
      const outcome = refusal ?? unfit(call);
      record(call, outcome);
      return outcome;
    }
    const control = controlOf(call, slot);
    const run = chain(options.middleware, (asked) => execute(call, asked));
    const linked = AbortSignal.any([signal, call.stop.signal]);
    return run({ id: call.block.id, tool, input, decided: [], control, signal: linked });
  };

  const controlOf = (call: Call, slot: Slot): CallControl => ({
    query: signal,
    isAlone: () => whole.promise.then(() => calls.length === 1),
    beforeAsking: async () => {
      await slot.ask();
      announce(call, 'approval');
    },
    waitTurn: async (asked) => {
      slot.decided();
      if (asked.changedBy) await amend(call, slot, asked, environment);
      await options.flush();
      return refusalOf(await slot.clearance(), call, calls);
    },
    settle: (outcome) => record(call, outcome),
  });

  const execute = async (call: Call, asked: ToolCall): Promise<CallOutcome> => {
    const { tool, input } = asked;
    const began = clock.now();
    started = true;
    call.running = true;
    call.began = began;
    call.startedAt = clock.date();
    announce(call, 'running');
    const ran = (content: ToolContent) => ({
      call: asked,
      view: call.view,
      durationMs: clock.now() - began,
      content,
    });
    const failed = (message: string): CallOutcome => ({
      kind: 'failed',
      message,
      ...ran([{ type: 'text', text: message }]),
    });
    try {
      const steps = tool.execute(input, {
        ...environment,
        callId: asked.id,
        decided: asked.decided,
        signal: asked.signal,
        backgroundRequested: call.moved.promise,
        askUser: userFor(call, asked.signal),
      });
      let step = await steps.next();
      while (!step.done) {
        call.view = step.value.view;
        announce(call, 'running');
        step = await steps.next();
      }
      const outcome = step.value;
      if (outcome.output !== undefined) call.view = tool.view(input, outcome.output);
      if (!outcome.ok) {
        const { message } = outcome;
        return failed(isCallStopped(asked.signal) ? `${CALL_STOPPED_TEXT}\n\n${message}` : message);
      }
      return { kind: 'done', ...ran(tool.toModel(outcome.output)) };
    } catch (thrown) {
      // A tool that throws is a defect of ours.
      return failed(`${tool.name} failed unexpectedly: ${messageOf(thrown)}`);
    }
  };

  const userFor = (call: Call, stop: AbortSignal): AskUser | null => {
    const ask = options.askUser;
    if (ask === null) return null;
    return async (subject) => {
      announce(call, 'approval');
      const answer = await ask({ id: call.block.id, tool: call.block.name }, subject, stop);
      announce(call, 'running');
      return answer;
    };
  };

  return {
    add: (block) => {
      const call = prepareCall(block, options, signal);
      calls.push(call);
      announce(call, 'queued');
      const slot = orchestrator.add(async () => {
        await call.ready;
        return accessOf(call, environment);
      }, groupOf(call));
      slots.set(call, slot);
      work.push(perform(call, slot));
    },
    done: async () => {
      whole.resolve();
      await Promise.all(work);
      orchestrator.end();
    },
    hasStarted: () => started,
    background: (callId) => {
      const call = calls.find((c) => c.block.id === callId && c.running);
      call?.moved.resolve();
      return call !== undefined;
    },
    cancel: (callId) => {
      const call = calls.find((c) => c.block.id === callId && !c.settled);
      if (call === undefined || signal.aborted) return false;
      call.stop.abort(CALL_STOPPED);
      slots.get(call)?.cancel();
      return true;
    },
  };
}

/** Returns the limit that a call shares with others of its tool. */
function groupOf({ tool }: Call): CallGroup | undefined {
  return tool?.maxTogether === undefined ? undefined : { name: tool.name, limit: tool.maxTogether };
}

/** Returns why a call never starts; null when it may go on. */
function refusalOf(clearance: Clearance, call: Call, calls: readonly Call[]): RefusedCall | null {
  const refused = (message: string): RefusedCall => ({
    kind: 'refused',
    status: clearance.kind === 'deadlock' ? 'failed' : 'cancelled',
    message,
  });
  switch (clearance.kind) {
    case 'go':
      return null;
    case 'aborted':
      return refused(isCallStopped(call.stop.signal) ? CALL_STOPPED_TEXT : INTERRUPTED);
    case 'dependency_failed': {
      const cause = calls[clearance.dependency]?.title.verb ?? 'a call';
      return refused(`Not started, because ${cause} before it failed.`);
    }
    case 'deadlock':
      return refused('Not started: it and other calls wait for one another.');
  }
}

const textOf = (content: ToolContent): string =>
  content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');

const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);
