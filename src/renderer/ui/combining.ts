import { createOutputDecoder } from '../../shared/terminal-text';

/** The combining marks that one character keeps on screen; no script stacks as many. */
export const MAX_MARKS = 16;

const MARKS = /[\p{M}\p{Grapheme_Extend}\u200d]+/gu;
const TOO_MANY = new RegExp(`${MARKS.source.slice(0, -1)}{${MAX_MARKS + 1}}`, 'u');

/** Cuts runs of combining marks in a text that comes in pieces. */
interface MarkCutter {
  /** Returns what is shown of the next piece. */
  next(text: string): string;
  /** Returns the rest when nothing more comes. */
  end(): string;
}

/**
 * Creates a cutter for one text. A character under thousands of marks takes a browser minutes to lay out; after
 * {@link MAX_MARKS} the rest of a run is counted instead.
 */
function createMarkCutter(): MarkCutter {
  let run = 0;
  const endRun = (): string => {
    const left = run - MAX_MARKS;
    run = 0;
    return left > 0 ? `⟨+${left.toLocaleString('en-US')} marks⟩` : '';
  };
  return {
    next(text) {
      let shown = '';
      let at = 0;
      for (const { 0: found, index } of text.matchAll(MARKS)) {
        if (index > at) shown += endRun() + text.slice(at, index);
        const marks = [...found];
        shown += marks.slice(0, Math.max(0, MAX_MARKS - run)).join('');
        run += marks.length;
        at = index + found.length;
      }
      return at < text.length ? shown + endRun() + text.slice(at) : shown;
    },
    end: endRun,
  };
}

/** Returns `text` with the combining marks of each character cut at {@link MAX_MARKS}, and says how many were left out. */
export function cutMarks(text: string): string {
  if (!TOO_MANY.test(text)) return text;
  const cutter = createMarkCutter();
  return cutter.next(text) + cutter.end();
}

/** Creates the same cut for what a program prints on a terminal. Plain ASCII passes untouched. */
export function createByteMarkCutter(): (bytes: Uint8Array) => Uint8Array | string {
  const decode = createOutputDecoder();
  const cutter = createMarkCutter();
  return (bytes) => {
    const text = decode(bytes);
    return typeof text === 'string' ? cutter.next(text) : text;
  };
}
