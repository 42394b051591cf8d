import type { Preferences } from '../../shared/settings';
import type { Lathe } from './lathe';
import { touch } from './lru';
import { reportFault } from './toasts';

/** Layouts are remembered for this many projects. */
const MAX_LAYOUTS = 50;

/** Changes preferences: at once on screen, then on disk. A refused change is taken back. */
export async function setPreferences(lathe: Lathe, patch: Partial<Preferences>): Promise<void> {
  const before = lathe.store.getState().app?.preferences;
  if (!before) return;
  show(lathe, { ...before, ...patch });
  const saved = await lathe.ask((client) => client.app.setPreferences(patch));
  if (saved.ok) return;
  show(lathe, before);
  reportFault(lathe.store, saved.error);
}

const show = ({ store }: Lathe, preferences: Preferences) =>
  store.setState((s) => (s.app ? { app: { ...s.app, preferences } } : {}));

/** The layouts with one project's sizes replaced; the longest unused ones give way. */
export function withLayout(
  layouts: Preferences['layout'],
  project: string,
  sizes: Readonly<Record<string, number>>,
): Preferences['layout'] {
  const { order } = touch(Object.keys(layouts), project, MAX_LAYOUTS);
  return Object.fromEntries(
    order.map((key) => [key, key === project ? { ...sizes } : (layouts[key] ?? {})]),
  );
}
