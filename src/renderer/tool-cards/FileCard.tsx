import type { ToolView } from '../../shared/tool-call';
import { plural } from '../ui/format';
import { CardFrame } from './CardFrame';
import type { OnCardAction } from './card-action';
import { OpenFileButton } from './OpenFileButton';

type FileView = Extract<ToolView, { kind: 'file' }>;

/** What was read of a file, with its line numbers. */
export function FileCard({
  view,
  onAction,
}: {
  readonly view: FileView;
  readonly onAction: OnCardAction;
}) {
  const lines = view.preview === '' ? [] : view.preview.replace(/\n$/, '').split('\n');
  const digits = String(view.startLine + lines.length).length;
  return (
    <CardFrame
      label={`Lines of ${view.path}`}
      header={view.path}
      actions={<OpenFileButton path={view.path} line={view.startLine} onAction={onAction} />}
      footer={<span className="tabular-nums">{extent(view, lines.length)}</span>}
    >
      {lines.length === 0 ? null : (
        <pre className="py-2 text-[12.5px] leading-5">
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
                {line === '' ? '\u00a0' : line}
              </span>
            </span>
          ))}
        </pre>
      )}
    </CardFrame>
  );
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
