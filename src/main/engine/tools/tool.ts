import type { z } from 'zod';
import type { ResultContent } from '../../../shared/message';
import type { ApprovalAnswer, ApprovalSubject, PermissionMode } from '../../../shared/permission';
import type { Result } from '../../../shared/result';
import type { CallTitle, TodoItem, ToolView } from '../../../shared/tool-call';
import type { Ask } from '../model/side-call';
import type { PermissionRequest } from '../permissions/request';
import type { ShellParser } from '../permissions/shell-analysis/parser';
import type { Clock, Files, Ids, Programs, TerminalExit, Terminals } from '../ports';
import type { Pdfs, Web } from '../ports-documents';
import type { SandboxedCommand } from '../ports-sandbox';
import type { AgentTasks } from '../tasks/agent-tasks';
import type { FileReadState } from './file-read-state';
import type { Needs, NeedsContext, SandboxTerms } from './needs';
import type { ResourceAccess } from './resource-access';

/** What a tool gives the model. */
export type ToolContent = readonly ResultContent[];

/** The end of a call. An error outcome goes to the model as an `is_error` result; it never ends the loop. */
export type ToolOutcome<Output> =
  | { readonly ok: true; readonly output: Output }
  | { readonly ok: false; readonly message: string; readonly output?: Output };

/** A step on the way: a fresh picture of the call. */
export interface ToolProgress {
  readonly view: ToolView;
}

/** What the tools of one session share. Mutable parts are behind methods; one instance per session. */
export interface ToolEnvironment {
  readonly sessionId: string;
  /** The project folder, as a real path. */
  readonly project: string;
  /** The session's own folder, for saved results and task output. */
  readonly sessionFolder: string;
  /** The user's home folder. */
  readonly home: string;
  readonly files: Files;
  readonly parser: ShellParser;
  readonly programs: Programs;
  readonly terminals: Terminals;
  readonly web: Web;
  readonly pdfs: Pdfs;
  readonly sandbox: CommandSandbox;
  readonly tasks: AgentTasks;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly reads: FileReadState;
  /** The working directory of shell calls; absolute, always inside the allowed directories. */
  readonly cwd: { get(): string; set(path: string): void };
  /** The agent's todos, as the last call that set them shows them. */
  todos(): readonly TodoItem[];
  /** The plan the person approved last; null when there is none. */
  plan(): string | null;
  /** How what no rule decides is treated. Setting it changes it for the session. */
  readonly mode: { get(): PermissionMode; set(mode: PermissionMode): void };
  /** The environment for shell commands, secrets removed. */
  shellEnv(): Promise<Readonly<Record<string, string>>>;
  /** The person's shell for commands, e.g. `/bin/bash`. */
  readonly shell: string;
  /** Whether a person trusts the project folder, so that what it names may run. */
  trusted(): boolean;
  /** The project folder and what `--add-dir` added, real paths. */
  workingDirectories(): readonly string[];
  /** A test for files (real paths) that a rule keeps from being read: searches leave them out. Take it once a search. */
  hiddenFiles(): (realPath: string) => boolean;
  /** Whether an allow rule names this very host, so that it may be one of the local network. */
  mayReachPrivate(host: string): boolean;
  /** Whether the session's model takes PDF documents. */
  takesPdf(): boolean;
  /** The tools that the model has to look for. */
  readonly deferredTools: DeferredTools;
  /** Asks a model something beside the conversation. */
  readonly ask: Ask;
  /** Starts sub-agents; null for an agent that may start none. */
  readonly agents: AgentSpawner | null;
}

/** A tool as searches and listings show it. */
export interface ToolSummary {
  readonly name: string;
  readonly description: string;
}

/** The tools of an agent whose definitions are sent only once they were found. */
export interface DeferredTools {
  /**
   * Finds some, best first, at most `limit`; the next request offers them. `select:A,B` takes them by name; other words
   * are looked for in names and descriptions.
   */
  search(query: string, limit: number): readonly ToolSummary[];
  /** Returns the names of what will bring more tools soon, e.g. servers that connect. */
  pending(): readonly string[];
  /** Calls back when either changed; returns a function that ends it. */
  onChange(listener: () => void): () => void;
}

/** The work that a call gives to a sub-agent. */
export interface SubAgentRequest {
  readonly callId: string;
  /** The name of its definition. */
  readonly type: string;
  /** The work in a few words. */
  readonly title: string;
  readonly prompt: string;
  /** What a person or model calls the model that is to answer; absent: the definition's. */
  readonly model?: string;
}

/** How far a sub-agent has come, as its card shows it. */
export type SubAgentProgress = Omit<Extract<ToolView, { kind: 'agent' }>, 'kind'>;

