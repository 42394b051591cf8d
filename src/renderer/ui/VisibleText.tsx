import { useMemo } from 'react';
import { cx } from './cx';
import { markRanges, type TextRange, visibleText } from './visible-text';

const NO_RANGES: readonly TextRange[] = [];

/**
 * Text in which nothing hides (see {@link visibleText}). Pieces inside `ranges` stand out.
 * The order on screen is the order of the bytes, also for right-to-left scripts.
 */
export function VisibleText({
  text,
  ranges = NO_RANGES,
  padding = false,
  markedClassName,
}: {
  readonly text: string;
  readonly ranges?: readonly TextRange[];
  readonly padding?: boolean;
  readonly markedClassName?: string;
}) {
  const pieces = useMemo(
    () => markRanges(visibleText(text, { padding }), ranges),
    [text, padding, ranges],
  );
  return (
    <bdo dir="ltr">
      {pieces.map((piece) => (
        <span key={piece.start} className={cx(piece.marked && markedClassName)}>
          {piece.kind === 'text' ? (
            piece.text
          ) : (
            <HiddenMark label={piece.label} name={piece.name} />
          )}
        </span>
      ))}
    </bdo>
  );
}

/** A drawn stand-in for something that does not show. It is not part of the text when that is copied. */
function HiddenMark({ label, name }: { readonly label: string; readonly name: string }) {
  return (
    <span
      role="img"
      aria-label={name}
      title={name}
      className="mx-px inline-block select-none whitespace-nowrap rounded-sm bg-waits-tint px-1 align-baseline text-[11px] leading-4 font-medium text-waits ring-1 ring-waits/40 ring-inset"
    >
      {label}
    </span>
  );
}
