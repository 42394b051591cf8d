import type { Result } from '../../shared/result';
import type { OtherHook } from './hooks/runner';
import type { Decide } from './permissions/request';
import type { ShellParser } from './permissions/shell-analysis/parser';
import type { Clock, Commands, Files, Ids, Locks, Programs, Terminals } from './ports';
import type { Pdfs, Web } from './ports-documents';
import type { Sandbox } from './ports-sandbox';
import type { EffectiveSettings } from './settings/effective';
import type { ToolSource } from './tools/catalogue';

/** What all sessions of a process share. Built once by the host's wiring; nothing in it starts before it is used. */
export interface Services {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly files: Files;
  readonly locks: Locks;
  readonly programs: Programs;
  /** Runs the commands of hooks. */
  readonly commands: Commands;
  /** Asks a hook over HTTP. */
  readonly postHook: OtherHook;
  readonly terminals: Terminals;
  readonly sandbox: Sandbox;
  readonly web: Web;
  readonly pdfs: Pdfs;
  readonly decide: Decide;
  /** Takes shell lines apart; loaded at the first one. */
  readonly parser: ShellParser;
  /** Where the tools of every session come from. */
  readonly toolSources: readonly ToolSource[];
  readonly latheHome: string;
  readonly home: string;
  /** `CLAUDE_CONFIG_DIR` or `~/.claude`. */
  readonly configDir: string;
  /** The managed CLAUDE.md of this platform; null where it has none. */
  readonly managedMemory: string | null;
  readonly platform: string;
  /** The shell that commands run in, e.g. `/bin/bash`. */
  readonly shell: string;
  readonly version: string;
  /** Version of the operating system and architecture, e.g. `6.1.0, x64`. */
  readonly system: string;
  /** The runtime of this process, e.g. `Node 24.21.0`. */
  readonly runtime: string;
  /** The environment of shell commands with what settings add, secrets removed from both. */
  shellEnv(added: Readonly<Record<string, string>>): Promise<Readonly<Record<string, string>>>;
  /** The model for small questions beside the conversation. */
  readonly smallModel: () => string;
  /** A model's id for what a person calls it. */
  resolveModel(input: string): Result<string>;
  /** The model when nobody chose one in the session or on the command line (docs/spec.md C2). */
  defaultModel(settings: Pick<EffectiveSettings, 'model'>): Result<string>;
}
