import type { ToolContext, ToolEnvironment } from '../../../../src/main/engine/tools/environment';
import { needsContext } from '../../../../src/main/engine/tools/environment';
import type { RawInput } from '../../../../src/main/engine/tools/needs';
import { requestsOf } from '../../../../src/main/engine/tools/needs';
import { parseToolInput } from '../../../../src/main/engine/tools/parse-input';
import type { AnyTool, ToolOutcome } from '../../../../src/main/engine/tools/tool';
import type { ToolView } from '../../../../src/shared/tool-call';

/** How a call went, as the model and the screen see it. */
export interface CallResult {
  readonly ok: boolean;
  /** All text for the model. */
  readonly text: string;
  readonly view: ToolView | null;
  /** Every view on the way. */
  readonly progress: readonly ToolView[];
  readonly outcome: ToolOutcome<unknown>;
}

/** Runs a call the way the executor does: schema, validation, execution. */
export async function runTool(
  tool: AnyTool,
  input: unknown,
  env: ToolEnvironment,
  call: Partial<ToolContext> = {},
): Promise<CallResult> {
  const parsed = parseToolInput(tool, input);
  if (!parsed.ok) return refused(parsed.error);
  const objection = await tool.validateInput(parsed.value, env);
  if (objection !== null) return refused(objection);
  const steps = tool.execute(parsed.value, {
    callId: 'toolu_1',
    decided: await requestsOf(tool, parsed.value, needsContext(env)),
    signal: new AbortController().signal,
    backgroundRequested: new Promise<void>(() => {}),
    askUser: null,
    ...env,
    ...call,
  });
  const progress: ToolView[] = [];
  let step = await steps.next();
  while (!step.done) {
    progress.push(step.value.view);
    step = await steps.next();
  }
  const outcome = step.value;
  return {
    ok: outcome.ok,
    text: outcome.ok ? textOf(tool, outcome.output) : outcome.message,
    view: outcome.output === undefined ? null : tool.view(parsed.value, outcome.output),
    progress,
    outcome,
  };
}

/** Returns what a call needs; throws when no call can be made of the input. */
export async function needsIn(tool: AnyTool, input: RawInput, env: ToolEnvironment) {
  const needed = await tool.needs(input, needsContext(env));
  if (!needed.ok) throw new Error(needed.error);
  return needed.value;
}

const textOf = (tool: AnyTool, output: unknown): string =>
  tool
    .toModel(output)
    .map((block) => (block.type === 'text' ? block.text : `[${block.type}]`))
    .join('\n');

const refused = (message: string): CallResult => ({
  ok: false,
  text: message,
  view: null,
  progress: [],
  outcome: { ok: false, message },
});
