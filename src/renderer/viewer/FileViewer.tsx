import { MessageSquarePlus, SquareArrowOutUpRight } from 'lucide-react';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { type FileText, mentionText } from '../../shared/project-file';
import type { Fault } from '../../shared/result';
import { ColouredLine } from '../chat/CodeBlock';
import type { CodeLines } from '../highlight/highlighter';
import { languageOf } from '../highlight/languages';
import { useHighlighted } from '../highlight/use-highlighted';
import { editFile, readFile } from '../store/files';
import { useLathe } from '../store/use-lathe';
import { Button, CopyButton } from '../ui/Button';
import { cutMarks } from '../ui/combining';
import { cx } from '../ui/css';
import { Dialog, focusHome } from '../ui/Dialog';
import { dataSize, plural } from '../ui/format';
import { Spinner } from '../ui/Marks';
import { Notice } from '../ui/Notice';
import { ClickableRows, ScrollArea } from '../ui/ScrollArea';
import { VisibleText } from '../ui/VisibleText';
import { hidesSomething } from '../ui/visible-text';

interface FileViewerProps {
  /** Absolute, or relative to the project on screen. */
  readonly path: string;
  /** The line to show, from 1. */
  readonly line?: number;
  readonly onClose: () => void;
}

/** A text file to read: with line numbers and colours, at a line. It can be taken to the editor or into the prompt. */
export function FileViewer({ path, line, onClose }: FileViewerProps) {
  const lathe = useLathe();
  const [shown, setShown] = useState<
    | { readonly kind: 'loading' }
    | { readonly kind: 'file'; readonly file: FileText }
    | { readonly kind: 'failed'; readonly fault: Fault }
  >({ kind: 'loading' });
  useEffect(() => {
    const control = new AbortController();
    setShown({ kind: 'loading' });
    void readFile(lathe, path, control.signal).then((read) => {
      if (control.signal.aborted) return;
      setShown(
        read.ok ? { kind: 'file', file: read.value } : { kind: 'failed', fault: read.error },
      );
    });
    return () => control.abort();
  }, [lathe, path]);
  const body = useRef<HTMLDivElement>(null);
  const file = shown.kind === 'file' ? shown.file : null;
  const name = file?.name ?? path;
  const addToPrompt = () => {
    const lines = selectedLines(body.current, window.getSelection());
    const at = lines ?? (line === undefined ? null : { from: line, to: line });
    onClose();
    lathe.current.addToDraft(`${mentionText(`${name}${at === null ? '' : lineSuffix(at)}`)} `);
    requestAnimationFrame(focusHome);
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={name}
      size="xl"
      flush
      footer={
        <>
          <p className="min-w-0 flex-1 truncate text-meta text-ink-3 tabular-nums">
            {file === null ? '' : facts(file)}
          </p>
          <CopyButton text={() => file?.path ?? path} label="Copy path" />
          <Button
            icon={SquareArrowOutUpRight}
            onClick={() => void editFile(lathe, { path: file?.path ?? path, line })}
          >
            Open in editor
          </Button>
          <Button variant="primary" icon={MessageSquarePlus} onClick={addToPrompt}>
            Add to prompt
          </Button>
        </>
      }
    >
      {shown.kind === 'loading' ? (
        <p className="flex h-full items-center justify-center gap-2 text-code text-ink-3">
          <Spinner /> Opening the file
        </p>
      ) : null}
      {shown.kind === 'failed' ? (
        <div className="p-6">
          <Notice level="error" title={shown.fault.message}>
            {shown.fault.fix}
          </Notice>
        </div>
      ) : null}
      {file === null ? null : (
        <div ref={body} className="h-full">
          <FileLines key={file.path} file={file} line={line} />
        </div>
      )}
    </Dialog>
  );
}

