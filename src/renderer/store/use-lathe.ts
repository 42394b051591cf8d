import { createContext, useContext, useState, useSyncExternalStore } from 'react';
import { useStore } from 'zustand';
import { useShallow } from 'zustand/react/shallow';
import type { PromptAttachment } from './attachments';
import type { Lathe } from './lathe';
import { revisedPrompt, type Screen } from './screen';

/** Carries the page's {@link Lathe} down the tree. */
export const LatheContext = createContext<Lathe | null>(null);

/** Returns the page's {@link Lathe}. Only components under its provider may ask. */
export function useLathe(): Lathe {
  const lathe = useContext(LatheContext);
  if (lathe === null) throw new Error('useLathe needs a LatheContext above it');
  return lathe;
}

/** Returns a part of the screen's state; the component renders again only when that part changes, compared shallowly. */
export const useScreen = <T>(select: (screen: Screen) => T): T =>
  useStore(useLathe().store, useShallow(select));

/** Returns the draft on screen; renders again when it changes or another one comes on screen. */
export function useDraft(): {
  readonly text: string;
  readonly attached: readonly PromptAttachment[];
} {
  const { store, drafts, current } = useLathe();
  useStore(
    store,
    (screen) => `${screen.sessionId} ${screen.opened?.path} ${revisedPrompt(screen)?.promptId}`,
  );
  return {
    text: useSyncExternalStore(drafts.subscribe, () => drafts.get(current.draftKey())),
    attached: useSyncExternalStore(drafts.subscribe, () => drafts.attached(current.draftKey())),
  };
}

/**
 * Returns what a user writes in a dialog, `first` to begin with, and what changes it. It outlives a reload of the page, but
 * where there is none, as in a gallery of dialogs.
 */
export function useKeptText(key: string, first = ''): readonly [string, (text: string) => void] {
  const forms = useContext(LatheContext)?.keptForms;
  const [text, setText] = useState(() => forms?.get(key) ?? first);
  const change = (next: string) => {
    setText(next);
    forms?.set(key, next === first ? null : next);
  };
  return [text, change];
}
