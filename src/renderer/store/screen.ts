import { createStore, type StoreApi } from 'zustand/vanilla';
import type { RestorePoint } from '../../shared/checkpoint';
import type { CommitReport } from '../../shared/commit';
import type { AppInfo, AppState, CommandInfo } from '../../shared/contract';
import { createKeymap, type Keymap, NO_BINDINGS } from '../../shared/keymap';
import type { MentionKind, SessionMention } from '../../shared/project-file';
import type { PromptPriority } from '../../shared/queued-prompt';
import type { Fault } from '../../shared/result';
import type { SearchHit } from '../../shared/session-search';
import type { Project } from '../../shared/settings';
import type { PaneNode } from '../../shared/terminal-panes';
import type { ToolServerView } from '../../shared/tool-server';
import type { Transcript } from '../../shared/transcript';
import type { WhatRuns } from '../../shared/what-runs';
import type { LinkStatus } from '../api/keep-connected';
import { inTab, onApple } from '../ui/keys';

/** The tabs of the dock's upper half. */
export const DOCK_TABS = ['tasks', 'agents', 'processes', 'changes', 'plan'] as const;
export type DockTab = (typeof DOCK_TABS)[number];

/** The content of the palette: everything, or one kind of choice. */
export type PalettePage = 'all' | 'model' | 'effort' | 'mode';

/** The pages of the settings. */
export const SETTINGS_PAGES = [
  'look',
  'models',
  'terminal',
  'keys',
  'notifications',
  'search',
  'desktop',
  'connection',
  'permissions',
  'memory',
  'hooks',
  'plugins',
  'servers',
  'project',
] as const;
export type SettingsPage = (typeof SETTINGS_PAGES)[number];

/** The one dialog that may stand over the workbench; approvals are not among them. */
export type OpenDialog =
  | { readonly kind: 'palette'; readonly page: PalettePage }
  | { readonly kind: 'settings'; readonly page: SettingsPage }
  | {
      readonly kind:
        | 'keys'
        | 'folder'
        | 'bypass'
        | 'files'
        | 'rewind'
        | 'prompts'
        | 'costs'
        | 'health'
        | 'trash'
        | 'contents';
    }
  /** `until` is the first message that stays as it is. */
  | { readonly kind: 'summary'; readonly until?: string }
  | { readonly kind: 'remember'; readonly text: string }
  | { readonly kind: 'quit'; readonly running: WhatRuns }
  | { readonly kind: 'file'; readonly path: string; readonly line?: number }
  /** `revised`: the prompt is to be edited and sent again. */
  | {
      readonly kind: 'restore';
      readonly sessionId: string;
      readonly point: RestorePoint;
      readonly revised?: true;
    }
  | { readonly kind: 'rename'; readonly sessionId: string }
  /** A finding in another agent's log. */
  | { readonly kind: 'otherLog'; readonly hit: OtherHit };

/** A finding in another agent's log. */
type OtherHit = SearchHit & Required<Pick<SearchHit, 'other'>>;

/** The state of a session's subscription. */
export type FeedState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'live' }
  | { readonly kind: 'failed'; readonly fault: Fault };

/** A message that the host has not taken yet. The host takes each id once, however often it is sent. */
export interface Unsent {
  readonly id: string;
  /** Null while its session is still to be made. */
  readonly sessionId: string | null;
  readonly project: string;
  readonly text: string;
  readonly priority?: PromptPriority;
  /** It was sent and no answer came, so the host may have it. */
  readonly tried: boolean;
}

/** Something to tell the user that belongs to no dialog. */
export interface Toast {
  readonly id: number;
  readonly level: 'info' | 'error';
  readonly text: string;
  readonly fix?: string;
  /** Something to do about it, by a button. */
  readonly action?: { readonly label: string; readonly run: () => void };
}

