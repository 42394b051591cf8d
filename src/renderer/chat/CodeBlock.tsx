import { FoldVertical, WrapText } from 'lucide-react';
import { createContext, memo, useContext, useEffect, useMemo, useRef, useState } from 'react';
import type { FileImage } from '../../shared/project-file';
import type { Result } from '../../shared/result';
import type { CodeLines } from '../highlight/highlighter';
import { useHighlighted } from '../highlight/use-highlighted';
import { Button, CopyButton, IconButton } from '../ui/Button';
import { cx } from '../ui/css';
import { ScrollArea } from '../ui/ScrollArea';
import type { NotePlace } from './footnotes';

interface CodeBlockProps {
  readonly code: string;
  /** As the model named it; '' when it did not. */
  readonly language: string;
  /** False while it is still being written: it stays plain until then. */
  readonly done: boolean;
  /** The name of its place in the conversation; absent where it is drawn alone. */
  readonly place?: string;
}

/** Listings of fewer lines have nothing to fold. */
const MIN_FOLDED = 30;

/** Code with its language, copy and a wrap switch. Coloured when complete. */
export const CodeBlock = memo(function CodeBlock({
  code,
  language,
  done,
  place = '',
}: CodeBlockProps) {
  const [wrap, setWrap] = useState(false);
  const { foldedCode } = useContext(MarkdownContext);
  const key = `${place}\n${code}`;
  const [folded, setFolded] = useState(foldedCode?.has(key) === true);
  const fold = (now: boolean) => {
    setFolded(now);
    if (now) foldedCode?.add(key);
    else foldedCode?.delete(key);
  };
  // A listing that is folded while it is being written goes on so.
  const keptAs = useRef(key);
  useEffect(() => {
    if (keptAs.current !== key && foldedCode?.delete(keptAs.current)) foldedCode.add(key);
    keptAs.current = key;
  }, [key, foldedCode]);
  const count = useMemo(() => code.split('\n').length, [code]);
  const lines = useHighlighted(code, language, done);
  return (
    <figure className="group/code mb-3 overflow-hidden rounded-md border border-line bg-sunken last:mb-0">
      <figcaption className="flex h-8 items-center gap-1 border-b border-line pr-1 pl-3">
        <span className="flex-1 truncate text-meta text-ink-3">{language || 'text'}</span>
        {count < MIN_FOLDED ? null : (
          <IconButton
            icon={FoldVertical}
            label="Fold code"
            pressed={folded}
            onClick={() => fold(!folded)}
          />
        )}
        <IconButton
          icon={WrapText}
          label="Wrap lines"
          pressed={wrap}
          onClick={() => setWrap(!wrap)}
        />
        <CopyButton text={() => code} label="Copy code" />
      </figcaption>
      <ScrollArea
        label={language === '' ? 'Code' : `Code, ${language}`}
        className="-outline-offset-2"
      >
        <pre
          data-block="code"
          className={cx(
            '!m-0 w-max min-w-full px-3 py-2.5 text-source [overflow-wrap:normal]',
            // Ten lines: the others stay in the page, to be copied.
            folded && 'max-h-52 overflow-hidden',
            wrap && '!w-auto whitespace-pre-wrap [overflow-wrap:anywhere]',
          )}
        >
          <code>{lines === null ? code : <Coloured lines={lines} />}</code>
        </pre>
      </ScrollArea>
      {folded ? (
        <Button
          size="sm"
          variant="ghost"
          className="w-full rounded-none border-t border-line"
          onClick={() => fold(false)}
        >
          Show all {count} lines
        </Button>
      ) : null}
    </figure>
  );
});

/** Lines that get their colours in one frame: each of them is a dozen elements. */
const LINES_A_FRAME = 8;

/** The lines of a listing. Their colours come from the top down, some lines a frame, so that a long one holds up nothing. */
const Coloured = memo(function Coloured({ lines }: { readonly lines: CodeLines }) {
  const [done, setDone] = useState(LINES_A_FRAME);
  useEffect(() => {
    if (done >= lines.length) return;
    const frame = requestAnimationFrame(() => setDone(done + LINES_A_FRAME));
    return () => cancelAnimationFrame(frame);
  }, [done, lines.length]);
  const rest = useMemo(
    () => lines.slice(done).map((line) => line.map(({ text }) => text).join('')),
    [lines, done],
  );
  return (
    <>
      {lines.slice(0, done).map((line, index) => (
        <Line key={index} line={line} last={index === lines.length - 1} />
      ))}
      {rest.join('\n')}
    </>
  );
});

const Line = memo(function Line({
  line,
  last,
}: {
  readonly line: CodeLines[number];
  readonly last: boolean;
}) {
  return (
    <span>
      <ColouredLine line={line} />
      {last ? null : '\n'}
    </span>
  );
});

/** One line of coloured code, without its end. */
export function ColouredLine({ line }: { readonly line: CodeLines[number] }) {
  return line.map((piece, at) => (
    <span
      key={at}
      style={{
        color: piece.color,
        ...(piece.italic ? { fontStyle: 'italic' } : {}),
        ...(piece.bold ? { fontWeight: 600 } : {}),
      }}
    >
      {piece.text}
    </span>
  ));
}

/** Reads an image of the project by its path. */
export type LoadImage = (path: string, signal: AbortSignal) => Promise<Result<FileImage>>;

/** The dependencies of Markdown components. */
interface MarkdownSurroundings {
  /** Opens a file named in prose; absent where files cannot be opened. */
  readonly onOpenFile?: (path: string, line?: number) => void;
  /** Reads an image of the project; absent where none are shown. */
  readonly loadImage?: LoadImage;
  /** Goes to a footnote, or to its reference, in a row that is not in the page. */
  readonly onReveal?: (place: NotePlace) => void;
  /** Listings that are folded: they stay so while their row is not in the page. */
  readonly foldedCode?: Set<string>;
}

/** Without a provider paths are not links. */
export const MarkdownContext = createContext<MarkdownSurroundings>({});
