import type { Stamped, ThinkingMode } from '../../shared/agent-event';
import type { CommandInfo } from '../../shared/contract';
import type { Spends } from '../../shared/facts';
import type { UserBlock } from '../../shared/message';
import type { PermissionMode } from '../../shared/permission';
import type { Result } from '../../shared/result';
import type { SettingsProblem } from '../../shared/settings';
import type { McpServerStatus } from '../engine/mcp/mcp-servers';

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
  /** Instead of what settings say. */
  readonly thinking?: ThinkingMode;
  readonly maxTurns?: number;
  readonly maxBudgetUsd?: number;
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
  /** Files that name tool servers, or inline JSON. */
  readonly mcpConfig?: readonly string[];
  /** No other servers than those. */
  readonly strictMcpConfig?: boolean;
  /** A settings file or inline JSON. */
  readonly settings?: string;
}

/** Nothing to tell. */
type Empty = Readonly<Record<string, never>>;

/** One session without a window. Whatever would ask is denied and recorded. */
export interface HeadlessSession {
  readonly sessionId: string;
  readonly cwd: string;
  readonly tools: readonly string[];
  readonly model: string;
  readonly mode: PermissionMode;
  /** The source of the key, as docs/headless.md `apiKeySource`. */
  readonly apiKeySource: string;
  readonly problems: readonly SettingsProblem[];
  readonly commands: readonly CommandInfo[];
  /** Begins to keep the inputs of calls as programs see them; returns what takes one by its call, once. */
  watchInputs(): (callId: string) => Readonly<Record<string, unknown>> | null;
  /** The kinds of sub-agents that can be started here. */
  readonly agents: readonly { readonly name: string; readonly description: string }[];
  /** Returns the tool servers, and which of them answer. */
  toolServers(): readonly McpServerStatus[];
  /** Returns what this run has spent so far, by model; what a resumed session spent before is left out. */
  spent(): Spends;
  /** Returns whether a hook deferred a call when the session was open last. */
  deferred(): boolean;
  /**
   * One query (`/compact [focus]` is one too); ends after its `query_finished`. A deferred call comes first;
   * null: that call is all there is to go on with.
   */
  submit(prompt: string | readonly UserBlock[] | null): AsyncGenerator<Stamped, void>;
  /**
   * Stops the running query; its history stays valid. With `ending` its processes get less time to come down, because
   * whoever runs us waits.
   */
  interrupt(why: 'stopped' | 'ending'): void;
  /** Changes model or mode from the next request on. */
  configure(change: { readonly model?: string; readonly mode?: PermissionMode }): Result<Empty>;
  /**
   * Ends every process of the session (500 ms grace), flushes the log. Returns what could not be saved, in words for the
   * user; null when all is.
   */
  close(): Promise<string | null>;
}

/** Opens a session, or says why it cannot be opened. */
export type OpenHeadless = (options: HeadlessOptions) => Promise<Result<HeadlessSession>>;
