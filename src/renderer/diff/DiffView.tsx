import { memo, useMemo, useState } from 'react';
import type { DiffHunk } from '../../shared/tool-call';
import { Button } from '../ui/Button';
import { cx } from '../ui/cx';
import { plural } from '../ui/format';
import { VisibleText } from '../ui/VisibleText';
import { type DiffRow, diffRows } from './diff-rows';

export interface DiffViewProps {
  readonly hunks: readonly DiffHunk[];
  /** Rows drawn before "show all". */
  readonly limit?: number;
}

/** Rows in one block that the browser may skip while it is off screen. */
const CHUNK = 200;

/** A unified diff: line numbers of both sides, changed lines coloured, changed words marked. Nothing in it hides. */
export function DiffView({ hunks, limit = 400 }: DiffViewProps) {
  const rows = useMemo(() => diffRows(hunks), [hunks]);
  const [all, setAll] = useState(false);
  const shown = useMemo(() => (all ? rows : rows.slice(0, limit)), [rows, all, limit]);
  const blocks = useMemo(() => chunks(shown), [shown]);
  const digits = useMemo(() => numberWidth(rows), [rows]);
  const bothSides = useMemo(() => rows.some((row) => row.kind !== 'added'), [rows]);
  if (rows.length === 0) return <p className="px-3 py-2 text-meta text-ink-3">No lines changed.</p>;
  return (
    <div className="overflow-x-auto font-mono text-code">
      {blocks.map((chunk, index) => (
        <Chunk
          key={index}
          rows={chunk}
          digits={digits}
          bothSides={bothSides}
          skippable={shown.length > CHUNK}
        />
      ))}
      {shown.length < rows.length ? (
        <div className="flex items-center gap-3 border-t border-line px-3 py-2 font-sans">
          <span className="text-meta text-ink-2">
            {plural(rows.length - shown.length, 'more line')}
          </span>
          <Button size="sm" onClick={() => setAll(true)}>
            Show all
          </Button>
        </div>
      ) : null}
    </div>
  );
}

const Chunk = memo(function Chunk({
  rows,
  digits,
  bothSides,
  skippable,
}: {
  readonly rows: readonly DiffRow[];
  readonly digits: number;
  readonly bothSides: boolean;
  readonly skippable: boolean;
}) {
  const style = skippable
    ? ({
        contentVisibility: 'auto',
        containIntrinsicSize: `auto ${rows.length * 20}px`,
      } as const)
    : undefined;
  return (
    <div style={style}>
      {rows.map((row) => (
        <Row key={row.key} row={row} digits={digits} bothSides={bothSides} />
      ))}
    </div>
  );
});

const LOOKS = {
  context: { row: '', mark: ' ', name: '', part: '' },
  added: { row: 'bg-added', mark: '+', name: 'added: ', part: 'rounded-sm bg-added-strong' },
  removed: {
    row: 'bg-removed',
    mark: '−',
    name: 'removed: ',
    part: 'rounded-sm bg-removed-strong',
  },
} as const;

function Row({
  row,
  digits,
  bothSides,
}: {
  readonly row: DiffRow;
  readonly digits: number;
  /** False for a new file, which has no old line numbers. */
  readonly bothSides: boolean;
}) {
  if (row.kind === 'gap')
    return (
      <div className="select-none bg-sunken px-3 text-center font-sans text-meta leading-5 text-ink-3">
        {plural(row.count, 'line')} unchanged
      </div>
    );
  if (row.kind === 'note')
    return <div className="px-3 font-sans text-meta leading-5 text-ink-3">{row.text}</div>;
  const look = LOOKS[row.kind];
  return (
    <div className={cx('flex', look.row)}>
      {bothSides ? <LineNumber value={row.oldLine} digits={digits} /> : null}
      <LineNumber value={row.newLine} digits={digits} />
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
    </div>
  );
}

function LineNumber({ value, digits }: { readonly value: number | null; readonly digits: number }) {
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

function numberWidth(rows: readonly DiffRow[]): number {
  const highest = rows.reduce(
    (top, row) => ('oldLine' in row ? Math.max(top, row.oldLine ?? 0, row.newLine ?? 0) : top),
    0,
  );
  return String(highest).length;
}

function chunks(rows: readonly DiffRow[]): readonly (readonly DiffRow[])[] {
  return Array.from({ length: Math.ceil(rows.length / CHUNK) }, (_, i) =>
    rows.slice(i * CHUNK, (i + 1) * CHUNK),
  );
}
