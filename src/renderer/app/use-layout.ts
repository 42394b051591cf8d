import { useCallback, useEffect, useRef } from 'react';
import { setPreferences, withLayout } from '../store/preferences';
import { useLathe, useScreen } from '../store/use-lathe';
import { type Layout, readLayout, writeLayout } from './layout';

/** Layout changes are written down once things have been still for this long, in milliseconds. */
const SAVE_AFTER_MS = 500;

/** The remembered layout of a project, and how to remember a change. */
export function useLayout(project: string): {
  readonly initial: Layout;
  readonly save: (patch: Partial<Layout>) => void;
} {
  const lathe = useLathe();
  const current = useRef<{ project: string; layout: Layout } | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const zoom = useScreen((s) => s.app?.preferences.zoom ?? 1);
  const stored = useScreen((s) => s.app?.preferences.layout[project]);
  if (current.current?.project !== project) {
    current.current = { project, layout: readLayout(stored, window.innerWidth / zoom) };
  }
  const { layout: initial } = current.current;
  const write = useCallback(() => {
    timer.current = null;
    const layouts = lathe.store.getState().app?.preferences.layout;
    const now = current.current;
    if (!layouts || !now) return;
    void setPreferences(lathe, {
      layout: withLayout(layouts, now.project, writeLayout(now.layout)),
    });
  }, [lathe]);
  const save = useCallback(
    (patch: Partial<Layout>) => {
      const now = current.current;
      if (now === null) return;
      current.current = { ...now, layout: { ...now.layout, ...patch } };
      if (timer.current !== null) clearTimeout(timer.current);
      timer.current = setTimeout(write, SAVE_AFTER_MS);
    },
    [write],
  );
  useEffect(
    () => () => {
      if (timer.current === null) return;
      clearTimeout(timer.current);
      write();
    },
    [write],
  );
  return { initial, save };
}
