import { type ConfigChange, configChanges, heldBack, mayHold } from '../settings/changes';
import type { EffectiveSettings } from '../settings/effective';

/** The settings of a session while their files change under it. */
export interface WatchedSettings {
  /** Those that hold now. */
  now(): EffectiveSettings;
  /** Looks what changed since the last time and asks whether it is to hold. */
  review(asked: (changes: readonly ConfigChange[]) => Promise<boolean>): Promise<void>;
}

/** Watches the settings of a project. `latest`: as they were read last. Everything holds until somebody blocks it. */
export function watchSettings(latest: () => EffectiveSettings): WatchedSettings {
  let seen = latest();
  let held: EffectiveSettings | null = null;
  return {
    now: () => {
      const newest = latest();
      return held !== null && mayHold(held, newest) ? held : newest;
    },
    review: async (asked) => {
      const after = latest();
      const changes = configChanges(seen, after);
      if (changes.length === 0) return;
      const before = held ?? seen;
      seen = after;
      // Hooks of before decide: a change must not be able to let itself in.
      held = before;
      const blocked = await asked(changes);
      held = blocked ? heldBack(before, after, changes) : null;
    },
  };
}