/** Everything React draws, apart from terminal contents, which never come here. */
export interface Screen {
  readonly link: LinkStatus;
  readonly info: AppInfo | null;
  readonly app: AppState | null;
  /** The keys of all commands. */
  readonly keymap: Keymap;
  /** The project as it was opened; {@link currentProject} prefers the feed's newer word. */
  readonly opened: Project | null;
  readonly sessionId: string | null;
  /** Folders opened in this window without being trusted, so that the question is not asked twice. */
  readonly untrusted: readonly string[];
  /** The earlier prompt that is edited, by session. A session goes back to before it when the new words are sent. */
  readonly revised: Readonly<Record<string, string>>;
  /** The message that a search led to. */
  readonly revealed: {
    readonly sessionId: string;
    readonly itemId: string;
    readonly text: string;
  } | null;
  readonly transcripts: Readonly<Record<string, Transcript>>;
  readonly feeds: Readonly<Record<string, FeedState>>;
  readonly dockTab: DockTab;
  /** Counts how often a page of the dock was asked for. */
  readonly dockWishes: number;
  /** On the dock's page of changes: what the session changed, or what git could commit. */
  readonly changesPage: 'session' | 'commit';
  readonly diffLayout: 'unified' | 'split';
  /** The differences that are open on those pages, of the session in which one was opened last. */
  readonly openDiffs: { readonly sessionId: string | null; readonly names: readonly string[] };
  /** The sub-agent whose conversation is open beside the main one. */
  readonly shownAgent: string | null;
  readonly terminalId: string | null;
  /** The commands whose wheel was taken in this window and not handed back since. */
  readonly wheels: readonly string[];
  /** The panes of the terminals of projects that were arranged in this window. */
  readonly panes: Readonly<Record<string, PaneNode>>;
  /** The pane in use. */
  readonly paneId: string | null;
  /** The pane in use takes the room of all columns. */
  readonly paneMaximised: boolean;
  /** The terminal that is searched, and how often its field was wished for. */
  readonly finding: { readonly terminalId: string; readonly wishes: number } | null;
  /** The menu with model, thinking and limits is open. */
  readonly modelOpen: boolean;
  /** The panel with context, tokens and cost is open. */
  readonly usageOpen: boolean;
  readonly dialog: OpenDialog | null;
  /** The left column and the right dock are open. */
  readonly sideOpen: boolean;
  readonly dockOpen: boolean;
  /** The window is on its way back to where it was; nothing is decided yet. */
  readonly restoring: boolean;
  /** The user ended Lathe from this page. */
  readonly hasQuit: boolean;
  /** The user chose the offline demo and is on the way to it. */
  readonly wantsDemo: boolean;
  readonly toasts: readonly Toast[];
  /** The sessions that rang while nobody looked at them. */
  readonly rang: readonly string[];
  /** Messages that wait for the connection, in the order they were written. */
  readonly unsent: readonly Unsent[];
  /** Number of prompts sent from this page. */
  readonly sent: number;
  /** Slash commands that the host carries out. */
  readonly hostCommands: readonly CommandInfo[];
  /** The things besides files and terminals that a prompt of the session can mention. */
  readonly mentions: Readonly<Record<MentionKind, readonly SessionMention[]>>;
  /** The commits that run in sessions, or how they ended, by session. */
  readonly commits: Readonly<Record<string, 'running' | CommitReport | Fault>>;
  /** The tool servers of the session that is shown. */
  readonly toolServers: readonly ToolServerView[];
}

export const NO_MENTIONS: Screen['mentions'] = { agents: [], resources: [] };

export type ScreenStore = StoreApi<Screen>;

