import { ChevronDown, ChevronRight } from 'lucide-react';
import { type ReactNode, useId, useMemo, useState } from 'react';
import { useHighlighted } from '../highlight/use-highlighted';
import { plural } from '../ui/format';
import { VisibleText } from '../ui/VisibleText';
import type { TextLook, TextRange } from '../ui/visible-text';
import { type CommandPart, commandParts } from './heredocs';

/** A body of more lines than this can be folded away once it was read. */
const FOLDABLE_LINES = 12;

/**
 * A command in full, with what asks marked. The bodies of here-documents are set off and coloured in their own language;
 * at first they are open, because what is approved has to be seen.
 */
export function CommandText({
  command,
  asks,
}: {
  readonly command: string;
  readonly asks: readonly TextRange[];
}) {
  const parts = useMemo(() => commandParts(command), [command]);
  return parts.map((part) => (
    <Part key={part.start} part={part} text={command.slice(part.start, part.end)} asks={asks} />
  ));
}

function Part({
  part,
  text,
  asks,
}: {
  readonly part: CommandPart;
  readonly text: string;
  readonly asks: readonly TextRange[];
}) {
  const ranges = useMemo(
    () => asks.map(({ start, end }) => ({ start: start - part.start, end: end - part.start })),
    [asks, part.start],
  );
  const lines = useHighlighted(text, part.language, true);
  const looks = useMemo(() => lines?.flatMap(withLineEnd), [lines]);
  const shown = (
    <VisibleText text={text} ranges={ranges} looks={looks} padding markedClassName="asks-mark" />
  );
  return part.kind === 'shell' ? shown : <Body part={part} text={text} shown={shown} />;
}

function Body({
  part,
  text,
  shown,
}: {
  readonly part: CommandPart;
  readonly text: string;
  readonly shown: ReactNode;
}) {
  const [open, setOpen] = useState(true);
  const id = useId();
  const lines = text.split('\n').length - 1;
  const title = part.target === '' ? 'Text' : `Text for ${part.target}`;
  const Chevron = open ? ChevronDown : ChevronRight;
  const line = (
    <>
      <VisibleText text={title} />
      <span className="text-ink-3 tabular-nums">{plural(lines, 'line')}</span>
    </>
  );
  return (
    <span className="my-1 block overflow-clip rounded-sm border border-line bg-canvas">
      <span className="flex items-center gap-2 border-b border-line px-2 py-1 font-sans text-meta text-ink-2 select-none">
        {lines <= FOLDABLE_LINES ? (
          line
        ) : (
          <button
            type="button"
            aria-expanded={open}
            aria-controls={id}
            onClick={() => setOpen(!open)}
            className="flex items-center gap-2 rounded-sm"
          >
            <Chevron size={13} aria-hidden className="text-ink-3" />
            {line}
          </button>
        )}
      </span>
      <span id={id} className={open ? 'block px-2 py-1.5' : 'hidden'}>
        {shown}
      </span>
    </span>
  );
}

const NEWLINE: TextLook = { text: '\n', color: undefined, italic: false, bold: false };

const withLineEnd = (line: readonly TextLook[]): readonly TextLook[] => [...line, NEWLINE];
