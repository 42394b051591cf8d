import type { AgentColor } from '../../shared/agent-color';
import type { Stamped, ThinkingMode } from '../../shared/agent-event';
import type { RestorePreview, RestoreReport } from '../../shared/checkpoint';
import type { CommandInfo } from '../../shared/contract';
import type { Spends } from '../../shared/facts';
import type { HookSetting } from '../../shared/hooks';
import type { ResultContent, UserBlock } from '../../shared/message';
import type { PermissionMode, PermissionRule } from '../../shared/permission';
import type { PlanLimits } from '../../shared/plan-limits';
import type { FoundFile } from '../../shared/project-file';
import type { Result } from '../../shared/result';
import type { ModelChoice, SettingsProblem } from '../../shared/settings';
import type { ToolServerView } from '../../shared/tool-server';
import type { AgentTranscript, Item } from '../../shared/transcript';
import type { McpServerStatus } from '../engine/mcp/mcp-servers';
import { contextWindowOf, maxOutputOf } from '../engine/model/catalog';
import type { ThinkingDisplay } from '../engine/model/model-client';
import type { InstallReport } from '../engine/plugins/install-wanted';
import type { FolderWishes } from '../engine/session/added-folders';
import type { AgentProgress } from '../engine/session/asides';
import type { CallSummaries, CallSummary } from '../engine/session/call-summaries';
import type { HostPolicy, ProgramParts, SessionWishes } from '../engine/session/session-scope';
import type { McpServerSetting } from '../engine/settings/mcp-servers';
import type { PermissionUpdate } from '../engine/settings/permission-update';
import type { PluginProblem } from '../engine/settings/plugins/read-plugin';
import type { GivenSettings } from '../engine/settings/read';

/** The wishes of a command line. Everything else comes from settings. */
export interface HeadlessOptions {
  readonly folder: string;
  readonly trust: boolean;
  readonly sessionId?: string;
  /** `latest` continues the newest session of the folder. */
  readonly resume?: string | 'latest';
  readonly fork: boolean;
  readonly model?: string;
  /** Instead of those in settings. */
  readonly fallbackModels?: readonly string[];
  readonly effort?: string;
  readonly mode?: PermissionMode;
  readonly allowedTools: readonly string[];
  readonly disallowedTools: readonly string[];
  readonly addDirectories: readonly string[];
  /** The first prompt begins with Setup hooks. */
  readonly setup?: 'init' | 'maintenance';
  /** Instead of what settings say. */
  readonly thinking?: ThinkingMode;
  readonly thinkingDisplay?: ThinkingDisplay;
  readonly maxTurns?: number;
  readonly maxBudgetUsd?: number;
  /** Of all sessions of a day together; that of settings counts too. */
  readonly maxDailyBudgetUsd?: number;
  /** In the place of the whole system prompt. */
  readonly overrideSystemPrompt?: string;
  /** The main agent only gives work to sub-agents. */
  readonly coordinator?: boolean;
  /** Name of the agent that the main agent works as. */
  readonly agent?: string;
  /** Kinds of agents beside those of files: an object of them by name, or its JSON. */
  readonly agents?: unknown;
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string;
  /** Absolute; read in place of the text. */
  readonly systemPromptFile?: string;
  readonly appendSystemPromptFile?: string;
  /** A prompt of a few lines, and no memory files. */
  readonly bare?: boolean;
  /** Moves the sections on this machine and folder in front of the conversation. */
  readonly localApart?: boolean;
  /** Files that name tool servers, or inline JSON. */
  readonly mcpConfig?: readonly string[];
  /** No other servers than those. */
  readonly strictMcpConfig?: boolean;
  /** A settings file or inline JSON. */
  readonly settings?: string;
  /** JSON of settings that a program changed in its run. */
  readonly changedSettings?: string;
  /** A settings file or inline JSON that only restricts, as managed settings do. */
  readonly managedSettings?: string;
  /** The settings files that count beside managed ones. Default: all. */
  readonly settingSources?: readonly ('user' | 'project' | 'local')[];
  /** The folder whose configuration counts in the place of the folder's own. Absolute. */
  readonly configRoot?: string;
  /** It works in the worktree of that name; '': in a new one. */
  readonly worktree?: string;
  /** Folders of plugins that count in this run, absolute. */
  readonly pluginFolders?: readonly string[];
  /** The plugins among them whose tool servers are left out. */
  readonly serverlessPlugins?: readonly string[];
  /** The built-in tools that are left. Default: all. */
  readonly tools?: readonly string[];
  /** The JSON Schema of the answer that the run ends with. */
  readonly jsonSchema?: string;
  readonly title?: string;
  /** The message after which the resumed conversation goes on: the `uuid` of its line. */
  readonly resumeAt?: string;
  /** The prompt whose turn is all that may be left out behind that message: the `uuid` of its line. */
  readonly dropsTurn?: string;
  /** Wishes that no setting can express. */
  readonly wishes?: SessionWishes;
  /** Betas of the API to ask for. */
  readonly betas?: readonly string[];
  /** The mode may be changed to one that asks nothing. */
  readonly allowsBypass?: boolean;
  /** The session is removed when it ends. */
  readonly keepsNothing?: boolean;
  /** The program is given the conversation in the shape of the ecosystem, as it is written. */
  readonly mirrors?: boolean;
  /** A program drives the run, and answers for the servers that it names. */
  readonly driven?: boolean;
}

