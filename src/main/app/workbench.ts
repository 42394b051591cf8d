import type { LimitsChange, ThinkingMode } from '../../shared/agent-event';
import type { ChangedText, SessionChanges } from '../../shared/changes';
import type {
  RestoreDiff,
  RestorePoint,
  RestorePreview,
  RestoreReport,
} from '../../shared/checkpoint';
import type { ContextAct } from '../../shared/context-act';
import type {
  AppFeed,
  CommandInfo,
  FolderListing,
  ForkedSession,
  SessionFeed,
  SessionSummary,
} from '../../shared/contract';
import type { TrashedSession } from '../../shared/contract-sessions';
import type { CostView } from '../../shared/cost-view';
import type { ApprovalAnswer, PermissionMode } from '../../shared/permission';
import type { MentionKind, SessionMention } from '../../shared/project-file';
import type { PromptBlock, PromptParts, PromptPriority } from '../../shared/queued-prompt';
import type { Result } from '../../shared/result';
import type { ExportFormat, ExportPiece } from '../../shared/session-export';
import type { SearchAnswer } from '../../shared/session-search';
import type {
  AttentionKind,
  Connection,
  EnteredKey,
  ModelChoice,
  Preferences,
  Project,
} from '../../shared/settings';
import type { KillReport, ProcessTree, TerminalInfo } from '../../shared/terminal';
import type { AgentTranscript } from '../../shared/transcript';
import type { WhatRuns } from '../../shared/what-runs';
import type { BranchPoint } from '../engine/sessions/branch';
import type { OtherLogs } from '../search/search-thread';
import type { ShowTarget, WindowEntry } from './app-feed';
import type { CommitService } from './commit-service';
import type { FileService } from './file-service';
import type { HealthService } from './health-service';
import type { HookService } from './hook-service';
import type { MemoryService } from './memory-service';
import type { PermissionService } from './permission-service';
import type { PluginService } from './plugin-service';
import type { SettingsService } from './settings-service';
import type { ToolServerService } from './tool-server-service';

/** The changes of sessions in their projects, by the id of the session. */
interface ChangesService {
  list(sessionId: string): Promise<Result<SessionChanges>>;
  diff(sessionId: string, path: string): Promise<Result<ChangedText>>;
  /** Takes one hunk back; what runs is stopped first. */
  revertHunk(
    sessionId: string,
    path: string,
    now: string,
    hunk: number,
  ): Promise<Result<RestoreReport>>;
}

/** Frames between one window and the terminal host. The host in between relays and never reads them. */
export interface TerminalChannel {
  send(frame: Uint8Array): void;
  close(): void;
}

/** Something that deserves the user's attention while no window has the focus. */
export interface Attention {
  readonly kind: AttentionKind;
  readonly sessionId: string;
  readonly project: string;
  readonly title: string;
  readonly body: string;
}

/**
 * The app behind the windows: projects, sessions, terminals, the connection. One per process; every window
 * and browser tab talks to the same one. Its methods mirror the contract, so a host's handler is one line.
 */
