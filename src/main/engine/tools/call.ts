import type { ToolUseBlock } from '../../../shared/message';
import type { Result } from '../../../shared/result';
import { type CallTitle, fromProject, type ToolView } from '../../../shared/tool-call';
import { untilAborted } from '../until-aborted';
import type { ToolEnvironment } from './environment';
import type { RefusedCall, ToolCall } from './middleware/call-middleware';
import type { Slot } from './orchestrator';
import { NO_ACCESS, type ResourceAccess } from './resource-access';
import type { AnyTool, ToolContent } from './tool';

/** One call of a response, from its block to its result. */
export interface Call {
  readonly block: ToolUseBlock;
  tool: AnyTool | null;
  input: Record<string, unknown> | null;
  /** The reason it cannot run, found before it starts. */
  refusal: string | null;
  title: CallTitle;
  /** Resolves when `tool` and what follows from it are final: a server may be about to bring it. Never rejects. */
  ready: Promise<void>;
  /** Goes to the model before the result. */
  note: ToolContent;
  /** Resolves when the user moves the call to the background. */
  readonly moved: PromiseWithResolvers<void>;
  /** Stops this call alone. */
  readonly stop: AbortController;
  running: boolean;
  settled: boolean;
  /** The date. */
  startedAt: number | null;
  /** The time from which it is measured. */
  began: number | null;
  view: ToolView | null;
}

/** The session's side of preparing a call. */
export interface CallPreparation {
  readonly environment: ToolEnvironment;
  readonly findTool: (name: string) => AnyTool | null;
  /** Resolves when the server that would bring a tool is connected, or failed; null when none is on its way. Never rejects. */
  readonly arrival: (name: string) => Promise<void> | null;
  /** Names for the message about an unknown tool. */
  readonly toolNames: () => readonly string[];
  readonly parseInput: (tool: AnyTool, input: unknown) => Result<Record<string, unknown>, string>;
}

/**
 * Checks a call before it starts: known tool, whole input, valid fields. One whose tool is on its way is checked again when
 * that is there, and stays unknown when `signal` or its own `stop` aborts first.
 */
export function prepareCall(
  block: ToolUseBlock,
  options: CallPreparation,
  signal: AbortSignal,
): Call {
  const call: Call = {
    block,
    moved: Promise.withResolvers<void>(),
    stop: new AbortController(),
    running: false,
    settled: false,
    startedAt: null,
    began: null,
    view: null,
    note: [],
    ready: Promise.resolve(),
    ...checked(block, options),
  };
  const arrival = call.tool === null ? options.arrival(block.name) : null;
  if (arrival !== null) {
    call.ready = untilAborted(arrival, AbortSignal.any([signal, call.stop.signal])).then(() => {
      Object.assign(call, checked(block, options));
    });
  }
  return call;
}

/** Returns what a call would run, or why it cannot. */
function checked(
  block: ToolUseBlock,
  options: CallPreparation,
): Pick<Call, 'tool' | 'input' | 'refusal' | 'title'> {
  const tool = options.findTool(block.name);
  const refused = (refusal: string) => ({
    ...{ tool, input: null, refusal },
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
    tool,
    input: parsed.value,
    refusal: null,
    title: titleFor(tool, parsed.value, options.environment),
  };
}

/** Returns the refusal of a call that could not be prepared. */
export const unfit = ({ refusal }: Pick<Call, 'refusal'>): RefusedCall => ({
  kind: 'refused',
  status: 'failed',
  message: refusal ?? 'This call cannot run.',
});

/** Returns what a call accesses: nothing when it cannot run; alone when its tool cannot tell. */
export async function accessOf(
  { tool, input }: Pick<Call, 'tool' | 'input'>,
  environment: ToolEnvironment,
): Promise<ResourceAccess> {
  if (tool === null || input === null) return NO_ACCESS;
  try {
    return await tool.access(input, environment);
  } catch {
    return 'alone';
  }
}

/** Applies the input that the user or a hook gave a call, and lets the model know. */
export async function amend(
  call: Call,
  slot: Slot,
  { tool, input, changedBy }: Pick<ToolCall, 'tool' | 'input' | 'changedBy'>,
  environment: ToolEnvironment,
): Promise<void> {
  slot.changed(await accessOf({ tool, input }, environment));
  call.title = titleFor(tool, input, environment);
  const ran = JSON.stringify(input[tool.editable ?? ''] ?? input);
  const change =
    changedBy === 'hook'
      ? 'A hook of the user changed this call before it ran.'
      : 'The user changed this call before allowing it.';
  call.note = [{ type: 'text', text: `${change} What ran: ${ran}` }];
}

function titleFor(
  tool: AnyTool,
  input: Record<string, unknown>,
  environment: ToolEnvironment,
): CallTitle {
  const { verb, target } = tool.title(input, environment);
  return { verb, target: fromProject(target, environment.session.project) };
}
