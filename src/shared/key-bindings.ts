import { z } from 'zod';
import type { SettingsProblem } from './settings';

/** One entry of `keybindings.json`: a key, and the command it belongs to in one part of the window. */
export interface KeyBinding {
  /** The part of the window, as the file names it. */
  readonly context: string;
  /** The shortcut, as the file writes it. */
  readonly key: string;
  /** Null: the key does nothing there. */
  readonly command: string | null;
  /** From 1. */
  readonly line: number;
}

/** The user's own keys, as their file has them. */
export interface KeyBindings {
  readonly file: string;
  /** In the order of the file: what comes later counts. */
  readonly bindings: readonly KeyBinding[];
  /** Entries of the file that cannot be understood at all. */
  readonly problems: readonly SettingsProblem[];
}

/** A change of one entry; without `command` the entry is taken out. */
export const KeyChange = z.object({
  context: z.string().min(1).max(100),
  key: z.string().min(1).max(100),
  command: z.string().min(1).max(100).nullable().optional(),
});
export type KeyChange = z.infer<typeof KeyChange>;