/** The parts of a session that the program which drives Lathe plays. */
export interface DrivingProgram extends ProgramParts {
  /** Puts questions to it; null: it takes none, and what would ask is denied. */
  readonly createBroker: HostPolicy['createBroker'];
  /** Its hooks. No setting switches them off. */
  readonly hooks: readonly HookSetting[];
}

/** The place that servers count as named in when the program names them in the middle of a run. */
export const NAMED_LATER = 'mcp_set_servers';

/** A change of a running session. */
interface HeadlessChange {
  readonly model?: string;
  readonly effort?: string;
  readonly mode?: PermissionMode;
  readonly thinking?: ThinkingMode | null;
  /** Null: what is usual. */
  readonly thinkingDisplay?: ThinkingDisplay | null;
}

/** Returns the sizes of a model. Tokens. */
export const sizesOf = (model: string) => ({
  contextTokens: contextWindowOf(model),
  maxOutputTokens: maxOutputOf(model),
});

/** Nothing to tell. */
type Empty = Readonly<Record<string, never>>;

/** A file as a program is given it. */
interface GivenFile {
  readonly bytes: Uint8Array;
  /** Absolute. */
  readonly path: string;
  readonly truncated: boolean;
}

/** A plugin that a program names. */
export interface GivenPlugin {
  /** Absolute. */
  readonly path: string;
  /** Its tool servers are left out. */
  readonly isServerless: boolean;
}

