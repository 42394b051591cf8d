import { z } from 'zod';
import type { AgentDefaults } from './agent-defaults';
import { HooksStatus } from './hooks';
import { MAX_SCROLLBACK_LINES, SCROLLBACK_LINES } from './terminal';
import { PaneNode } from './terminal-panes';

/** Light, dark, or as the system says. */
export const Theme = z.enum(['system', 'light', 'dark']);
export type Theme = z.infer<typeof Theme>;

/** The name of a font family, as a page can ask for it. */
const FontFamily = z
  .string()
  .max(100)
  .regex(/^[\p{L}\p{N} ._-]*$/u);

/** The look of terminals in panes. Absent fields are as in {@link TERMINAL_DEFAULTS}. */
export const TerminalPreferences = z.object({
  /** Names of fonts with commas between them; an empty text is the page's own. */
  fontFamily: z.string().max(200).exactOptional(),
  /** In pixels, before the page's zoom. */
  fontSize: z.number().min(8).max(32).exactOptional(),
  cursorStyle: z.enum(['bar', 'block', 'underline']).exactOptional(),
  cursorBlink: z.boolean().exactOptional(),
  /** Lines kept above the screen; the terminal host keeps as many for terminals that start from then on. */
  scrollback: z.number().int().min(0).max(MAX_SCROLLBACK_LINES).exactOptional(),
  /** Screens are also written as text, which a screen reader reads. */
  screenReader: z.boolean().exactOptional(),
});
export type TerminalPreferences = z.infer<typeof TerminalPreferences>;

export const TERMINAL_DEFAULTS: Required<TerminalPreferences> = {
  fontFamily: '',
  fontSize: 13,
  cursorStyle: 'bar',
  cursorBlink: false,
  scrollback: SCROLLBACK_LINES,
  screenReader: false,
};

/** A shell, or another program, that the user opens in terminals by its name. */
export const TerminalProfile = z.object({
  name: z.string().min(1).max(80),
  /** A path, or a name that is looked up in PATH. */
  program: z.string().min(1).max(4_096),
  args: z.array(z.string().max(10_000)).max(100),
  /** Added to the environment of the user's shell. */
  env: z.record(z.string().regex(/^[A-Za-z_]\w*$/), z.string().max(10_000)),
});
export type TerminalProfile = z.infer<typeof TerminalProfile>;

/** The most profiles that are kept. */
export const MAX_PROFILES = 50;

/** The kinds of events that are told while nobody looks. */
export const AttentionKind = z.enum(['approval', 'finished', 'failed', 'hook']);
export type AttentionKind = z.infer<typeof AttentionKind>;

/** The preferences that only the desktop app follows. */
const DesktopPreferences = z
  .object({
    /** Shows running work in the system's tray, on macOS in the menu bar. Default: no. */
    tray: z.boolean(),
    /** Prompts are checked for spelling. Default: on macOS alone, for elsewhere the dictionary is fetched first. */
    spelling: z.boolean(),
    /** New versions are looked for, where a feed is set up. Default: yes. */
    updates: z.boolean(),
    /** Windows have the title bar of the system with the menu in it, as tiling window managers like. Not on macOS. Default: no. */
    systemTitleBar: z.boolean(),
  })
  .partial();

/** The preferences of a user, kept in `$LATHE_HOME/state.json`. */
export const Preferences = z.object({
  theme: Theme,
  /** Page zoom, 0.8 … 2. */
  zoom: z.number().min(0.8).max(2),
  /** Sizes of the panes in percent, by name. Remembered per project. */
  layout: z.record(z.string(), z.record(z.string(), z.number())),
  /** The panes of each project's terminals. */
  panes: z.record(z.string(), PaneNode).exactOptional(),
  /** Font families before ours; absent: ours. */
  fonts: z.object({ interface: FontFamily, code: FontFamily }).partial().exactOptional(),
  /** The size of code in conversations, diffs and files. Pixels. */
  codeSize: z.number().int().min(10).max(24).exactOptional(),
  terminal: TerminalPreferences.exactOptional(),
  profiles: z.array(TerminalProfile).max(MAX_PROFILES).exactOptional(),
  /** The kinds of notifications that are not wanted. */
  silenced: z.array(AttentionKind).max(10).exactOptional(),
  desktop: DesktopPreferences.exactOptional(),
  /** The search in conversations reads the logs of other agents too. Default: yes. */
  searchesOthers: z.boolean().exactOptional(),
  /** The small model titles new sessions. Default: yes. */
  modelTitles: z.boolean().exactOptional(),
});
export type Preferences = z.infer<typeof Preferences>;