/** The end of a sub-agent: its final text, or what went wrong. */
export interface SubAgentOutcome {
  readonly ok: boolean;
  readonly text: string;
  readonly progress: SubAgentProgress;
}

/** Starts sub-agents for the calls of one agent. */
export interface AgentSpawner {
  /** Runs one to its end; an abort stops it. Never throws. */
  run(
    request: SubAgentRequest,
    signal: AbortSignal,
  ): AsyncGenerator<SubAgentProgress, SubAgentOutcome>;
}

/** Returns what the needs of an agent's calls depend on, as it stands now. */
export const needsContext = (env: ToolEnvironment): NeedsContext => ({
  cwd: env.cwd.get(),
  home: env.home,
  files: env.files,
  parser: env.parser,
  trusted: env.trusted(),
  sandboxTerms: env.sandbox.terms,
});

/** The sandbox for shell commands, as the tools of one session see it. */
export interface CommandSandbox {
  /** What holds for commands of this session; null when they are not put inside (not wanted, or there is none). */
  terms(): Promise<SandboxTerms | null>;
  /** Puts a command inside; a failure means it must not run. `argv` is given the folder for temporary files. */
  enter(
    command: {
      readonly callId: string;
      readonly argv: (temp: string) => readonly string[];
      readonly text: string;
    },
    signal: AbortSignal,
  ): Promise<Result<SandboxedCommand>>;
  /** Lets it out when its terminal ends, and tells the person what was not let through: for commands nobody waits for. */
  follow(command: SandboxedCommand, exited: Promise<TerminalExit>): void;
}

/** One call's surroundings. */
export interface ToolContext extends ToolEnvironment {
  readonly callId: string;
  /** What the permission was given for: exactly this may be used, nothing that took its place since. */
  readonly decided: readonly PermissionRequest[];
  readonly signal: AbortSignal;
  /** Resolves when the person moves this call to the background. Never rejects. */
  readonly backgroundRequested: Promise<void>;
  /** Asks the person and waits for the answer; a denial when the call is cancelled. Null where nobody can be asked. */
  readonly askPerson: AskPerson | null;
}

/** Puts something before the person. */
export type AskPerson = (subject: ApprovalSubject) => Promise<ApprovalAnswer>;

/**
 * One thing the model can do. A tool declares; it never decides permission and never renders.
 * Traits depend on the input. The input has passed the schema when a method sees it.
 */
export interface Tool<Input = unknown, Output = unknown> {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /** What a hook may put in place of the input when that can say more than the model may. Default: the same. */
  readonly hookInput?: z.ZodType<Input>;
  /** Finds out what it reads and writes: calls of one response without conflict run together. Default: alone. */
  access(input: Input, env: ToolEnvironment): Promise<ResourceAccess>;
  /** A reason why this call cannot work, before anyone is asked for permission; null when it can. */
  validateInput(input: Input, env: ToolEnvironment): Promise<string | null>;
  /** Finds out the permissions it needs, from the input as the model wrote it. It never decides. */
  readonly needs: Needs;
  /** What the approval dialog shows. */
  subject(input: Input, env: ToolEnvironment): Promise<ApprovalSubject>;
  /**
   * Completes an input for people and hooks, e.g. with absolute paths (SPEC B8). It is given a copy and may
   * change it; what goes back to the API stays as the model wrote it. Go through `observableInput`.
   */
  backfillObservableInput?(copy: Input, env: ToolEnvironment): Input;
  /** Its definition is sent only once ToolSearch has found it. Default: always. */
  readonly deferred?: true;
  /** The most calls of it that run at the same time; absent: only the limit of all calls holds (docs/spec.md D3). */
  readonly maxTogether?: number;
  /** One line for people. Must accept a half-received input. */
  title(input: Partial<Input>): CallTitle;
  execute(input: Input, context: ToolContext): AsyncGenerator<ToolProgress, ToolOutcome<Output>>;
  toModel(output: Output): ToolContent;
  view(input: Input, output: Output): ToolView;
  /** Longer results are saved to a file and replaced by a preview. Characters. */
  readonly maxResultChars: number;
  /** The text field of the input that the person may change before allowing a call. */
  readonly editable?: keyof Input & string;
  /** When it fails, the calls of the same response that had to wait for it are not started (SPEC D3: shell commands). */
  readonly failureCancelsSiblings?: boolean;
}

/** A tool whose types are erased, as registries hold it. Inputs go through `input.parse` first. */
// biome-ignore lint/suspicious/noExplicitAny: a registry holds tools of every input type; each is entered only through its own schema
export type AnyTool = Tool<any, any>;

type Optional = 'access' | 'validateInput' | 'maxResultChars' | 'subject';
type ToolSpec<I, O> = Omit<Tool<I, O>, Optional> & Partial<Pick<Tool<I, O>, Optional>>;

/** SPEC D5. */
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
