import { useState } from 'react';

/** One command that the composer offers. */
export interface SlashChoice {
  readonly name: string;
  readonly title: string;
  /** What may follow the name. */
  readonly argument?: string;
}

/** The list of commands over the composer: which is marked, and whether it is open at all. */
export interface SlashMenu {
  readonly choices: readonly SlashChoice[];
  /** Place of the marked choice. */
  readonly at: number;
  readonly marked: SlashChoice | undefined;
  move(by: 1 | -1): void;
  mark(at: number): void;
  /** Away with it until the draft changes. */
  close(): void;
}

/** Follows a draft: the mark goes back to the first choice, and a closed menu opens, when the draft changes. */
export function useSlashMenu(draft: string, offered: readonly SlashChoice[]): SlashMenu {
  const [state, setState] = useState({ draft, at: 0, closed: false });
  const current = state.draft === draft ? state : { draft, at: 0, closed: false };
  const choices = current.closed ? [] : offered;
  const at = Math.min(current.at, Math.max(0, choices.length - 1));
  return {
    choices,
    at,
    marked: choices[at],
    move: (by) => setState({ ...current, at: (at + by + choices.length) % choices.length }),
    mark: (to) => setState({ ...current, at: to }),
    close: () => setState({ ...current, closed: true }),
  };
}
