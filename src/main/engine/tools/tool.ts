import type { z } from 'zod';
import type { ResultContent } from '../../../shared/message';
import type { ApprovalSubject } from '../../../shared/permission';
import type { CallTitle, ToolView } from '../../../shared/tool-call';
import type { ServerOrigin } from '../settings/mcp-servers';
import type { ToolContext, ToolEnvironment } from './environment';
import type { Needs, ToolWithNeeds } from './needs';
import type { ResourceAccess } from './resource-access';

/** The result of a tool for the model. */
export type ToolContent = readonly ResultContent[];

/** The end of a call. An error outcome goes to the model as an `is_error` result; it never ends the loop. */
export type ToolOutcome<Output> =
  | { readonly ok: true; readonly output: Output }
  | { readonly ok: false; readonly message: string; readonly output?: Output };

/** A step on the way: a fresh picture of the call. */
export interface ToolProgress {
  readonly view: ToolView;
}

/** A call that a tool makes itself on the way. */
interface InnerCall {
  readonly tool: ToolWithNeeds;
  readonly input: Readonly<Record<string, unknown>>;
}

/**
 * One thing the model can do. A tool declares; it never decides permission and never renders.
 * Traits depend on the input. The input has passed the schema when a method sees it.
 */
export interface Tool<Input = unknown, Output = unknown> {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /** Its own JSON Schema, which goes to the model in the place of that of `input`. */
  readonly inputSchema?: Readonly<Record<string, unknown>>;
  /** The input that a hook may put in place of the model's when that can say more. Default: the same. */
  readonly hookInput?: z.ZodType<Input>;
  /** Finds out what it reads and writes: calls of one response without conflict run together. Default: alone. */
  access(input: Input, env: ToolEnvironment): Promise<ResourceAccess>;
  /** A reason why this call cannot work, before anyone is asked for permission; null when it can. */
  validateInput(input: Input, env: ToolEnvironment): Promise<string | null>;
  /** Finds out the permissions it needs, from the input as the model wrote it. It never decides. */
  readonly needs: Needs;
  /** Names the calls it makes itself, so that hooks are asked before each of them too. Default: none. */
  innerCalls?(input: Input, env: ToolEnvironment): Promise<readonly InnerCall[]>;
  /** Describes the call for the approval dialog. */
  subject(input: Input, env: ToolEnvironment): Promise<ApprovalSubject>;
  /**
   * Completes an input for people and hooks, e.g. with absolute paths (docs/spec.md B8). It is given a copy and may
   * change it; what goes back to the API stays as the model wrote it. Go through `observableInput`.
   */
  backfillObservableInput?(copy: Input, env: ToolEnvironment): Input;
  /** Its calls can be made again for what they showed: old results may be cleared. Default: they stay. */
  readonly isRepeatable?: true;
  /** The tool server that it is of, and where that is defined. */
  readonly server?: { readonly name: string; readonly source: ServerOrigin };
  /** Its definition is sent only once ToolSearch has found it. Default: always. */
  readonly deferred?: true;
  /** Further words by which ToolSearch finds it. */
  readonly searchHint?: string;
  /** Seldom used: it waits to be found too where tool servers bring deferred tools. */
  readonly seldom?: true;
  /** The most calls of it that run at the same time; absent: only the limit of all calls holds (docs/spec.md D3). */
  readonly maxTogether?: number;
  /** One line for people. Must accept a half-received input, for which there is no `env` yet. */
  title(input: Partial<Input>, env?: ToolEnvironment): CallTitle;
  execute(input: Input, context: ToolContext): AsyncGenerator<ToolProgress, ToolOutcome<Output>>;
  toModel(output: Output): ToolContent;
  view(input: Input, output: Output): ToolView;
  /** Longer results are saved to a file and replaced by a preview. Characters. */
  readonly maxResultChars: number;
  /** The text field of the input that the user may change before allowing a call. */
  readonly editable?: keyof Input & string;
  /** The optional field that describes the editable one. It is left out once that was changed. */
  readonly describedBy?: keyof Input & string;
  /** True when its failure keeps the calls that waited for it from starting (docs/spec.md D3: shell commands). */
  readonly failureCancelsSiblings?: boolean;
}

/** A tool whose types are erased, as registries hold it. Inputs go through `input.parse` first. */
// biome-ignore lint/suspicious/noExplicitAny: a registry holds tools of every input type; each is entered only through its own schema
export type AnyTool = Tool<any, any>;

type Optional = 'access' | 'validateInput' | 'maxResultChars' | 'subject';
type ToolSpec<I, O> = Omit<Tool<I, O>, Optional> & Partial<Pick<Tool<I, O>, Optional>>;

/** The longest result that goes to the model whole (docs/spec.md D5). Characters. */
const MAX_RESULT_CHARS = 50_000;

/** Completes a tool with defaults that fail closed: its calls run alone. */
export function defineTool<I, O>(spec: ToolSpec<I, O>): Tool<I, O> {
  return {
    access: async () => 'alone',
    validateInput: async () => null,
    maxResultChars: MAX_RESULT_CHARS,
    subject: async (input) => ({
      kind: 'tool',
      name: spec.name,
      input: JSON.stringify(input, null, 2),
    }),
    ...spec,
  };
}
