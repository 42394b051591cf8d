import { useEffect, useRef } from 'react';

/** What gets the focus when the place it came from is gone: `data-focus-home` marks it. */
const home = (): HTMLElement | null => document.querySelector<HTMLElement>('[data-focus-home]');

/**
 * Draws nothing: when it goes away, together with the dialog it stands in, the focus returns to where it was before, unless
 * somebody else has it by then.
 */
export function FocusBack() {
  const before = useRef<Element | null>(null);
  // Read while drawing, before the dialog takes the focus.
  before.current ??= typeof document === 'undefined' ? null : document.activeElement;
  useEffect(() => {
    const element = before.current;
    return () => {
      const { activeElement, body } = document;
      if (activeElement !== null && activeElement !== body) return;
      const connected = element instanceof HTMLElement && element !== body && element.isConnected;
      (connected ? element : home())?.focus();
    };
  }, []);
  return null;
}
