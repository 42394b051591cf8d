import { Fragment, useMemo } from 'react';
import { cutMarks } from './combining';
import { cx } from './css';
import {
  hidesSomething,
  markRanges,
  type TextLook,
  type TextRange,
  visibleText,
  withLooks,
} from './visible-text';

const NO_RANGES: readonly TextRange[] = [];

/**
 * Text in which nothing hides (see {@link visibleText}). Pieces inside `ranges` stand out; `looks` colours the others,
 * from the beginning on, and changes nothing else. The order on screen is the order of the bytes, also for right-to-left scripts;
 * not that of `prose`, unless characters of it set directions.
 */
export function VisibleText({
  text,
  ranges = NO_RANGES,
  padding = false,
  markedClassName,
  looks,
  prose = false,
}: {
  readonly text: string;
  readonly ranges?: readonly TextRange[];
  readonly padding?: boolean;
  readonly markedClassName?: string;
  readonly looks?: readonly TextLook[] | undefined;
  readonly prose?: boolean;
}) {
  const pieces = useMemo(
    () => withLooks(markRanges(visibleText(text, { padding }), ranges), looks),
    [text, padding, ranges, looks],
  );
  const shown = pieces.map((piece) => (
    <span
      key={piece.start}
      className={cx(piece.marked && markedClassName)}
      style={piece.marked ? undefined : styleOf(piece.look)}
    >
      {piece.kind === 'text' ? (
        cutMarks(piece.text)
      ) : (
        <HiddenMark label={piece.label} name={piece.name} />
      )}
    </span>
  ));
  return prose && !TURNS.test(text) ? shown : <bdo dir="ltr">{shown}</bdo>;
}

/** Characters that set or isolate a direction, so that a text may stand in another order than it is read in. */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/;

/** A path in which nothing hides. It breaks behind separators before it breaks anywhere else. */
export const VisiblePath = ({ text }: { readonly text: string }) => (
  // One element: in a row that is laid out with gaps, its parts would stand apart as if by spaces.
  <span>
    {[...text.matchAll(/[^\\/]*[\\/]|[^\\/]+/g)].map(({ 0: part, index }) => (
      <Fragment key={index}>
        {index === 0 ? null : <wbr />}
        <VisibleText text={part} />
      </Fragment>
    ))}
  </span>
);

/** A path on one line. Without room for all of it, it loses its beginning: at its end is the name of the file. */
export const PathLine = ({
  text,
  title,
  className,
}: {
  readonly text: string;
  readonly title?: string;
  readonly className?: string;
}) => (
  <span title={title} className={cx('truncate text-left [direction:rtl]', className)}>
    <VisibleText text={text} />
  </span>
);

/** A name, or a part of one, in which nothing hides; where nothing would, each script reads its own way. */
export const PlainName = ({ text }: { readonly text: string }) =>
  hidesSomething(text) ? <VisibleText text={text} /> : cutMarks(text);

/** Prose of a model or a server in which nothing hides: each script reads its own way, line by line, apart from what is around it. */
export const VisibleProse = ({ text }: { readonly text: string }) => (
  <bdi className="[unicode-bidi:plaintext]">
    {hidesSomething(text) ? <VisibleText text={text} prose /> : cutMarks(text)}
  </bdi>
);

/** A drawn stand-in for something that does not show. It is not part of the text when that is copied. */
function HiddenMark({ label, name }: { readonly label: string; readonly name: string }) {
  return (
    <span
      role="img"
      aria-label={name}
      title={name}
      data-framed
      className="mx-px inline-block select-none whitespace-nowrap rounded-sm bg-waits-tint px-1 align-baseline text-[11px] leading-4 font-medium text-waits ring-1 ring-waits/40 ring-inset"
    >
      {label}
    </span>
  );
}

const styleOf = (look: TextLook | undefined) =>
  look && {
    color: look.color,
    ...(look.italic ? { fontStyle: 'italic' } : {}),
    ...(look.bold ? { fontWeight: 600 } : {}),
  };
