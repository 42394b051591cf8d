import type { PermissionMode } from '../../shared/permission';
import type { Result } from '../../shared/result';
import type { DayLedger } from './cost/day-ledger';
import type { OtherHook } from './hooks/runner';
import type { SignInStore } from './mcp/sign-in-store';
import type { ToolApprovals } from './mcp/tool-approvals';
import type { Decide } from './permissions/request';
import type { Callbacks, Commands } from './ports';
import type { Checkpoints } from './ports-checkpoints';
import type { Sandbox } from './ports-sandbox';
import type { ModelSettings } from './settings/new-model';
import type { Telemetry } from './telemetry/tracing';
import type { ToolSource } from './tools/catalogue';
import type { ToolServices } from './tools/environment';

/** The services that all sessions of a process share. Built once by the host; nothing starts before it is used. */
export interface Services extends ToolServices {
  /** Runs the commands of hooks. */
  readonly commands: Commands;
  /** Reaches tool servers by their address. */
  readonly fetch: typeof fetch;
  /** The sign-ins to tool servers. */
  readonly signIns: SignInStore;
  /** The digests of servers' tools from when a user allowed them for good. */
  readonly approvals: ToolApprovals;
  /** Listens for browsers that come back from a sign-in. */
  readonly callbacks: Callbacks;
  /** Asks a hook over HTTP. */
  readonly postHook: OtherHook;
  readonly sandbox: Sandbox;
  readonly decide: Decide;
  /** The sources of the tools of every session. */
  readonly toolSources: readonly ToolSource[];
  /** Null where a process keeps none. */
  readonly checkpoints: Checkpoints | null;
  /** The ledger of what all sessions spend in a day. */
  readonly ledger: DayLedger;
  /** Sends spans; absent where a user did not ask for it. */
  readonly telemetry?: Telemetry | undefined;
  readonly latheHome: string;
  /** `CLAUDE_CONFIG_DIR` or `~/.claude`. */
  readonly configDir: string;
  /** Sessions are written along where other programs of the ecosystem look for them. */
  readonly claudeTranscripts: boolean;
  /** The managed CLAUDE.md of this platform; null where it has none. */
  readonly managedMemory: string | null;
  readonly platform: string;
  readonly version: string;
  /** Version of the operating system and architecture, e.g. `6.1.0, x64`. */
  readonly system: string;
  /** The runtime of this process, e.g. `Node 24.21.0`. */
  readonly runtime: string;
  /** The environment of shell commands with what settings add, secrets removed from both. */
  shellEnv(added: Readonly<Record<string, string>>): Promise<Readonly<Record<string, string>>>;
  /** The model for small questions beside the conversation. */
  readonly smallModel: () => string;
  /** A model's id for what a user calls it, or a choice that depends on the mode. */
  resolveModel(input: string): Result<string>;
  /** The id to ask for in a mode. */
  modelInMode(model: string, mode: PermissionMode): string;
  /** The model when nobody chose one in the session or on the command line (docs/spec.md C2). */
  defaultModel(settings: ModelSettings): Result<string>;
}
