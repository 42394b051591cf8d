import { eventIterator, oc, type } from '@orpc/contract';
import { z } from 'zod';
import type { AgentColor } from './agent-color';
import { DefaultsChange } from './agent-defaults';
import { LimitsChange, type Stamped, ThinkingMode } from './agent-event';
import { ContextAct } from './context-act';
import { changesContract } from './contract-changes';
import { commitsContract } from './contract-commits';
import { configuredContract } from './contract-configured';
import { continueWork, costsContract } from './contract-costs';
import { healthContract } from './contract-health';
import {
  AgentId,
  Id,
  MAX_PROMPT_BLOCKS,
  MessageId,
  outcome,
  Path,
  RulesPlace,
  SessionId,
} from './contract-inputs';
import { restoreContract } from './contract-restore';
import { keptSessionsContract } from './contract-sessions';
import { terminalsContract } from './contract-terminals';
import { HookPick } from './hooks';
import { type KeyBindings, KeyChange } from './key-bindings';
import { ApprovalAnswer, PermissionMode, RuleBehavior, RuleSource } from './permission';
import {
  FileEdit,
  type FileFindings,
  type FileImage,
  FilePick,
  FileQuery,
  type FileText,
  MentionKind,
  type SessionMention,
} from './project-file';
import { PromptBlock, type PromptParts, PromptPriority } from './queued-prompt';
import type { Fault, Result } from './result';
import type { RuleReplay } from './rule-replay';
import { RuleDraft, type RulesOverview } from './rules-overview';
import {
  type Connection,
  EnteredKey,
  type ModelChoice,
  Preferences,
  type Project,
} from './settings';
import type { KillReport, Leftover, TerminalHostState, TerminalInfo } from './terminal';
import type { AgentTranscript, Item, Transcript } from './transcript';
import type { WhatRuns } from './what-runs';
import type { WindowRequest } from './window-request';

/**
 * The one list of what a window may ask of the engine. Inputs are checked with zod, because a page is not
 * trusted; outputs come from our own code and are typed only. Expected failures are values ({@link Result}).
 */

/** The abilities of this host; constant while the window lives. */
export interface AppInfo {
  readonly version: string;
  readonly host: 'electron' | 'web';
  readonly platform: string;
  readonly home: string;
  /** True when `folders.pick` opens the system's own dialog. */
  readonly nativeFolderDialog: boolean;
  /** Started with `--demo`: the first run offers the offline demo first. */
  readonly demoFirst: boolean;
  /** A folder named on the command line. */
  readonly folder?: string;
  /** The storage of a key, for people: "the system keychain", "a file only you can read, not encrypted". */
  readonly keyStorage: string;
  /** The top row of the page is the title bar of its window. */
  readonly ownTitleBar?: boolean;
  /** The app can look for new versions of itself. */
  readonly updates?: boolean;
}

/** One session in the list. Times are epoch milliseconds. */
export interface SessionSummary {
  readonly id: string;
  readonly project: string;
  readonly title: string;
  readonly color?: AgentColor;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly running: boolean;
  readonly needsAnswer: boolean;
  readonly demo: boolean;
  readonly archived?: boolean;
}

/** The state of the app outside any one session. */
export interface AppState {
  readonly connection: Connection;
  readonly preferences: Preferences;
  /** Project folders, most recent first. */
  readonly recents: readonly string[];
  readonly projects: readonly Project[];
  readonly sessions: readonly SessionSummary[];
  readonly terminals: readonly TerminalInfo[];
  /** Processes that an earlier Lathe left running. */
  readonly leftovers: readonly Leftover[];
  readonly terminalHost: TerminalHostState;
  /** The user's own keys. */
  readonly keys: KeyBindings;
}

/** `state` replaces the slices it names. The first one carries all of them. The rest is for one window. */
export type AppFeed = { readonly type: 'state'; readonly state: Partial<AppState> } | WindowRequest;

/**
 * The feed of a session's subscriber: a snapshot or the missing events, then `caught_up`, then live ones. A snapshot of a
 * long conversation has its newest rows only, and the `older` ones before them follow in pieces, newest first.
 */
export type SessionFeed =
  | { readonly type: 'snapshot'; readonly transcript: Transcript; readonly older: number }
  | { readonly type: 'older'; readonly items: readonly Item[] }
  | { readonly type: 'event'; readonly stamped: Stamped }
  | { readonly type: 'caught_up' }
  /** The session cannot be opened now; the feed ends. */
  | { readonly type: 'refused'; readonly fault: Fault };

/** A session that was made of the beginning of another, and the prompt before which it ends, when it does so. */
export interface ForkedSession {
  readonly sessionId: string;
  readonly prompt: PromptParts | null;
}

/** A command of Lathe, as menus list it: `/name argumentHint`. */
export interface CommandInfo {
  readonly name: string;
  readonly description: string;
  readonly argumentHint: string;
  /** Other names of it, where nothing else has them. */
  readonly aliases?: readonly string[];
  /** True for commands of Lathe's own. */
  readonly builtin?: boolean;
}

