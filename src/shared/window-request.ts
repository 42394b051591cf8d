import type { TerminalSignal } from './terminal-signal';

/** The things that a window is asked for, or told, from outside its page. */
export type WindowRequest =
  /** The user asked from outside (notification, deep link, second launch) to see this. */
  | {
      readonly type: 'show';
      readonly project?: string;
      readonly sessionId?: string;
      readonly draft?: string;
    }
  /** A hook of a session gives the user a signal. A title is part of the session's transcript. */
  | {
      readonly type: 'signal';
      readonly project: string;
      readonly sessionId: string;
      readonly signal: Exclude<TerminalSignal, { readonly kind: 'title' }>;
    }
  /** The user chose this command of the window in a menu of the system. */
  | { readonly type: 'command'; readonly id: string }
  | SavedFile;

/** A file that the page handed out, and its path, or null when it could not be written. */
export interface SavedFile {
  readonly type: 'saved';
  readonly name: string;
  readonly path: string | null;
}
