/** A signal of a hook to the user, as a terminal would give it. Texts are one line and bounded. */
export type TerminalSignal =
  | { readonly kind: 'bell' }
  /** A title for the window; '': it has none any more. */
  | { readonly kind: 'title'; readonly text: string }
  /** A title of its own may be ''. */
  | { readonly kind: 'notification'; readonly title: string; readonly body: string };

/** The escape sequences that a hook has Lathe emit: only those that are permitted. */
export interface TerminalSequences {
  /** For a real terminal: each is a bell, or one whole OSC sequence. */
  readonly sequences: readonly string[];
  /** Their meaning, for windows. */
  readonly signals: readonly TerminalSignal[];
}
