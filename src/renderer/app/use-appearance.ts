import { useEffect, useMemo } from 'react';
import { type Preferences, TERMINAL_DEFAULTS } from '../../shared/settings';
import { useLathe, useScreen } from '../store/use-lathe';
import { terminalLook, terminalTheme } from '../terminal/look';

const NO_PREFERENCES: Preferences = { theme: 'system', zoom: 1, layout: {} };

/** Puts theme, zoom and fonts on the page and into the terminals, and follows the system's light and dark. */
export function useAppearance(): void {
  const { terminals } = useLathe();
  const {
    theme,
    zoom,
    fonts,
    codeSize,
    terminal = TERMINAL_DEFAULTS,
  } = useScreen((s) => s.app?.preferences ?? NO_PREFERENCES);
  const own = useMemo(() => fontsOf(fonts), [fonts]);
  useEffect(() => {
    const { style } = document.documentElement;
    setOrRemove(style, '--interface-font', own.interface);
    setOrRemove(style, '--code-font', own.code);
    setOrRemove(style, '--code-size', codeSize === undefined ? null : `${codeSize}px`);
  }, [own, codeSize]);
  useEffect(() => {
    const root = document.documentElement;
    root.toggleAttribute('data-zoomed', zoom !== 1);
    root.style.setProperty('--page-zoom', String(zoom));
    root.style.setProperty('zoom', String(zoom));
  }, [zoom]);
  useEffect(() => {
    const root = document.documentElement;
    if (theme === 'system') root.removeAttribute('data-theme');
    else root.setAttribute('data-theme', theme);
    const system = ['(prefers-color-scheme: dark)', '(prefers-reduced-motion: reduce)'].map(
      (query) => window.matchMedia(query),
    );
    const repaint = () => {
      const still = system[1]?.matches === true;
      const looks = still ? { ...terminal, cursorBlink: false } : terminal;
      terminals.setTheme(terminalTheme());
      terminals.setLook(terminalLook(looks, zoom));
    };
    repaint();
    for (const query of system) query.addEventListener('change', repaint);
    return () => {
      for (const query of system) query.removeEventListener('change', repaint);
    };
  }, [terminals, theme, zoom, terminal]);
}

/** Returns the families of the page as CSS writes them; null for ours. */
function fontsOf(fonts: Preferences['fonts']) {
  const quoted = (name: string | undefined) => (name ? `"${name}"` : null);
  return { interface: quoted(fonts?.interface), code: quoted(fonts?.code) };
}

function setOrRemove(style: CSSStyleDeclaration, name: string, value: string | null): void {
  if (value === null) style.removeProperty(name);
  else style.setProperty(name, value);
}
