import { z } from 'zod';

/** The state of a server in a session. */
export type ToolServerState =
  | 'connecting'
  | 'connected'
  | 'failed'
  | 'needs_sign_in'
  /** Nobody trusts the folder that names it. */
  | 'waits_for_trust'
  /** Switched off for this session. */
  | 'off'
  /** Settings keep it from starting. */
  | 'denied'
  /** Switched off in the settings. */
  | 'off_in_settings'
  /** A language server that no file needed yet. */
  | 'idle';

/** A tool server of a session, or a language server, as lists show it. */
export interface ToolServerView {
  readonly name: string;
  readonly state: ToolServerState;
  /** `program` is a server inside the program that drives Lathe. */
  readonly transport: 'stdio' | 'http' | 'sse' | 'ws' | 'program';
  /** Its command or address; what may be secret is left out. */
  readonly target: string;
  /** The file that names it, or a flag. */
  readonly file: string;
  /** Its name and version, as it says; '' before it has said them. */
  readonly program: string;
  /** The reason it is not connected. */
  readonly problem: string | null;
  /** The ends of the names of the files that a language server is for. Absent: it is a tool server. */
  readonly languages?: readonly string[];
  readonly tools: number;
  readonly prompts: number;
  /** Null for a server that has none to list. */
  readonly resources: { readonly count: number | null } | null;
  /** Null for a server that nobody can sign in to. */
  readonly signIn: {
    readonly signedIn: boolean;
    /** The page to open in a browser; '' before it is known, null when nobody signs in. */
    readonly page: string | null;
    /** The reason that the last try failed. */
    readonly problem: string | null;
  } | null;
  /** Grows with each change of what servers offer. */
  readonly offering: number;
  /** Grows with each change of what {@link ToolServerDetails} tell. */
  readonly revision: number;
}

/** The levels of a server's log, the least important first. */
export const LOG_LEVELS = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** A line of a server's log. */
export interface ServerLogEntry {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly level: LogLevel;
  /** Lathe tells what became of the server, the server what it likes. */
  readonly from: 'lathe' | 'server';
  readonly text: string;
}

/** A thing that a server offers. */
export interface ServerOffer {
  readonly name: string;
  readonly detail: string;
}

/** All that a tool server offers and said. */
export interface ToolServerDetails {
  readonly instructions: string;
  readonly tools: readonly ServerOffer[];
  readonly prompts: readonly ServerOffer[];
  readonly resources: readonly ServerOffer[];
  readonly log: readonly ServerLogEntry[];
  /** The last lines that a program printed on standard error. */
  readonly printed: string;
}

/** An act on a tool server of a session. */
export const ToolServerAct = z.object({
  kind: z.enum(['reconnect', 'enable', 'disable', 'signIn', 'stopSignIn', 'signOut']),
  name: z.string().min(1).max(200),
});
export type ToolServerAct = z.infer<typeof ToolServerAct>;
