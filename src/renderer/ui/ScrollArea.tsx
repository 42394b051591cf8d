import { ChevronDown } from 'lucide-react';
import {
  type ComponentProps,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { cx } from './css';
import { plural } from './format';
import { passTurnsOn } from './wheel';

interface ScrollAreaProps extends ComponentProps<'div'> {
  /** Names the box, since it takes keyboard focus so that it can be scrolled without a mouse. */
  readonly label: string;
}

/** A box that scrolls with the keyboard too. Its size comes from the caller. A group, so that many of them are no landmarks. */
export function ScrollArea({ label, className, ref, ...rest }: ScrollAreaProps) {
  const box = useRef<HTMLDivElement>(null);
  useImperativeHandle<HTMLDivElement | null, HTMLDivElement | null>(ref, () => box.current);
  useEffect(() => (box.current === null ? undefined : passTurnsOn(box.current)), []);
  return (
    // biome-ignore lint/a11y/useSemanticElements: nothing in it is a form field
    <div
      ref={box}
      role="group"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable box must be reachable by keyboard
      tabIndex={0}
      className={cx('min-h-0 overflow-auto', className)}
      {...rest}
    />
  );
}

/**
 * Holds the rows of a virtual list (`as` of `Virtualizer`). The list takes its rows from the pointer while it scrolls and 150 ms
 * longer, so that a click right after a turn of the wheel would be lost; this gives them back.
 */
export function ClickableRows({ style, ...rest }: ComponentProps<'div'>) {
  return <div style={{ ...style, pointerEvents: 'auto' }} {...rest} />;
}

/** Under a scrolling box: how many lines are below what is in view. A press scrolls on; nothing when its end shows. */
export function MoreBelow({
  lines,
  onScroll,
}: {
  readonly lines: number;
  readonly onScroll: () => void;
}) {
  if (lines === 0) return null;
  return (
    <button
      type="button"
      tabIndex={-1}
      onClick={onScroll}
      className="flex w-full items-center justify-center gap-1 border-t border-line bg-waits-tint px-4 py-1 text-meta font-medium text-waits"
    >
      <ChevronDown size={13} aria-hidden />
      {plural(lines, 'more line')} below
    </button>
  );
}

/** Within this many pixels of the end counts as seen. */
const SLACK = 8;
/** Height of a line of code, in pixels (`--text-code`). */
const LINE_PX = 20;

/** The part of a scrolling box that has not been seen. */
export interface Reading {
  /** Lines below what is in view; 0 when its end shows. */
  readonly below: number;
  /** It is longer than what fits. */
  readonly scrolls: boolean;
  /** Its beginning is out of view. */
  readonly scrolled: boolean;
}

/** Returns the field in `box` that is being written in, which stays in view when its box gets smaller. */
function fieldIn(box: HTMLElement): Element | null {
  const { activeElement } = document;
  const isField = activeElement?.matches('textarea, input:not([type=checkbox], [type=radio])');
  return isField === true && box.contains(activeElement) ? activeElement : null;
}

/** Events before a user scrolls by hand: the wheel, a finger, a press on the bar. */
const BY_HAND = ['wheel', 'touchmove', 'pointerdown'];
/** Events of a field that is being written in. */
const WRITING = ['focusin', 'input'];

/** Measures how many lines of a scrolling box lie below the visible part; measures again when `content` changes. */
export function useLinesBelow(box: RefObject<HTMLElement | null>, content?: unknown): Reading {
  const [below, setBelow] = useState(0);
  const [scrolls, setScrolls] = useState(false);
  const [scrolled, setScrolled] = useState(false);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    let last = { atEnd: false, height: 0, room: 0 };
    // Who scrolls by hand looks for something else than the field, until they go on writing.
    let isFollowed = true;
    const follow = () => {
      isFollowed = true;
    };
    const leave = () => {
      isFollowed = false;
    };
    const look = () => {
      const { scrollHeight: height, clientHeight: room } = element;
      // What is said about the end takes room itself: a box that was scrolled to its end, and gets smaller, stays there.
      const wasScrolled = element.scrollTop > 0;
      if (wasScrolled && last.atEnd && room < last.room && height <= last.height)
        element.scrollTop = height;
      if (room < last.room && isFollowed) fieldIn(element)?.scrollIntoView({ block: 'nearest' });
      const hidden = height - room;
      const blank = Number.parseFloat(getComputedStyle(element).paddingBottom);
      const left = hidden - element.scrollTop - blank;
      last = { atEnd: left <= SLACK, height, room };
      setBelow(left > SLACK ? Math.ceil(left / LINE_PX) : 0);
      setScrolls(hidden > 0);
      setScrolled(element.scrollTop > 0);
    };
    look();
    element.addEventListener('scroll', look, { passive: true });
    for (const type of BY_HAND) element.addEventListener(type, leave, { passive: true });
    for (const type of WRITING) element.addEventListener(type, follow);
    const sizes = new ResizeObserver(look);
    sizes.observe(element);
    for (const child of element.children) sizes.observe(child);
    return () => {
      element.removeEventListener('scroll', look);
      for (const type of BY_HAND) element.removeEventListener(type, leave);
      for (const type of WRITING) element.removeEventListener(type, follow);
      sizes.disconnect();
    };
  }, [box, content]);
  return { below, scrolls, scrolled };
}
