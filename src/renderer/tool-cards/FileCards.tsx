import { useContext } from 'react';
import type { ToolView } from '../../shared/tool-call';
import { ColouredLine } from '../chat/CodeBlock';
import { FileDiff } from '../diff/DiffView';
import type { CodeLines } from '../highlight/highlighter';
import { languageOf } from '../highlight/languages';
import { useHighlighted } from '../highlight/use-highlighted';
import { CopyButton } from '../ui/Button';
import { plural, relativePath } from '../ui/format';
import { CardFrame, FolderContext, type OnCardAction, OpenFileButton, Output } from './CardFrame';

type FileView = Extract<ToolView, { kind: 'file' }>;

/** The part of a file that was read, with line numbers. */
export function FileCard({
  view,
  onAction,
}: {
  readonly view: FileView;
  readonly onAction: OnCardAction;
}) {
  const lines = view.preview === '' ? [] : view.preview.replace(/\n$/, '').split('\n');
  const name = relativePath(view.path, useContext(FolderContext));
  const coloured = useHighlighted(lines.join('\n'), languageOf(view.path), true);
  const digits = String(view.startLine + lines.length).length;
  return (
    <CardFrame
      label={`Lines of ${name}`}
      header={name}
      path={view.path}
      actions={<OpenFileButton path={view.path} line={view.startLine} onAction={onAction} />}
      footer={<span className="tabular-nums">{extent(view, lines.length)}</span>}
    >
      {lines.length === 0 ? null : (
        <pre className="py-2 text-source">
          {lines.map((line, index) => (
            <span key={`${view.startLine + index}`} className="flex">
              <span
                aria-hidden
                style={{ width: `${digits + 3}ch` }}
                className="shrink-0 select-none pr-3 text-right text-[11px] leading-5 text-ink-3 tabular-nums"
              >
                {view.startLine + index}
              </span>
              <span className="min-w-0 flex-1 pr-3 whitespace-pre-wrap text-ink-2 [overflow-wrap:anywhere]">
                {line === '' ? '\u00a0' : <FileLine line={line} coloured={coloured?.[index]} />}
              </span>
            </span>
          ))}
        </pre>
      )}
    </CardFrame>
  );
}

/** One line of a file, coloured once that is known. */
function FileLine({
  line,
  coloured,
}: {
  readonly line: string;
  readonly coloured: CodeLines[number] | undefined;
}) {
  return coloured === undefined ? line : <ColouredLine line={coloured} />;
}

function extent(view: FileView, previewLines: number): string {
  if (view.totalLines === 0) return 'Empty file';
  const last = view.startLine + view.lineCount - 1;
  const part =
    view.lineCount >= view.totalLines
      ? `All ${plural(view.totalLines, 'line')}`
      : `Lines ${view.startLine}–${last} of ${view.totalLines.toLocaleString('en-US')}`;
  return previewLines > 0 && previewLines < view.lineCount
    ? `${part} read; the first ${previewLines} are shown`
    : `${part} read`;
}

/** The change one call made to one file. */
export function DiffCard({
  view,
  onAction,
}: {
  readonly view: Extract<ToolView, { kind: 'diff' }>;
  readonly onAction: OnCardAction;
}) {
  const folder = useContext(FolderContext);
  const line = view.hunks[0]?.newStart;
  return (
    <FileDiff
      path={view.path}
      name={relativePath(view.path, folder)}
      created={view.created}
      hunks={view.hunks}
      limit={120}
      actions={
        <>
          <CopyButton text={() => view.path} label="Copy path" />
          <OpenFileButton path={view.path} line={line} onAction={onAction} />
        </>
      }
    />
  );
}

/** A search: pattern, folder and the first matches. */
export function SearchCard({ view }: { readonly view: Extract<ToolView, { kind: 'search' }> }) {
  const folder = useContext(FolderContext);
  return (
    <CardFrame
      label="Matches"
      header={
        <>
          <span className="text-ink">{view.pattern}</span>
          {view.path === '' ? null : (
            <span className="text-ink-3"> in {relativePath(view.path, folder)}</span>
          )}
        </>
      }
      footer={
        <span className="tabular-nums">
          {view.matches === 0 ? 'No matches' : plural(view.matches, 'match', 'matches')}
          {view.truncated ? ', list cut' : ''}
        </span>
      }
    >
      {view.preview === '' ? null : <Output text={view.preview.trimEnd()} />}
    </CardFrame>
  );
}

/** A call that has no card of its own: its title and its text. */
export function GenericCard({ view }: { readonly view: Extract<ToolView, { kind: 'generic' }> }) {
  return (
    <CardFrame label={view.title} {...(view.title === '' ? {} : { header: view.title })}>
      {view.detail.trim() === '' ? (
        <p className="px-3 py-2 text-meta text-ink-3">Nothing more to show.</p>
      ) : (
        <Output text={view.detail.trimEnd()} />
      )}
    </CardFrame>
  );
}