/** Creates the state of a page that has not heard anything yet. */
export const createScreenStore = (): ScreenStore =>
  createStore<Screen>(() => ({
    link: { kind: 'connecting' },
    info: null,
    app: null,
    revised: {},
    revealed: null,
    keymap: createKeymap(NO_BINDINGS, onApple(), inTab()),
    opened: null,
    sessionId: null,
    untrusted: [],
    transcripts: {},
    feeds: {},
    dockTab: 'tasks',
    dockWishes: 0,
    changesPage: 'session',
    diffLayout: 'unified',
    openDiffs: { sessionId: null, names: [] },
    shownAgent: null,
    terminalId: null,
    wheels: [],
    panes: {},
    paneId: null,
    paneMaximised: false,
    finding: null,
    modelOpen: false,
    usageOpen: false,
    dialog: null,
    sideOpen: true,
    dockOpen: true,
    restoring: true,
    hasQuit: false,
    wantsDemo: false,
    toasts: [],
    rang: [],
    unsent: [],
    sent: 0,
    hostCommands: [],
    mentions: NO_MENTIONS,
    commits: {},
    toolServers: [],
  }));

/** Returns what opens a page of the dock, also where only its tabs are seen. */
export const dockAt =
  (dockTab: DockTab) =>
  ({ dockWishes }: Screen): Partial<Screen> => ({
    ...{ dockTab, dockOpen: true, dockWishes: dockWishes + 1 },
  });

/** An earlier prompt that is edited. */
export interface RevisedPrompt {
  readonly sessionId: string;
  readonly promptId: string;
}

/** Returns the earlier prompt that is edited in the session on screen. */
export function revisedPrompt({ revised, sessionId }: Screen): RevisedPrompt | null {
  const promptId = sessionId === null ? undefined : revised[sessionId];
  return sessionId === null || promptId === undefined ? null : { sessionId, promptId };
}

/** Returns the earlier prompts that are edited once that of a session no longer is. */
export function withoutRevised({ revised }: Screen, sessionId: string): Partial<Screen> {
  const { [sessionId]: _, ...others } = revised;
  return { revised: others };
}

/** Returns the project of this window, as the engine last described it. */
export function currentProject(screen: Screen): Project | null {
  const { opened, app } = screen;
  if (opened === null) return null;
  return app?.projects.find((p) => p.path === opened.path) ?? opened;
}

/** Returns the transcript of the session on screen; null before it has arrived. */
export const currentTranscript = (screen: Screen): Transcript | null =>
  screen.sessionId === null ? null : (screen.transcripts[screen.sessionId] ?? null);

/** The stage of the window as a whole. */
type Phase =
  /** Nothing is known yet; `trouble` says why it takes longer. */
  | { readonly kind: 'starting'; readonly trouble: Fault | null }
  /** The host reads the environment of the login shell; `skip` goes on without it. */
  | { readonly kind: 'waiting'; skip(): void }
  /** The host does not admit this page. */
  | { readonly kind: 'refused'; readonly fault: Fault }
  /** The user ended Lathe from this page. */
  | { readonly kind: 'ended' }
  | { readonly kind: 'folder' }
  | { readonly kind: 'trust'; readonly project: Project }
  | { readonly kind: 'connect'; readonly project: Project }
  | { readonly kind: 'workbench'; readonly project: Project };

/** Decides what to show: folder, then trust, then connection, then the workbench. */
export function phaseOf(screen: Screen): Phase {
  const { app, link } = screen;
  if (screen.hasQuit) return { kind: 'ended' };
  if (link.kind === 'refused') return { kind: 'refused', fault: link.fault };
  if (app === null || screen.info === null) {
    if (link.kind === 'connecting' && link.waiting?.cause === 'login-shell')
      return { kind: 'waiting', skip: link.waiting.skip };
    return { kind: 'starting', trouble: link.kind === 'lost' ? link.fault : null };
  }
  const project = currentProject(screen);
  if (project === null && screen.restoring) return { kind: 'starting', trouble: null };
  if (project === null) return { kind: 'folder' };
  if (!project.trusted && !screen.untrusted.includes(project.path)) {
    return { kind: 'trust', project };
  }
  const needsConnection = app.connection.kind === 'none' || screen.wantsDemo;
  return needsConnection ? { kind: 'connect', project } : { kind: 'workbench', project };
}
