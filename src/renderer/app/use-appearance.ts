import { useEffect } from 'react';
import { useLathe, useScreen } from '../store/use-lathe';
import { terminalTheme } from '../terminal/terminal-theme';

/** Puts theme and zoom on the page and into the terminals, and follows the system's light and dark. */
export function useAppearance(): void {
  const { terminals } = useLathe();
  const theme = useScreen((s) => s.app?.preferences.theme ?? 'system');
  const zoom = useScreen((s) => s.app?.preferences.zoom ?? 1);
  useEffect(() => {
    const root = document.documentElement;
    if (theme === 'system') root.removeAttribute('data-theme');
    else root.setAttribute('data-theme', theme);
    const repaint = () => terminals.setTheme(terminalTheme());
    repaint();
    const system = window.matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', repaint);
    return () => system.removeEventListener('change', repaint);
  }, [terminals, theme]);
  useEffect(() => {
    const root = document.documentElement;
    root.toggleAttribute('data-zoomed', zoom !== 1);
    root.style.setProperty('--page-zoom', String(zoom));
    root.style.setProperty('zoom', String(zoom));
    terminals.setZoom(zoom);
  }, [terminals, zoom]);
}
