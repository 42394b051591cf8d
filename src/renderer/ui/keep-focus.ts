/** Finds what a keyboard reaches, one after another. */
const REACHED =
  'a[href], button:enabled, input:enabled, textarea:enabled, select:enabled, [tabindex]:not([tabindex="-1"])';

/** An element that lost the focus, and where it stood. */
interface Lost {
  readonly element: Element;
  /** From the nearest one out: what held it, and the place in there. */
  readonly trail: readonly { readonly parent: Element; readonly at: number }[];
}

/**
 * Keeps the focus on the page: where what has it goes away or can no longer be pressed, and nobody gives it elsewhere, what
 * stands beside it takes it, by preference what is called the same, and never what is marked `data-focus-when-asked`. Returns a
 * function that ends this.
 */
export function keepFocus(): () => void {
  const onFocusOut = ({ target, relatedTarget }: FocusEvent) => {
    if (relatedTarget !== null || !(target instanceof Element)) return;
    // What is about to be removed stands in its place until this has been handled.
    const lost = { element: target, trail: trailOf(target) };
    // Behind dialogs and menus, which give the focus back a moment after they are gone.
    requestAnimationFrame(() => setTimeout(() => giveOn(lost)));
  };
  document.addEventListener('focusout', onFocusOut);
  return () => document.removeEventListener('focusout', onFocusOut);
}

function trailOf(element: Element): Lost['trail'] {
  const trail: Lost['trail'][number][] = [];
  for (let child = element; child.parentElement !== null; child = child.parentElement) {
    const { parentElement: parent } = child;
    trail.push({ parent, at: [...parent.children].indexOf(child) });
  }
  return trail;
}

/** Gives the focus on, unless somebody has it or only a press beside took it away. */
function giveOn({ element, trail }: Lost): void {
  const { activeElement, body } = document;
  // A dialog of Radix takes the focus itself from what goes away in it.
  const isTaken = activeElement?.matches('[role=dialog][data-state=open]') === true;
  const isOfTrail = isTaken && trail.some(({ parent }) => parent === activeElement);
  if (activeElement !== null && activeElement !== body && !isOfTrail) return;
  const stands = element.isConnected && element.checkVisibility() && !element.matches(':disabled');
  if (stands || !document.hasFocus()) return;
  for (const { parent, at } of trail) {
    if (parent === body) break;
    if (!parent.isConnected) continue;
    const next = beside(parent, at, nameOf(element));
    if (next === null) continue;
    next.focus({ preventScroll: true });
    giveBack(element, next);
    return;
  }
  const home = document.querySelector<HTMLElement>('[data-focus-home]');
  (home ?? reachedIn(body)[0])?.focus({ preventScroll: true });
}

/** Gives the focus back to what only could not be pressed for a while, unless it has gone elsewhere by then. */
function giveBack(element: Element, from: HTMLElement): void {
  if (!(element instanceof HTMLElement) || !element.isConnected) return;
  const enabled = new MutationObserver(() => {
    if (element.matches(':disabled')) return;
    enabled.disconnect();
    if (document.activeElement === from) element.focus({ preventScroll: true });
  });
  enabled.observe(element, { attributeFilter: ['disabled'] });
  from.addEventListener('blur', () => enabled.disconnect(), { once: true });
}

/** Returns what takes the focus from the child of `parent` at a place: behind it, before it, or what can hold both. */
function beside(parent: Element, at: number, name: string): HTMLElement | null {
  // No button of a dialog by accident.
  if (parent instanceof HTMLElement && parent.matches('[role=dialog]')) return parent;
  const children = [...parent.children];
  for (const child of [...children.slice(at), ...children.slice(0, at).reverse()]) {
    const reached = reachedIn(child);
    const found = reached.find((one) => nameOf(one) === name) ?? reached[0];
    if (found !== undefined) return found;
  }
  return parent instanceof HTMLElement && parent.hasAttribute('tabindex') ? parent : null;
}

/** Returns what can be reached in an element and is in sight, itself included. */
const reachedIn = (element: Element): readonly HTMLElement[] =>
  [element, ...element.querySelectorAll(REACHED)].filter(
    (one): one is HTMLElement =>
      one instanceof HTMLElement && one.matches(REACHED) && isInSight(one),
  );

function isInSight(element: HTMLElement): boolean {
  const left = element.closest('[inert], [aria-hidden=true], [data-focus-when-asked]');
  if (left !== null || !element.checkVisibility()) return false;
  const { x, y, width, height } = element.getBoundingClientRect();
  const there = document.elementFromPoint(x + width / 2, y + height / 2);
  return there !== null && (element.contains(there) || there.contains(element));
}

const nameOf = (element: Element): string =>
  element.getAttribute('aria-label') ?? element.textContent ?? '';