export interface Workbench {
  watchApp(signal: AbortSignal): AsyncIterable<AppFeed>;
  setPreferences(patch: Partial<Preferences>): Promise<Result<Preferences>>;
  /** The folders in a folder; without a path, in the user's home. */
  listFolder(path: string | undefined): Promise<Result<FolderListing>>;
  openProject(path: string): Promise<Result<Project>>;
  trustProject(path: string, trusted: boolean): Promise<Result<Project>>;
  openDemoProject(): Promise<Result<Project>>;
  forgetProject(path: string): Promise<Result<null>>;
  /** Tries a key and an endpoint with one cheap request. The fault says what is wrong with which. */
  checkConnection(entered: EnteredKey, signal: AbortSignal): Promise<Result<null>>;
  setConnection(
    choice: ({ readonly kind: 'apiKey' } & EnteredKey) | { readonly kind: 'demo' | 'none' },
  ): Promise<Result<Connection>>;
  /** The menu of models, with what settings of a project refuse. */
  listModels(project: string | undefined): Promise<readonly ModelChoice[]>;
  createSession(project: string): Promise<Result<SessionSummary>>;
  renameSession(sessionId: string, title: string): Promise<Result<null>>;
  archiveSession(sessionId: string, archived: boolean): Promise<Result<null>>;
  removeSession(sessionId: string): Promise<Result<null>>;
  /** Lists the sessions of a project in the trash, the one that was deleted last first. */
  listTrash(project: string): Promise<Result<readonly TrashedSession[]>>;
  /** Takes a session out of the trash. */
  restoreSession(sessionId: string): Promise<Result<null>>;
  /** Searches what was said in all sessions; each answer replaces the one before it. */
  searchSessions(text: string, signal: AbortSignal): AsyncIterable<Result<SearchAnswer>>;
  readonly otherLogs: OtherLogs;
  /** Writes a session out, in pieces, with keys and tokens hidden; behind them comes what of it cannot be read. */
  exportSession(
    sessionId: string,
    format: ExportFormat,
    signal: AbortSignal,
  ): AsyncIterable<Result<ExportPiece>>;
  watchSession(
    sessionId: string,
    since: { readonly epoch: string; readonly seq: number } | undefined,
    signal: AbortSignal,
  ): AsyncIterable<SessionFeed>;
  agentTranscript(sessionId: string, agentId: string): Promise<Result<AgentTranscript>>;
  submit(
    sessionId: string,
    text: string,
    priority: PromptPriority | undefined,
    blocks?: readonly PromptBlock[],
    promptId?: string,
  ): Promise<Result<null>>;
  commands(sessionId: string): Promise<Result<readonly CommandInfo[]>>;
  mentions(sessionId: string, kind: MentionKind): Promise<Result<readonly SessionMention[]>>;
  continueWork(sessionId: string, forSession?: boolean): Promise<Result<null>>;
  /** Returns what all sessions spent, and the limit of a day in a project. */
  costs(project: string): Promise<Result<CostView>>;
  stop(sessionId: string): Promise<Result<null>>;
  takeBack(sessionId: string, promptId: string): Promise<Result<PromptParts>>;
  editQueued(sessionId: string, promptId: string, signal: AbortSignal): Promise<Result<null>>;
  changeQueued(
    sessionId: string,
    promptId: string,
    change: {
      readonly text?: string | undefined;
      readonly priority?: PromptPriority | undefined;
      readonly place?: number | undefined;
    },
  ): Promise<Result<null>>;
  /** Gives a prompt, to be changed and sent again. */
  prompt(sessionId: string, promptId: string): Promise<Result<PromptParts>>;
  /** Goes back to before a prompt, and gives it. */
  rewind(sessionId: string, promptId: string, restored?: string): Promise<Result<PromptParts>>;
  previewRestore(sessionId: string, point: RestorePoint): Promise<Result<RestorePreview>>;
  diffRestore(sessionId: string, point: RestorePoint, path: string): Promise<Result<RestoreDiff>>;
  /** Gives files back their state; what runs is stopped first. */
  restoreFiles(
    sessionId: string,
    point: RestorePoint,
    overwrite: boolean,
  ): Promise<Result<RestoreReport>>;
  /** The changes of sessions in their projects. */
  readonly changes: ChangesService;
  readonly commits: CommitService;
  /** Makes a session of what was there before a prompt, or before a rewind. */
  fork(sessionId: string, until: BranchPoint): Promise<Result<ForkedSession>>;
  /** Changes what is sent of the conversation. */
  changeContext(sessionId: string, act: ContextAct): Promise<Result<null>>;
  retryNow(sessionId: string): Promise<Result<null>>;
  configure(
    sessionId: string,
    change: {
      readonly model?: string | undefined;
      readonly effort?: string | undefined;
      readonly mode?: PermissionMode | undefined;
      readonly thinking?: ThinkingMode | undefined;
      readonly limits?: LimitsChange | undefined;
    },
  ): Promise<Result<null>>;
  answer(sessionId: string, approvalId: string, answer: ApprovalAnswer): Promise<Result<null>>;
  stopTask(sessionId: string, taskId: string): Promise<Result<KillReport>>;
  backgroundCall(sessionId: string, callId: string): Promise<Result<null>>;
  /** Stops one call; the others go on. */
  cancelCall(sessionId: string, callId: string): Promise<Result<null>>;
  /** Returns the prompts sent in a project, oldest first, each once. */
  listPrompts(project: string): Promise<Result<readonly string[]>>;
  readonly files: FileService;
  readonly permissions: PermissionService;
  /** The state of Lathe itself. */
  readonly health: HealthService;
  readonly hooks: HookService;
  readonly memory: MemoryService;
  readonly plugins: PluginService;
  readonly toolServers: ToolServerService;
  readonly settings: Pick<SettingsService, 'setDefaults' | 'changeKeys'>;
  createTerminal(
    project: string,
    cols: number,
    rows: number,
    profile?: string,
  ): Promise<Result<TerminalInfo>>;
  killTerminal(terminalId: string): Promise<Result<KillReport>>;
  dismissTerminal(terminalId: string): Promise<Result<null>>;
  /** Gives the keyboard of a command to the user, or back. */
  takeWheel(terminalId: string, taken: boolean): Promise<Result<null>>;
  /** Gives a terminal the name that the user wants; an empty one takes it away. */
  renameTerminal(terminalId: string, name: string): Promise<Result<null>>;
  /** Lets a terminal go on when Lathe quits, or not. */
  pinTerminal(terminalId: string, pinned: boolean): Promise<Result<null>>;
  /** Starts anew what an ended terminal ran, as the user's own, and forgets the ended one. */
  rerunTerminal(terminalId: string): Promise<Result<TerminalInfo>>;
  /** Returns what lives of each terminal, with what it uses. */
  listProcesses(): Promise<Result<readonly ProcessTree[]>>;
  /** Ends one process of a terminal's tree and no other. */
  killProcess(terminalId: string, pid: number, startTime: string): Promise<Result<KillReport>>;
  /** Ends processes that an earlier Lathe left running. */
  endLeftovers(ids: readonly string[]): Promise<Result<KillReport>>;
  /** Lets them all run on, and lists them no more. */
  forgetLeftovers(): Promise<Result<null>>;
  /** Ends a terminal host that hangs, with all that runs in it, and starts another one. */
  restartTerminalHost(): Promise<Result<null>>;
  /** A viewer connection to the terminal host. `onFrame` gets whole frames; `onClose` fires once. */
  openTerminalChannel(
    onFrame: (frame: Uint8Array) => void,
    onClose: () => void,
  ): Promise<Result<TerminalChannel>>;
  /** Takes a new window in; whoever holds it says what it shows and when it is closed. */
  openWindow(): WindowEntry;
  /** Returns the window that shows a place; null when none does. */
  windowFor(target: ShowTarget): WindowEntry | null;
  /** Takes the window that shows a place there, or else the next one that opens. */
  show(target: ShowTarget): void;
  /** Calls back when something wants attention; gives a function that ends it. */
  onAttention(listener: (attention: Attention) => void): () => void;
  /** Returns what would end if the app quit now. */
  running(): WhatRuns;
  /**
   * Ends queries, and tasks and terminals that are not pinned (or leaves all terminals running), and flushes every log.
   * Returns what could not be saved, a line for each conversation.
   */
  close(options: { readonly keepTerminals: boolean }): Promise<readonly string[]>;
}
