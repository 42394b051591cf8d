const FOCUSABLE =
  'a[href], button:not(:disabled), input:not(:disabled), textarea:not(:disabled), [tabindex]:not([tabindex="-1"])';

/** Keeps Tab inside `frame`: from the last element to the first and back. True when the key was used up. */
export function cycleTab(frame: HTMLElement, backwards: boolean): boolean {
  const stops = [...frame.querySelectorAll<HTMLElement>(FOCUSABLE)].filter(
    (element) => element.getClientRects().length > 0,
  );
  const first = stops[0];
  const last = stops.at(-1);
  if (!first || !last) return true;
  const { activeElement } = document;
  const leaves = backwards
    ? activeElement === first || activeElement === frame
    : activeElement === last;
  if (!leaves) return false;
  (backwards ? last : first).focus();
  return true;
}

/** Whether a person is typing into a terminal, from which no dialog may take the keys. */
export const typingInTerminal = (): boolean => document.activeElement?.closest('.xterm') != null;

/** Makes everything beside `layer` in its parent inert, and gives back how to undo that. */
export function makeRestInert(layer: HTMLElement): () => void {
  const others = [...(layer.parentElement?.children ?? [])].filter(
    (element): element is HTMLElement =>
      element instanceof HTMLElement && element !== layer && !element.inert,
  );
  for (const element of others) element.inert = true;
  return () => {
    for (const element of others) element.inert = false;
  };
}
