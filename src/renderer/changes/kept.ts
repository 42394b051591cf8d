import { useCallback, useSyncExternalStore } from 'react';
import { useLathe, useScreen } from '../store/use-lathe';

/** Holds whether a difference of a session is open, by its name, also while the dock is away. */
export function useOpenDiff(sessionId: string, name: string) {
  const { store } = useLathe();
  const open = useScreen(
    ({ openDiffs }) => openDiffs.sessionId === sessionId && openDiffs.names.includes(name),
  );
  const setOpen = (wanted: boolean) =>
    store.setState(({ openDiffs }) => {
      const names = openDiffs.sessionId === sessionId ? openDiffs.names : [];
      const others = names.filter((one) => one !== name);
      return { openDiffs: { sessionId, names: wanted ? [...others, name] : others } };
    });
  return [open, setOpen] as const;
}

/** Holds a text that is being written, over reloads and while the dock is away. */
export function useDraft(key: string) {
  const { drafts } = useLathe();
  const text = useSyncExternalStore(drafts.subscribe, () => drafts.get(key));
  return [text, useCallback((next: string) => drafts.set(key, next), [drafts, key])] as const;
}
