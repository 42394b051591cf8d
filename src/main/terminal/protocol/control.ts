import type { Fault } from '../../../shared/result';
import type { TerminalInfo } from '../../../shared/terminal';
import type { TerminalExit, TerminalProgress, TerminalSpec } from '../../engine/ports';

/**
 * What is said on the terminal host's socket. The first record of a connection is a {@link Hello}; the host
 * answers with a {@link HelloReply}. Afterwards a `viewer` connection carries frames of `shared/terminal-wire`
 * both ways, and a `control` connection requests and responses by id, with events between them.
 */

/** Raised when the protocol changes. A new version gets its own socket, so an old host lives on beside it. */
export const PROTOCOL = 1;

/** Who connects. The token is the secret beside the socket. */
export interface Hello {
  readonly role: 'control' | 'viewer';
  readonly protocol: number;
  readonly token: string;
}

/** A terminal, and its end when it has ended. */
export interface TerminalState {
  readonly info: TerminalInfo;
  readonly exit?: TerminalExit;
}

/** The answer to {@link Hello}; after a refusal the host hangs up. */
export type HelloReply =
  | { readonly ok: true; readonly hostPid: number; readonly terminals: readonly TerminalState[] }
  | { readonly ok: false; readonly error: Fault };

/** Processes that a dead terminal host left behind, by the terminal they belonged to. */
export interface Orphan {
  readonly terminalId: string;
  readonly sessionId?: string;
  readonly callId?: string;
  readonly command?: string;
  readonly pids: readonly number[];
}

/** What a control connection may ask. */
export type ControlCall =
  | { readonly method: 'spawn'; readonly spec: TerminalSpec }
  | { readonly method: 'kill'; readonly terminalId: string; readonly graceMs: number }
  | { readonly method: 'list' }
  | { readonly method: 'dismiss'; readonly terminalId: string }
  | { readonly method: 'watchProgress'; readonly terminalId: string; readonly on: boolean }
  | { readonly method: 'orphans' }
  /** Ends every terminal that no other connected client started; the host exits when nobody else is there. */
  | { readonly method: 'shutdown'; readonly graceMs: number };

/** A call with the number its response carries. */
export interface ControlRequest {
  readonly id: number;
  readonly call: ControlCall;
}

/** What the host tells without being asked. */
export type HostEvent =
  | { readonly event: 'changed'; readonly info: TerminalInfo }
  | { readonly event: 'exited'; readonly info: TerminalInfo; readonly exit: TerminalExit }
  | { readonly event: 'removed'; readonly terminalId: string }
  | {
      readonly event: 'progress';
      readonly terminalId: string;
      readonly progress: TerminalProgress;
    };

/** The answer to one request. */
export type ControlResponse =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  | { readonly id: number; readonly ok: false; readonly error: Fault };
