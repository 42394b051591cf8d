import { useEffect, useLayoutEffect, useRef } from 'react';
import type { LiveTerminal } from './live-terminal';
import { TERMINAL_FONT } from './xterm';

/** The place where a terminal's screen is drawn. xterm owns everything inside; React never looks in. */
export function TerminalScreen({
  live,
  label,
  inputAllowed,
}: {
  readonly live: LiveTerminal;
  readonly label: string;
  readonly inputAllowed: boolean;
}) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = place.current;
    if (element === null) return;
    let unmount: (() => void) | null = null;
    let wanted = true;
    // xterm measures its font once; measuring the fallback would misplace every cell.
    void document.fonts.load(`13px ${TERMINAL_FONT}`).finally(() => {
      if (wanted) unmount = live.mount(element);
    });
    const observer = new ResizeObserver(() => live.fit());
    observer.observe(element);
    return () => {
      wanted = false;
      observer.disconnect();
      unmount?.();
    };
  }, [live]);
  useEffect(() => live.setInput(inputAllowed), [live, inputAllowed]);
  return (
    <section
      ref={place}
      aria-label={label}
      data-terminal
      className="absolute inset-0 overflow-hidden pt-1.5 pl-2.5"
    />
  );
}
