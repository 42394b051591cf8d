import type { ExportFormat } from '../../../../shared/session-export';
import type { HeadlessOptions } from '../../../app/headless-session';
import type { ServerScope } from '../../../engine/settings/mcp-file';
import type { HelpTopic } from './help-text';
import type { PathAct } from './user-path';

/** The output format of a headless run. */
export type OutputFormat = 'text' | 'json' | 'stream-json';

/** The flags of the debug log. */
export interface DebugFlags {
  readonly debug: boolean;
  /** Absolute. Absent: a file in Lathe's own folder. */
  readonly debugFile?: string;
}

/** `lathe [folder]` or `lathe serve [folder]`. */
export interface WindowCommand extends DebugFlags {
  readonly kind: 'open' | 'serve';
  /** Absolute. Absent: the user chooses on screen. */
  readonly folder?: string;
  readonly demo: boolean;
  readonly port: number;
  readonly openWindow: boolean;
  /** The command line returns when the app has ended, not when it is up. */
  readonly waits?: true;
  /** Absolute. Folders of plugins that count beside those of settings. */
  readonly pluginFolders?: readonly string[];
}

/** `lathe -p`. */
export interface HeadlessCommand extends DebugFlags {
  readonly kind: 'headless';
  /** From the command line; standard input may add to it or stand for it. */
  readonly prompt: string | null;
  readonly outputFormat: OutputFormat;
  readonly inputFormat: 'text' | 'stream-json';
  readonly verbose: boolean;
  readonly partialMessages: boolean;
  /** The one asked about calls: `stdio`, the program that drives Lathe, or a tool of a tool server. */
  readonly promptTool?: string;
  /** The hooks of the beginning run, and nothing else. */
  readonly setsUpOnly?: true;
  /** Nothing begins before the program has sent `initialize`. */
  readonly awaitsInitialize?: true;
  /** It is started ahead, and told later which session it is for. */
  readonly awaitsClaim?: true;
  /** Each prompt is printed when its turn comes. */
  readonly replaysPrompts?: true;
  /** Prints runs of hooks at every event, not at the beginning of a session alone. */
  readonly showsHooks?: true;
  /** The words and thoughts of sub-agents are printed, not their calls alone. */
  readonly showsAgentText?: true;
  readonly options: HeadlessOptions;
}

/** An act of `lathe mcp` on tool servers. */
export type McpAct =
  | {
      readonly kind: 'add';
      readonly scope: ServerScope;
      readonly name: string;
      /** The server as a file has it. */
      readonly server: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: 'list' }
  | { readonly kind: 'get'; readonly name: string }
  | { readonly kind: 'login' | 'logout'; readonly name: string }
  /** Without a scope: the one scope that has it. */
  | { readonly kind: 'remove'; readonly name: string; readonly scope?: ServerScope };
/** `lathe plugin …`. */
export interface PluginCommand {
  readonly kind: 'plugin';
  readonly folder: string;
  readonly verb:
    | 'list'
    | 'show'
    | 'install'
    | 'enable'
    | 'disable'
    | 'update'
    | 'remove'
    | 'set'
    | 'unset'
    | 'places'
    | 'addPlace'
    | 'updatePlace'
    | 'removePlace';
  /** The plugin, or the marketplace. */
  readonly name: string;
  /** The option to set or to take back, and its value. */
  readonly option?: { readonly key: string; readonly value: string | null };
  /** The user agrees to what is printed. */
  readonly agreed: boolean;
}

/** The acts of `lathe auth`: one tells where the key comes from, one forgets what was entered. */
type AuthAct = 'status' | 'logout';

/** `lathe doctor`, which looks at what a run with the same flags reads. */
export interface DoctorCommand extends AskedOfDoctor {
  readonly kind: 'doctor';
  readonly folder: string;
  readonly debug: boolean;
}

/** The options of a run that say which settings and plugins count. */
type AskedOfDoctor = Partial<
  Pick<
    HeadlessOptions,
    | 'trust'
    | 'settings'
    | 'managedSettings'
    | 'settingSources'
    | 'mcpConfig'
    | 'pluginFolders'
    | 'serverlessPlugins'
  >
>;

/** A parsed command line. */
export type CommandLine =
  | WindowCommand
  | HeadlessCommand
  | PluginCommand
  | { readonly kind: 'version' | 'protocolVersion' }
  /** `topic` is the command that is asked about; null: all of them. */
  | { readonly kind: 'help'; readonly topic: HelpTopic | null }
  | DoctorCommand
  /** `lathe acp`: an editor drives Lathe; the options are those of every session. */
  | ({ readonly kind: 'acp'; readonly options: HeadlessOptions } & DebugFlags)
  /** `lathe auth status` and `logout`, of a run with these options. */
  | {
      readonly kind: 'auth';
      readonly act: AuthAct;
      readonly options: HeadlessOptions;
      readonly asJson: boolean;
    }
  /** `lathe mcp`. `folder` is the project, `trust` counts for this run. */
  | {
      readonly kind: 'mcp';
      readonly folder: string;
      readonly trust: boolean;
      readonly act: McpAct;
    }
  /** `lathe sessions search`. */
  | { readonly kind: 'searchSessions'; readonly text: string }
  /** `lathe sessions export`. */
  | { readonly kind: 'exportSession'; readonly sessionId: string; readonly format: ExportFormat }
  /** `lathe sessions archive`, `unarchive`, `delete` and `restore`. */
  | { readonly kind: 'keepSession'; readonly act: KeepAct; readonly sessionId: string }
  /** `lathe path`. */
  | { readonly kind: 'path'; readonly act: PathAct }
  /** `lathe permissions check`. `folder` is where questions without a folder play. */
  | { readonly kind: 'checkPermissions'; readonly folder: string };

/** The actions on a session that is kept. */
export const KEEP_ACTS = ['archive', 'unarchive', 'delete', 'restore'] as const;
export type KeepAct = (typeof KEEP_ACTS)[number];
