import { useEffect, useState } from 'react';
import { addToast } from '../store/toasts';
import { useLathe } from '../store/use-lathe';
import { afterFirstScreen } from '../ui/after-first-screen';
import type { RareDialogs } from './RareDialogs';

/**
 * Returns the dialogs that are loaded once the first screen stands, at once where one of them is `wanted` before that;
 * null until they are there. One that cannot be loaded is told and closed.
 */
export function useRareDialogs(wanted: boolean): typeof RareDialogs | null {
  const { store } = useLathe();
  const [loaded, setLoaded] = useState<typeof RareDialogs | null>(null);
  useEffect(() => {
    if (loaded !== null) return;
    let isCurrent = true;
    const load = async () => {
      try {
        const { RareDialogs: dialogs } = await import('./RareDialogs');
        if (isCurrent) setLoaded(() => dialogs);
      } catch {
        if (!(isCurrent && wanted)) return;
        store.setState({ dialog: null });
        addToast(store, {
          level: 'error',
          text: 'A part of this page could not be loaded.',
          fix: 'Reload the window.',
        });
      }
    };
    const cancel = wanted ? void load() : afterFirstScreen(() => void load());
    return () => {
      isCurrent = false;
      cancel?.();
    };
  }, [loaded, wanted, store]);
  return loaded;
}