/** The lines of a file; only those in view are drawn. */
function FileLines({ file, line }: { readonly file: FileText; readonly line: number | undefined }) {
  const lines = useMemo(() => linesOf(file.text), [file.text]);
  const code = useMemo(() => lines.join('\n'), [lines]);
  const coloured = useHighlighted(code, languageOf(file.path), true);
  const area = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  useEffect(() => {
    area.current?.focus();
    if (line !== undefined) list.current?.scrollToIndex(line - 1, { align: 'center' });
  }, [line]);
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.key === 'Home') list.current?.scrollToIndex(0);
    else if (event.key === 'End') list.current?.scrollToIndex(lines.length - 1, { align: 'end' });
    else return;
    event.preventDefault();
  };
  if (lines.length === 0)
    return <p className="p-6 text-center text-code text-ink-3">This file is empty.</p>;
  const digits = String(lines.length).length;
  return (
    <ScrollArea
      ref={area}
      label={`Lines of ${file.name}`}
      onKeyDown={onKeyDown}
      className="h-full bg-canvas py-2 -outline-offset-2"
    >
      <Virtualizer as={ClickableRows} ref={list} scrollRef={area} data={lines} bufferSize={400}>
        {(text, index) => (
          <Line
            key={index}
            number={index + 1}
            text={text}
            coloured={coloured?.[index]}
            digits={digits}
            current={index + 1 === line}
          />
        )}
      </Virtualizer>
    </ScrollArea>
  );
}

/** Longer lines are cut on screen: laying them out would hold up the page. Characters. */
const MAX_LINE = 10_000;

function Line({
  number,
  text,
  coloured,
  digits,
  current,
}: {
  readonly number: number;
  readonly text: string;
  readonly coloured: CodeLines[number] | undefined;
  readonly digits: number;
  readonly current: boolean;
}) {
  return (
    <div
      data-line={number}
      aria-current={current || undefined}
      className={cx('flex font-mono text-source', current && 'bg-accent-tint')}
    >
      <span
        aria-hidden
        style={{ width: `${digits + 4}ch` }}
        className="shrink-0 select-none pr-4 text-right text-ink-3 tabular-nums"
      >
        {number}
      </span>
      <span className="min-w-0 flex-1 pr-4 whitespace-pre-wrap [overflow-wrap:anywhere]">
        {hidesSomething(text.slice(0, MAX_LINE)) ? (
          <VisibleText text={text.slice(0, MAX_LINE)} />
        ) : coloured === undefined ? (
          plainLine(text)
        ) : (
          <ColouredLine line={coloured} />
        )}
      </span>
    </div>
  );
}

const plainLine = (text: string): string =>
  text === '' ? '\u00a0' : cutMarks(text.length > MAX_LINE ? `${text.slice(0, MAX_LINE)}…` : text);

/** Returns lines without their ends; what follows the last end is a line only when there is something. */
function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r\n|\n|\r/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** Returns the lines that a selection reaches into; null when it is empty or elsewhere. */
function selectedLines(
  body: HTMLElement | null,
  selection: Selection | null,
): { readonly from: number; readonly to: number } | null {
  if (body === null || selection === null || selection.isCollapsed) return null;
  const lineOf = (node: Node | null): number | null => {
    const element = node instanceof Element ? node : (node?.parentElement ?? null);
    const line = body.contains(element) ? element?.closest<HTMLElement>('[data-line]') : null;
    return line ? Number(line.dataset['line']) : null;
  };
  const [one, other] = [lineOf(selection.anchorNode), lineOf(selection.focusNode)];
  if (one === null || other === null) return null;
  return { from: Math.min(one, other), to: Math.max(one, other) };
}

/** Writes lines as mentions name them: `#L5`, `#L5-9`. */
const lineSuffix = ({ from, to }: { readonly from: number; readonly to: number }): string =>
  from === to ? `#L${from}` : `#L${from}-${to}`;

const facts = (file: FileText): string =>
  file.cut
    ? `The first ${plural(linesOf(file.text).length, 'line')} of ${dataSize(file.size)}`
    : `${plural(linesOf(file.text).length, 'line')}, ${dataSize(file.size)}`;
