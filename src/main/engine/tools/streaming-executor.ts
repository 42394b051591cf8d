import type { AgentEvent } from '../../../shared/agent-event';
import type { ToolUseBlock } from '../../../shared/message';
import type { CallStatus } from '../../../shared/tool-call';
import type { PermissionRequest } from '../permissions/request';
import type { AskAboutCall } from './ask-person';
import { amend, type Call, prepareCall, reachOf, type Surroundings } from './call';
import type { CallHooks } from './hooked-calls';
import { createOrchestrator, type Slot, type Turn } from './orchestrator';
import type { PermissionGate } from './permission-gate';
import type { AnyTool, AskPerson, ToolContent } from './tool';

/** Runs the calls of one response, each from the moment its block is complete. */
export interface CallExecutor {
  /** Takes a call in; it starts as soon as the schedule lets it. */
  add(block: ToolUseBlock): void;
  /** Resolves when every call taken in has its result. Never rejects. */
  done(): Promise<void>;
  /** Whether any tool began to run. */
  hasStarted(): boolean;
  /** Moves a running call to the background; false when it is not running. */
  background(callId: string): boolean;
}

export interface CallExecutorOptions extends Surroundings {
  readonly gate: PermissionGate;
  readonly emit: (event: AgentEvent) => void;
  /** Resolves when what was emitted is safely in the session's file: a call that runs is never forgotten. */
  readonly flush: () => Promise<void>;
  /** Told of every call that ran, before what waits for it goes on. Never rejects. */
  readonly afterCall?: CallHooks['after'] | undefined;
  /** Keeps a result within its budget; long ones go to a file. */
  readonly fitResult: (
    callId: string,
    content: ToolContent,
    maxChars: number,
  ) => Promise<ToolContent>;
  /** Puts a question of a tool before the person. Null where nobody can be asked. */
  readonly askPerson: AskAboutCall | null;
  readonly signal: AbortSignal;
}

interface Settlement {
  readonly status: CallStatus;
  readonly content: ToolContent;
  readonly isError: boolean;
}

/** How a call ended for those that had to wait for it. */
type End = 'settled' | 'failed';

const INTERRUPTED = 'Interrupted by the user before it finished.';

/** An error as the model sees it (SPEC D4). */
export const toolError = (message: string): ToolContent => [
  { type: 'text', text: `<tool_use_error>${message}</tool_use_error>` },
];