/** One folder in the in-page folder browser. `parent` is null at a root. */
export interface FolderListing {
  readonly path: string;
  readonly parent: string | null;
  readonly folders: readonly {
    readonly name: string;
    readonly path: string;
    readonly hidden: boolean;
  }[];
  readonly looksLikeProject: boolean;
}

export const contract = {
  app: {
    info: oc.output(type<AppInfo>()),
    /** Returns what would end if Lathe quit now. */
    running: oc.output(outcome<WhatRuns>()),
    /** Ends Lathe; a desktop asks first. `keepTerminals` lets every terminal go on, where the page has asked. */
    quit: oc.input(z.object({ keepTerminals: z.boolean() })).output(outcome<null>()),
    /** Answers at once: a sign that the host is there. */
    ping: oc.output(type<null>()),
    /** Returns the text in the clipboard, where the host has it: a page of the desktop app may not read it by itself. */
    clipboardText: oc.output(outcome<string>()),
    /** Opens the menu of the app at a place in the window, in its pixels. */
    openMenu: oc.input(z.object({ x: z.int(), y: z.int() })).output(outcome<null>()),
    watch: oc.output(eventIterator(type<AppFeed>())),
    setPreferences: oc.input(Preferences.partial()).output(outcome<Preferences>()),
  },
  settings: {
    /** Changes what new sessions begin with, in the user's own settings. */
    setDefaults: oc.input(DefaultsChange).output(outcome<null>()),
    /** Changes entries of the user's `keybindings.json`. */
    changeKeys: oc
      .input(z.object({ changes: z.array(KeyChange).min(1).max(500) }))
      .output(outcome<null>()),
  },
  folders: {
    list: oc.input(z.object({ path: Path.optional() })).output(outcome<FolderListing>()),
    /** The system's folder dialog; null when the user cancelled. */
    pick: oc.output(outcome<string | null>()),
  },
  projects: {
    open: oc.input(z.object({ path: Path })).output(outcome<Project>()),
    trust: oc.input(z.object({ path: Path, trusted: z.boolean() })).output(outcome<Project>()),
    /** A fresh copy of the bundled sample project. */
    openDemo: oc.output(outcome<Project>()),
    forget: oc.input(z.object({ path: Path })).output(outcome<null>()),
  },
  files: {
    /** Finds files and folders of a project by parts of their paths. */
    find: oc.input(FileQuery).output(outcome<FileFindings>()),
    /** A text file to look at; of a long one the beginning. */
    read: oc.input(FilePick).output(outcome<FileText>()),
    /** An image of the project, as far as the rules let it be read. */
    image: oc.input(FilePick).output(outcome<FileImage>()),
    /** Opens a file in the user's own editor. */
    edit: oc.input(FileEdit).output(outcome<null>()),
  },
  connection: {
    /** Tries a key and an endpoint with one cheap request, without keeping them. */
    check: oc.input(EnteredKey).output(outcome<null>()),
    set: oc
      .input(
        z.discriminatedUnion('kind', [
          z.object({
            kind: z.literal('apiKey'),
            ...EnteredKey.shape,
          }),
          z.object({ kind: z.literal('demo') }),
          z.object({ kind: z.literal('none') }),
        ]),
      )
      .output(outcome<Connection>()),
  },
  prompts: {
    /** The prompts that were sent in a project, oldest first, each once. */
    list: oc.input(z.object({ project: Path })).output(outcome<readonly string[]>()),
  },
  models: {
    /** The menu of models, with what settings of a project refuse. */
    list: oc.input(z.object({ project: Path.optional() })).output(type<readonly ModelChoice[]>()),
  },
  sessions: {
    create: oc.input(z.object({ project: Path })).output(outcome<SessionSummary>()),
    ...keptSessionsContract,
  },
  session: {
    watch: oc
      .input(
        z.object({
          sessionId: SessionId,
          since: z.object({ epoch: Id, seq: z.number().int().min(0) }).optional(),
        }),
      )
      .output(eventIterator(type<SessionFeed>())),
    /** The conversation of a sub-agent that the session's transcript no longer holds. */
    agentTranscript: oc
      .input(z.object({ sessionId: SessionId, agentId: AgentId }))
      .output(outcome<AgentTranscript>()),
    submit: oc
      .input(
        z
          .object({
            sessionId: SessionId,
            text: z.string().max(1_000_000),
            /** Images and pasted texts; a prompt without words needs one. */
            blocks: z.array(PromptBlock).max(MAX_PROMPT_BLOCKS).optional(),
            priority: PromptPriority.optional(),
            /** Names the message, so that it is taken once however often it is sent. */
            promptId: MessageId.optional(),
          })
          .refine(({ text, blocks = [] }) => text !== '' || blocks.length > 0),
      )
      .output(outcome<null>()),
    /** The commands that can be given in a session, sorted by name. */
    commands: oc
      .input(z.object({ sessionId: SessionId }))
      .output(outcome<readonly CommandInfo[]>()),
    /** Lists the things besides files and terminals that a prompt can mention. */
    mentions: oc
      .input(z.object({ sessionId: SessionId, kind: MentionKind }))
      .output(outcome<readonly SessionMention[]>()),
    continueWork,
    stop: oc.input(z.object({ sessionId: SessionId })).output(outcome<null>()),
    /** Takes a queued prompt back, with what it carries. */
    takeBack: oc
      .input(z.object({ sessionId: SessionId, promptId: Id }))
      .output(outcome<PromptParts>()),
    /** Returns a prompt of the conversation, with what it carries. */
    prompt: oc
      .input(z.object({ sessionId: SessionId, promptId: Id }))
      .output(outcome<PromptParts>()),
    /** Goes back to before a prompt, and gives it to be changed and sent again. The log keeps what came after. */
    rewind: oc
      .input(
        z.object({
          sessionId: SessionId,
          promptId: Id,
          /** The restore by which files went back before it. */
          restored: Id.optional(),
        }),
      )
      .output(outcome<PromptParts>()),
    /** Makes a session of what was there before a prompt, before a rewind left it behind, or up to the end of an answer. */
    fork: oc
      .input(
        z.object({
          sessionId: SessionId,
          until: z.discriminatedUnion('kind', [
            z.object({ kind: z.literal('prompt'), promptId: Id }),
            z.object({ kind: z.literal('rewind'), rewindId: Id }),
            z.object({ kind: z.literal('item'), itemId: Id }),
          ]),
        }),
      )
      .output(outcome<ForkedSession>()),
    /** Edits, moves or reprioritises a queued prompt; `now` steers what runs, or starts a query. */
    changeQueued: oc
      .input(
        z.object({
          sessionId: SessionId,
          promptId: Id,
          text: z.string().min(1).max(1_000_000).optional(),
          priority: PromptPriority.optional(),
          /** Place among the prompts of its priority, from 0. */
          place: z.number().int().min(0).max(1000).optional(),
        }),
      )
      .output(outcome<null>()),
    /** Keeps a queued prompt, and what waits behind it, until this call is cancelled: a user edits it. */
    editQueued: oc.input(z.object({ sessionId: SessionId, promptId: Id })).output(outcome<null>()),
    /** Stops one call of the running query; the others go on. */
    cancelCall: oc.input(z.object({ sessionId: SessionId, callId: Id })).output(outcome<null>()),
    /** Changes what is sent of the conversation. */
    changeContext: oc
      .input(z.object({ sessionId: SessionId, act: ContextAct }))
      .output(outcome<null>()),
    /** Ends the pause before the next try of a request. */
    retryNow: oc.input(z.object({ sessionId: SessionId })).output(outcome<null>()),
    configure: oc
      .input(
        z.object({
          sessionId: SessionId,
          model: z.string().max(200).optional(),
          effort: z.string().max(20).optional(),
          mode: PermissionMode.optional(),
          /** Holds from the next request on. */
          thinking: ThinkingMode.optional(),
          /** Hold from the next query on. */
          limits: LimitsChange.optional(),
        }),
      )
      .output(outcome<null>()),
    answer: oc
      .input(z.object({ sessionId: SessionId, approvalId: Id, answer: ApprovalAnswer }))
      .output(outcome<null>()),
  },
  costs: costsContract,
  health: healthContract,
  restore: restoreContract,
  changes: changesContract,
  commits: commitsContract,
  permissions: {
    /** The rules in force, in a session when one is named. */
    list: oc.input(RulesPlace).output(outcome<RulesOverview>()),
    /** Tries a draft rule on the last calls of a project. */
    replay: oc.input(RulesPlace.extend(RuleDraft.shape)).output(outcome<RuleReplay>()),
    addRule: oc.input(RulesPlace.extend(RuleDraft.shape)).output(outcome<null>()),
    removeRule: oc
      .input(
        RulesPlace.extend({
          behavior: RuleBehavior,
          rule: z.string().max(20_000),
          source: RuleSource,
        }),
      )
      .output(outcome<null>()),
  },
  ...configuredContract,
  hooks: {
    /** Turns all hooks off or on, managed ones excepted, in the user's own settings. */
    setDisabled: oc
      .input(z.object({ project: Path, disabled: z.boolean() }))
      .output(outcome<null>()),
    /** Takes a hook out of its settings file. */
    remove: oc.input(z.object({ project: Path, hook: HookPick })).output(outcome<null>()),
  },
  tasks: {
    stop: oc.input(z.object({ sessionId: SessionId, taskId: Id })).output(outcome<KillReport>()),
    /** Moves a running foreground command to the background, without restarting it. */
    background: oc.input(z.object({ sessionId: SessionId, callId: Id })).output(outcome<null>()),
  },
  terminals: terminalsContract,
};
