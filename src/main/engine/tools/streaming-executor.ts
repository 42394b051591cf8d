import type { AgentEvent } from '../../../shared/agent-event';
import type { ToolUseBlock } from '../../../shared/message';
import type { Result } from '../../../shared/result';
import type { CallStatus, CallTitle, ToolView } from '../../../shared/tool-call';
import { createOrchestrator, type Slot, type Turn } from './orchestrator';
import type { PermissionGate } from './permission-gate';
import { FREE, type Reach } from './reach';
import type { AnyTool, ToolContent, ToolEnvironment } from './tool';

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

export interface CallExecutorOptions {
  readonly environment: ToolEnvironment;
  readonly gate: PermissionGate;
  readonly findTool: (name: string) => AnyTool | null;
  /** Names for the message about an unknown tool. */
  readonly toolNames: () => readonly string[];
  readonly parseInput: (tool: AnyTool, input: unknown) => Result<Record<string, unknown>, string>;
  readonly emit: (event: AgentEvent) => void;
  /** Resolves when what was emitted is safely in the session's file: a call that runs is never forgotten. */
  readonly flush: () => Promise<void>;
  /** Keeps a result within its budget; long ones go to a file. */
  readonly fitResult: (
    callId: string,
    content: ToolContent,
    maxChars: number,
  ) => Promise<ToolContent>;
  readonly signal: AbortSignal;
}

interface Call {
  readonly block: ToolUseBlock;
  readonly tool: AnyTool | null;
  readonly input: Record<string, unknown> | null;
  /** Why it cannot run, found before it starts. */
  readonly refusal: string | null;
  readonly title: CallTitle;
  readonly moved: PromiseWithResolvers<void>;
  running: boolean;
  startedAt: number | null;
  view: ToolView | null;
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
      content: [...end.content],
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
    const first = await slot.turn();
    if (first.kind !== 'go') return forgo(call, first);
    const { tool, input } = call;
    if (call.refusal !== null || tool === null || input === null) {
      return fail(call, call.refusal ?? 'This call cannot run.');
    }
    const objection = await tool.validateInput(input, environment);
    if (objection !== null) return fail(call, objection);
    const onAsk = async () => {
      await slot.ask();
      announce(call, 'approval');
    };
    const verdict = await options.gate.check({ id: call.block.id, tool, input }, onAsk, signal);
    slot.decided();
    if (!verdict.allowed) return fail(call, verdict.message, verdict.status);
    await options.flush();
    const turn = await slot.turn();
    return turn.kind === 'go' ? execute(call, tool, input) : forgo(call, turn);
  };

  const execute = async (
    call: Call,
    tool: AnyTool,
    input: Record<string, unknown>,
  ): Promise<End> => {
    started = true;
    call.running = true;
    call.startedAt = clock.now();
    announce(call, 'running');
    const steps = tool.execute(input, {
      ...environment,
      callId: call.block.id,
      signal,
      backgroundRequested: call.moved.promise,
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
      fail(call, outcome.message, signal.aborted ? 'cancelled' : 'failed');
      return 'failed';
    }
    const content = await options.fitResult(
      call.block.id,
      tool.toModel(outcome.output),
      tool.maxResultChars,
    );
    return settle(call, { status: 'done', content, isError: false });
  };

  return {
    add: (block) => {
      const call = prepare(block, options);
      calls.push(call);
      announce(call, 'queued');
      const slot = orchestrator.add(() => reachOf(call, environment));
      work.push(perform(call, slot));
    },
    done: async () => {
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

/** Looks a call over before it starts: known tool, whole input, valid fields. */
function prepare(block: ToolUseBlock, options: CallExecutorOptions): Call {
  const tool = options.findTool(block.name);
  const base = {
    block,
    moved: Promise.withResolvers<void>(),
    running: false,
    startedAt: null,
    view: null,
  };
  const refused = (refusal: string): Call => ({
    ...base,
    tool,
    input: null,
    refusal,
    title: { verb: block.name, target: '' },
  });
  if (block.invalid !== undefined) return refused(`The input was not run: ${block.invalid}`);
  if (tool === null) {
    return refused(
      `There is no tool named "${block.name}". Available: ${options.toolNames().join(', ')}.`,
    );
  }
  const parsed = options.parseInput(tool, block.input);
  if (!parsed.ok) return refused(parsed.error);
  return {
    ...base,
    tool,
    input: parsed.value,
    refusal: null,
    title: shortTitle(tool.title(parsed.value), options.environment.project),
  };
}

/** What a call reaches; a call that cannot run reaches nothing, and a tool that cannot tell runs alone. */
async function reachOf({ tool, input }: Call, environment: ToolEnvironment): Promise<Reach> {
  if (tool === null || input === null) return FREE;
  try {
    return await tool.reach(input, environment);
  } catch {
    return 'alone';
  }
}

/** Paths inside the project are shown from its root. */
const shortTitle = ({ verb, target }: CallTitle, project: string): CallTitle => ({
  verb,
  target: target.startsWith(`${project}/`) ? target.slice(project.length + 1) : target,
});

const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);
