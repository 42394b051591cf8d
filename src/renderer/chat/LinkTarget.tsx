import { type RefObject, useEffect, useState } from 'react';
import { shownTarget } from '../ui/link-target';
import { VisibleText } from '../ui/VisibleText';

/** The events with which a link comes under the pointer or gets the focus, or loses both. */
const EVENTS = ['pointerover', 'focusin', 'pointerout', 'focusout'] as const;

/** Shows where the link under the pointer or with the focus leads, before it opens. */
export function LinkTarget({ area }: { readonly area: RefObject<HTMLElement | null> }) {
  const [target, setTarget] = useState<string | null>(null);
  useEffect(() => {
    const element = area.current;
    if (element === null) return;
    const look = (event: Event) => {
      const leaves = event.type.endsWith('out');
      const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
      setTarget(leaves ? null : (link?.getAttribute('href') ?? null));
    };
    for (const type of EVENTS) element.addEventListener(type, look);
    return () => {
      for (const type of EVENTS) element.removeEventListener(type, look);
    };
  }, [area]);
  if (target === null || target.startsWith('#')) return null;
  return (
    <p
      data-link-target
      className="pointer-events-none absolute bottom-0 left-0 line-clamp-6 max-w-[80%] rounded-tr-md border-t border-r border-line bg-raised px-2 py-0.5 font-mono text-meta text-ink-2 [overflow-wrap:anywhere]"
    >
      <VisibleText text={shownTarget(target)} />
    </p>
  );
}
