import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { MarkdownContext } from './CodeBlock';
import { type NotePlace, nameOfPlace } from './footnotes';

/** The answer whose footnotes are drawn, and how to go to one that is not in the page. */
export const NotesContext = createContext<{
  readonly scope: string;
  readonly reveal?: (place: NotePlace) => void;
}>({ scope: '' });

/** Tells the footnotes in it which answer they belong to. */
export function NotesOf({ id, children }: { readonly id: string; readonly children: ReactNode }) {
  const { onReveal } = useContext(MarkdownContext);
  const value = useMemo(
    () => ({ scope: id, ...(onReveal === undefined ? {} : { reveal: onReveal }) }),
    [id, onReveal],
  );
  return <NotesContext value={value}>{children}</NotesContext>;
}

/** The way from a text to its footnote. */
export function NoteReference({ label }: { readonly label: string }) {
  const { scope, reveal } = useContext(NotesContext);
  return (
    <sup>
      <button
        type="button"
        className="link rounded-sm px-0.5"
        aria-label={`Footnote ${label}`}
        data-place={nameOfPlace({ scope, label, kind: 'reference' })}
        onClick={(event) => jump(event.currentTarget, { scope, label, kind: 'note' }, reveal)}
      >
        {label}
      </button>
    </sup>
  );
}

/** A footnote, with the way back to where it is referred to. */
export function NoteRow({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ReactNode;
}) {
  const { scope, reveal } = useContext(NotesContext);
  return (
    <div role="note" aria-label={`Footnote ${label}`} className="footnote">
      <button
        type="button"
        className="link h-fit rounded-sm text-right tabular-nums"
        aria-label={`Back to the text of footnote ${label}`}
        data-place={nameOfPlace({ scope, label, kind: 'note' })}
        onClick={(event) => jump(event.currentTarget, { scope, label, kind: 'reference' }, reveal)}
      >
        {label}
      </button>
      <div className="min-w-0">{children}</div>
    </div>
  );
}

function jump(
  from: Element,
  place: NotePlace,
  reveal: ((place: NotePlace) => void) | undefined,
): void {
  const root = from.closest('[data-conversation]') ?? document;
  if (!focusOn(elementAt(root, place))) reveal?.(place);
}

/** Goes to an element; false when there is none. */
function focusOn(found: HTMLElement | undefined): boolean {
  const isTall = found !== undefined && found.offsetHeight > TALL_SHARE * innerHeight;
  found?.scrollIntoView({ block: isTall ? 'start' : 'center' });
  found?.focus({ preventScroll: true });
  return found !== undefined;
}

const elementAt = (root: ParentNode, place: NotePlace): HTMLElement | undefined => {
  const name = nameOfPlace(place);
  return [...root.querySelectorAll<HTMLElement>('[data-place]')].find(
    (element) => element.dataset['place'] === name,
  );
};

/** From this share of the window's height on, an element is shown from its beginning. */
const TALL_SHARE = 0.5;

/** The rows around a place have their sizes after so many frames, half a second at sixty a second. */
const SETTLING_FRAMES = 30;
/** Events of a user who wants to be somewhere else by now. */
const INPUTS = ['wheel', 'keydown', 'pointerdown'] as const;

/**
 * Goes to a place whose rows are about to be drawn, and keeps it in view while they and those above get their sizes, or
 * until the user does something.
 */
export const goToPlace = (box: HTMLElement, place: NotePlace): void =>
  keepInView(box, () => elementAt(box, place));

/** Does the same for any element that can have the focus. */
export function keepInView(box: HTMLElement, find: () => HTMLElement | undefined): void {
  const moved = new AbortController();
  const stop = () => moved.abort();
  for (const input of INPUTS)
    box.addEventListener(input, stop, { passive: true, signal: moved.signal });
  let frames = SETTLING_FRAMES;
  let focused: HTMLElement | undefined;
  const step = () => {
    if (moved.signal.aborted) return;
    const found = find();
    const { activeElement } = document;
    // An element that left the page leaves the focus to the body; anything else was chosen by the user.
    if (focused !== undefined && activeElement !== focused && activeElement !== document.body)
      return stop();
    if (found !== document.activeElement || !isInView(found, box)) focusOn(found);
    if (found !== undefined && document.activeElement === found) focused = found;
    frames -= 1;
    if (frames > 0) requestAnimationFrame(step);
    else stop();
  };
  requestAnimationFrame(step);
}

function isInView(element: Element | undefined, box: Element): boolean {
  if (element === undefined) return false;
  const { top, bottom } = element.getBoundingClientRect();
  const view = box.getBoundingClientRect();
  // Of what is taller than the view, the beginning counts.
  return (
    top >= view.top - 1 &&
    (bottom <= view.bottom || (bottom - top > view.height && top < view.bottom))
  );
}
