import { cx } from '../ui/cx';
import { plural } from '../ui/format';
import { VisibleText } from '../ui/VisibleText';
import type { DiffRow } from './diff-rows';

/** A row that shows a line of the file. */
export type LineRow = Extract<DiffRow, { readonly oldLine: number | null }>;

/** How each kind of line is drawn and read out. */
export const LINE_LOOKS = {
  context: { row: '', mark: ' ', name: '', part: '' },
  added: { row: 'bg-added', mark: '+', name: 'added: ', part: 'rounded-sm bg-added-strong' },
  removed: {
    row: 'bg-removed',
    mark: '−',
    name: 'removed: ',
    part: 'rounded-sm bg-removed-strong',
  },
} as const;

/** A row that is no line: what was left out, or a note. */
export function AcrossRow({ row }: { readonly row: Exclude<DiffRow, LineRow> }) {
  if (row.kind === 'note')
    return <div className="px-3 font-sans text-meta leading-5 text-ink-3">{row.text}</div>;
  return (
    <div className="select-none bg-sunken px-3 text-center font-sans text-meta leading-5 text-ink-3">
      {plural(row.count, 'line')} unchanged
    </div>
  );
}

/** The mark and the text of a line, with what changed inside it. */
export function LineText({ row }: { readonly row: LineRow }) {
  const look = LINE_LOOKS[row.kind];
  return (
    <>
      <span
        aria-hidden
        className={cx(
          'w-6 shrink-0 select-none text-center',
          row.kind === 'added' && 'text-done',
          row.kind === 'removed' && 'text-failed',
        )}
      >
        {look.mark}
      </span>
      <span className="min-w-0 flex-1 whitespace-pre-wrap pr-3 [overflow-wrap:anywhere]">
        <span className="sr-only">{look.name}</span>
        <VisibleText
          text={row.text}
          markedClassName={look.part}
          {...(row.part === null ? {} : { ranges: [row.part] })}
        />
      </span>
    </>
  );
}

/** A line number in the margin; null leaves it blank. */
export function LineNumber({
  value,
  digits,
}: {
  readonly value: number | null;
  readonly digits: number;
}) {
  return (
    <span
      aria-hidden
      style={{ width: `${digits + 1.5}ch` }}
      className="shrink-0 select-none pr-1 text-right text-[11px] leading-5 text-ink-3 tabular-nums"
    >
      {value}
    </span>
  );
}