/** Creates the executor of one response. */
export function createCallExecutor(options: CallExecutorOptions): CallExecutor {
  const { environment, emit, signal } = options;
  const { clock } = environment;
  const calls: Call[] = [];
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

  const settle = (call: Call, end: Settlement): End => {
    call.running = false;
    emit({
      type: 'call_settled',
      callId: call.block.id,
      tool: call.block.name,
      title: call.title,
      status: end.status,
      content: [...call.note, ...end.content],
      isError: end.isError,
      view: call.view,
      durationMs: call.startedAt === null ? 0 : clock.now() - call.startedAt,
    });
    return 'settled';
  };
  const fail = (call: Call, message: string, status: CallStatus = 'failed') =>
    settle(call, { status, content: toolError(message), isError: true });

  const perform = async (call: Call, slot: Slot): Promise<void> => {
    let end: End = 'settled';
    try {
      end = await attempt(call, slot);
    } catch (thrown) {
      // A tool that throws is a defect of ours; the model and the person still get one clear result.
      end = 'failed';
      fail(call, `${call.block.name} failed unexpectedly: ${messageOf(thrown)}`);
    }
    slot.settle(end === 'failed' && (call.tool?.failureCancelsSiblings ?? false));
  };

  /** Says why a call never starts. */
  const forgo = (call: Call, turn: Exclude<Turn, { kind: 'go' }>): End => {
    switch (turn.kind) {
      case 'aborted':
        return fail(call, INTERRUPTED, 'cancelled');
      case 'spoiled': {
        const cause = calls[turn.by]?.title.verb ?? 'a call';
        return fail(call, `Not started, because ${cause} before it failed.`, 'cancelled');
      }
      case 'stuck':
        return fail(call, 'Not started: it and other calls wait for one another.');
    }
  };

  const attempt = async (call: Call, slot: Slot): Promise<End> => {
    // What arrived together with the call is dealt with before it, so that the order of events does not hang on how fast
    // a disk answers.
    await options.flush();
    const first = await slot.turn();
    if (first.kind !== 'go') return forgo(call, first);
    const { tool, input } = call;
    if (call.refusal !== null || tool === null || input === null) {
      return fail(call, call.refusal ?? 'This call cannot run.');
    }
    const objection = await tool.validateInput(input, environment);
    if (objection !== null) {
      // Nothing is told of what a rule denies, not even what is wrong with it.
      const denial = await options.gate.denial({ id: call.block.id, tool, input });
      return fail(call, denial?.message ?? objection, denial ? 'denied' : 'failed');
    }
    const onAsk = async () => {
      await slot.ask();
      announce(call, 'approval');
    };
    const alone = () => whole.promise.then(() => calls.length === 1);
    const asked = { id: call.block.id, tool, input, alone };
    const verdict = await options.gate.check(asked, onAsk, signal);
    slot.decided();
    if (!verdict.allowed && verdict.status === 'deferred') return 'settled';
    if (!verdict.allowed) return fail(call, verdict.message, verdict.status);
    if (verdict.input) await amend(call, slot, tool, verdict, environment);
    await options.flush();
    const turn = await slot.turn();
    return turn.kind === 'go'
      ? execute(call, tool, verdict.input ?? input, verdict.decided)
      : forgo(call, turn);
  };

  const execute = async (
    call: Call,
    tool: AnyTool,
    input: Record<string, unknown>,
    decided: readonly PermissionRequest[],
  ): Promise<End> => {
    started = true;
    call.running = true;
    call.startedAt = clock.now();
    announce(call, 'running');
    const steps = tool.execute(input, {
      ...environment,
      callId: call.block.id,
      decided,
      signal,
      backgroundRequested: call.moved.promise,
      askPerson: personFor(call),
    });
    let step = await steps.next();
    while (!step.done) {
      call.view = step.value.view;
      announce(call, 'running');
      step = await steps.next();
    }
    const outcome = step.value;
    if (outcome.output !== undefined) call.view = tool.view(input, outcome.output);
    const told = { id: call.block.id, tool, input };
    const durationMs = clock.now() - call.startedAt;
    if (!outcome.ok) {
      const words = await options.fitResult(
        call.block.id,
        [{ type: 'text', text: outcome.message }],
        tool.maxResultChars,
      );
      fail(call, textOf(words), signal.aborted ? 'cancelled' : 'failed');
      const failed = { ok: false as const, message: outcome.message, view: call.view };
      await options.afterCall?.(told, failed, durationMs, signal);
      return 'failed';
    }
    const content = await options.fitResult(
      call.block.id,
      tool.toModel(outcome.output),
      tool.maxResultChars,
    );
    settle(call, { status: 'done', content, isError: false });
    await options.afterCall?.(told, { ok: true, content, view: call.view }, durationMs, signal);
    return 'settled';
  };

  const personFor = (call: Call): AskPerson | null => {
    const ask = options.askPerson;
    if (ask === null) return null;
    return async (subject) => {
      announce(call, 'approval');
      const answer = await ask({ id: call.block.id, tool: call.block.name }, subject, signal);
      announce(call, 'running');
      return answer;
    };
  };

  return {
    add: (block) => {
      const call = prepareCall(block, options);
      calls.push(call);
      announce(call, 'queued');
      const slot = orchestrator.add(() => reachOf(call, environment));
      work.push(perform(call, slot));
    },
    done: async () => {
      whole.resolve();
      await Promise.all(work);
    },
    hasStarted: () => started,
    background: (callId) => {
      const call = calls.find((c) => c.block.id === callId && c.running);
      call?.moved.resolve();
      return call !== undefined;
    },
  };
}

const textOf = (content: ToolContent): string =>
  content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');

const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);