/** One session without a window. Whatever would ask is denied and recorded. */
export interface HeadlessSession {
  readonly sessionId: string;
  readonly cwd: string;
  /** Returns the names of the tools that the main agent is offered now. */
  tools(): readonly string[];
  model(): string;
  mode(): PermissionMode;
  readonly outputStyle: string;
  /** The source of the key, as docs/headless.md `apiKeySource`. */
  readonly apiKeySource: string;
  readonly problems: readonly SettingsProblem[];
  /** Returns the commands that can be given now. */
  commands(): readonly CommandInfo[];
  /** The models to choose from, one of each family. */
  readonly models: readonly ModelChoice[];
  /** Begins to keep the inputs of calls as programs see them; returns what takes one by its call, once. */
  watchInputs(): (callId: string) => Readonly<Record<string, unknown>> | null;
  /** Returns the kinds of sub-agents that can be started here. */
  agents(): readonly { readonly name: string; readonly description: string }[];
  /** Returns the names of the skills that count. */
  skills(): readonly string[];
  /** Returns what stands in the settings files that count, weakest first. */
  givenSettings(): readonly GivenSettings[];
  /** Returns the rules of now, the folders that may be worked in beside the session's own, and whether only managed rules allow. */
  permissionRules(): {
    readonly rules: readonly PermissionRule[];
    readonly folders: readonly string[];
    readonly managedOnly: boolean;
  };
  /** Returns how much the model is to think. */
  effort(): string;
  /** Returns the levels of that which the model has. */
  efforts(): readonly string[];
  /** Answers a question beside the conversation; null: there is no answer. */
  askAside(question: string, signal: AbortSignal): Promise<string | null>;
  /** Returns what is wrong with plugins, also with those that do not count. */
  pluginProblems(): readonly PluginProblem[];
  /** Returns the plugins that count. */
  plugins(): readonly { readonly name: string; readonly path: string; readonly version?: string }[];
  /** Returns the names of the output styles to choose from. */
  outputStyles(): Promise<readonly string[]>;
  /** Reads again what people have in files: settings, plugins, skills, agents. Plugins that are named join those of the run. */
  reload(plugins?: readonly GivenPlugin[]): Promise<void>;
  /** Adds a folder inside those that the run was started with; `wishes`: what of it is read at once. */
  addFolder(folder: string, wishes: FolderWishes): Promise<Result<Empty>>;
  /** Changes settings for this run, over those of the command line. */
  applySettings(settings: Readonly<Record<string, unknown>>): Promise<Result<Empty>>;
  /** Changes one setting in the user's file or in that of this folder alone. */
  saveSetting(
    place: 'userSettings' | 'localSettings',
    name: string,
    value: string,
  ): Promise<Result<Empty>>;
  /** Reads a file that the model could read without a question. */
  readFile(path: string, maxBytes: number): Promise<Result<GivenFile>>;
  /** Counts a file as read by the model, in the version of that time. Epoch milliseconds. */
  seedRead(path: string, mtimeMs: number): Promise<Result<Empty>>;
  /** Calls a tool of a tool server for the program itself; gives its content. It is not asked about. */
  callTool(
    name: string,
    input: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<Result<readonly ResultContent[], string>>;
  /** Begins to sign in to a tool server; gives the page to open, null: none is needed. The error is for a user. */
  signIn(server: string, signal: AbortSignal): Promise<Result<string | null, string>>;
  /** Signs out of a tool server; says what became of it. The error is for a user. */
  signOut(server: string): Promise<Result<string, string>>;
  /** Finds files of the folder by parts of their paths, the best first. */
  findFiles(text: string, signal: AbortSignal): Promise<Result<readonly FoundFile[]>>;
  /** Returns the hooks of now, also those that are off. */
  hooks(): readonly HookSetting[];
  /** Has the calls of a server's tools judged in a stricter mode, null: as all others. False: no such server now. */
  setServerMode(server: string, mode: 'default' | 'auto' | null): boolean;
  /** Returns the tool servers, and which of them answer. */
  toolServers(): readonly McpServerStatus[];
  /** Returns the language servers as people see them. */
  languageServers(): readonly ToolServerView[];
  /** Calls back when something about the tool servers may have changed; gives a function that ends it. */
  onToolServers(listener: () => void): () => void;
  /** Returns what this run has spent so far, by model; what a resumed session spent before is left out. */
  spent(): Spends;
  /** Returns what the newest answer told of the plan that pays; undefined: nothing. */
  planLimits(): PlanLimits | undefined;
  /** Returns whether a hook deferred a call when the session was open last. */
  deferred(): boolean;
  /**
   * One query (`/compact [focus]` is one too); ends after its `query_finished`. A deferred call comes first;
   * null: that call is all there is to go on with. `asWritten`: no command and no mention is looked for in it.
   */
  submit(
    prompt: string | readonly UserBlock[] | null,
    promptId?: string,
    asWritten?: boolean,
  ): AsyncIterable<Stamped>;
  /** Returns what the user would most likely say next; null: nothing is expected, or nobody wants to know. */
  suggestPrompt(signal: AbortSignal): Promise<string | null>;
  /** Calls back now and then with what each running sub-agent does; gives a function that ends it. */
  onProgress(listener: (progress: AgentProgress) => void): () => void;
  /** Tells hooks that the session begins, where no prompt is to come. */
  begin(): Promise<void>;
  /** Tells in a few words what the main agent's calls come to, from now on. */
  summariseCalls(listener: (summary: CallSummary) => void, signal: AbortSignal): CallSummaries;
  /** Returns whether a query runs. */
  isRunning(): boolean;
  /** Calls back with each event that no query tells, e.g. the end of a task while none runs; gives a function that ends it. */
  onBetween(listener: (stamped: Stamped) => void): () => void;
  /** Calls back with what hooks want emitted to a terminal, until the session is closed; gives a function that ends it. */
  onTerminalSequences(listener: (sequences: readonly string[]) => void): () => void;
  /** Returns the answer in the shape that was asked for; null: the model still owes it, undefined: none was asked for. */
  structuredOutput(): unknown;
  /**
   * Stops the running query; its history stays valid. With `ending` its processes get less time to come down, because
   * whoever runs us waits.
   */
  interrupt(why: 'stopped' | 'ending'): void;
  /** Changes model, thinking or mode from the next request on. */
  configure(change: HeadlessChange): Promise<Result<Empty>>;
  /** Carries out changes of permissions that the program gives with an answer. */
  updatePermissions(updates: readonly PermissionUpdate[]): Promise<void>;
  /** Resolves when the servers inside the program have said what they have, or failed. */
  insideReady(): Promise<void>;
  /** Starts the servers that are named, in the place of those that were named so before. */
  nameServers(servers: readonly McpServerSetting[]): void;
  /** Returns whether a task or a hook has news that the model was not told yet. */
  hasNews(): boolean;
  /** Calls back when there is some; gives a function that ends it. */
  onNews(listener: () => void): () => void;
  /**
   * Returns whether a sub-agent works in the background, or has a report that the model was not told yet. With `observers`,
   * those count that only look on.
   */
  agentsAtWork(observers?: boolean): boolean;
  /** Resolves when no observer of an agent that has ended is about to begin, or on abort. */
  observersBegun(signal: AbortSignal): Promise<void>;
  /** Stops the sub-agents that work in the background. Returns at once. */
  stopAgents(): void;
  /** Stops a task; an error says why it still runs. */
  stopTask(taskId: string): Promise<Result<Empty>>;
  /** Reads the end of what a command in the background printed, the last `maxBytes` of it. */
  taskOutput(
    taskId: string,
    maxBytes: number,
  ): Promise<Result<{ readonly end: Uint8Array; readonly totalBytes: number }>>;
  /** Moves a running call to the background, null: all that can be; false when none was. */
  background(callId: string | null): boolean;
  /** Asks the small model for a title of what a text is about; null when it names none. */
  suggestTitle(text: string): Promise<string | null>;
  /** Gives the session a title. */
  rename(title: string): void;
  /** Marks the session with a colour in lists; null: with none. */
  setColor(color: AgentColor | null): void;
  /** Reads what a tool server has to read. The error is for a user. */
  readResource(
    server: string,
    uri: string,
    signal: AbortSignal,
  ): Promise<Result<{ readonly contents: readonly unknown[] }, string>>;
  /** Returns the time that the queries of this run took. Milliseconds. */
  took(): { readonly apiMs: number; readonly durationMs: number };
  /** Connects to a tool server anew; false when there is none of that name. */
  reconnectServer(name: string): boolean;
  /** Ends a tool server for this session, or starts it again; false when there is none of that name. */
  enableServer(name: string, on: boolean): boolean;
  /** Returns the names of the servers that were named so. */
  namedServers(): readonly string[];
  /** Tells what giving files the state they had before a prompt would change. */
  previewFiles(promptId: string): Promise<Result<RestorePreview>>;
  /** Gives files that state, as far as nobody else changed them since; a running query is stopped first. */
  restoreFiles(promptId: string): Promise<Result<RestoreReport>>;
  /** Returns the conversation so far, oldest first. */
  conversation(): readonly Item[];
  /** Returns how the window of the model is filled, by the last answer. Tokens. */
  contextUse(): NonNullable<AgentTranscript['context']>;
  /**
   * Ends every process of the session (500 ms grace), flushes the log. Returns what could not be saved, in words for the
   * user; null when all is.
   */
  close(): Promise<string | null>;
  /** Returns what kept the disk from taking what was lost, once it is closed; null for anything else. */
  lostTo(): 'no_space' | 'over_quota' | null;
}

/** Opens a session, or says why it cannot be opened. */
export type OpenHeadless = (
  options: HeadlessOptions,
  program?: DrivingProgram,
) => Promise<Result<HeadlessSession>>;

/**
 * Installs the plugins that settings turn on and that are not there yet, before a session is opened; gives the options to
 * open it with. `tell` hears what becomes of them, with the id of the session. `ending` ends it.
 */
export type InstallPlugins = (
  options: HeadlessOptions,
  tell: (report: InstallReport, sessionId: string) => void,
  ending: AbortSignal,
) => Promise<HeadlessOptions>;
