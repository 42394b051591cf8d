import { useSyncExternalStore } from 'react';
import { useScreen } from '../store/use-lathe';
import { NARROW_PX } from './layout';

/** Whether the window is too narrow for three columns, zoom counted in. */
export function useNarrow(): boolean {
  const zoom = useScreen((s) => s.app?.preferences.zoom ?? 1);
  return useSyncExternalStore(subscribe, () => window.innerWidth / zoom < NARROW_PX);
}

function subscribe(listener: () => void): () => void {
  window.addEventListener('resize', listener);
  return () => window.removeEventListener('resize', listener);
}