/** One thing in a configuration file that could not be used as written. The rest of the file still counts. */
export const SettingsProblem = z.object({
  file: z.string(),
  line: z.number().optional(),
  field: z.string().optional(),
  message: z.string(),
  level: z.enum(['warning', 'error']),
});
export type SettingsProblem = z.infer<typeof SettingsProblem>;

/** One thing that trusting a folder would turn on. `what` names it; `detail` is what it would run or set. */
export const TrustFinding = z.object({
  kind: z.enum(['hooks', 'mcp', 'env', 'allow', 'helper', 'baseUrl', 'agents', 'skills', 'other']),
  what: z.string(),
  detail: z.string(),
  file: z.string(),
  /** Stands for all of it, also what `detail` leaves out: another one means that it changed. */
  mark: z.string(),
  /** It was not there, or was different, when the folder was trusted last. */
  isNew: z.boolean().optional(),
});
export type TrustFinding = z.infer<typeof TrustFinding>;

/** The state of the sandbox for the agent's commands in a project, and what holds in it, for people. */
export const SandboxStatus = z.object({
  /** `off`: nobody asked for it. `missing`: it was asked for and there is none. */
  state: z.enum(['off', 'on', 'missing']),
  /** The reason there is none, or what is weaker about it, and what helps. */
  why: z.string().optional(),
  fix: z.string().optional(),
  /** Commands inside run unasked. */
  autoAllow: z.boolean(),
  /** Paths that may be written besides the project. */
  allowWrite: z.array(z.string()),
  allowedDomains: z.array(z.string()),
  /** Commands that run outside. */
  excludedCommands: z.array(z.string()),
});
export type SandboxStatus = z.infer<typeof SandboxStatus>;

/** A folder that is or may become a project. */
export const Project = z.object({
  path: z.string(),
  name: z.string(),
  branch: z.string().optional(),
  trusted: z.boolean(),
  /** It was trusted, and what trust turns on is another thing by now. */
  changedSinceTrust: z.boolean().optional(),
  findings: z.array(TrustFinding),
  problems: z.array(SettingsProblem),
  sandbox: SandboxStatus.optional(),
  hooks: HooksStatus.optional(),
  /** The defaults of new sessions. */
  defaults: z.custom<AgentDefaults>().optional(),
  /** Tasks that fit what is in the folder, for an empty conversation. */
  suggestions: z.array(z.string()).readonly().optional(),
});
export type Project = z.infer<typeof Project>;

/** The way to a model. `none` means: ask the user. */
export const Connection = z.object({
  kind: z.enum(['none', 'apiKey', 'authToken', 'demo']),
  /** The address of the endpoint; absent for the default one. */
  baseUrl: z.string().optional(),
  /** The source of the key, for people: "ANTHROPIC_API_KEY", "the OS keychain", … */
  from: z.string().optional(),
});
export type Connection = z.infer<typeof Connection>;

/** A key a user entered, and the endpoint it is for; the usual one without. */
export const EnteredKey = z.object({
  key: z.string().min(1).max(1000),
  baseUrl: z.string().max(2000).optional(),
});
export type EnteredKey = z.infer<typeof EnteredKey>;

/** The model id of the offline demo: a script, no model. */
export const DEMO_MODEL = 'lathe-demo';

/** One model the user can choose. */
export const ModelChoice = z.object({
  id: z.string(),
  /** The id that is asked outside of plan mode, where the choice depends on the mode. */
  asked: z.string().optional(),
  name: z.string(),
  alias: z.string().optional(),
  contextTokens: z.number(),
  efforts: z.array(z.string()),
  /**
   * The settings of its thinking; absent where Lathe does not know. `adaptive`: it thinks as much as it likes; without it
   * a budget of tokens is set. `off`: by how little it can be made to think.
   */
  thinking: z
    .object({ adaptive: z.boolean(), off: z.enum(['disabled', 'between_tools', 'never']) })
    .optional(),
  /** The reason why settings do not let it be chosen. */
  refused: z.string().optional(),
});
export type ModelChoice = z.infer<typeof ModelChoice>;
