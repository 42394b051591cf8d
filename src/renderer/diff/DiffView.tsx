import { memo, useMemo, useState } from 'react';
import type { DiffHunk } from '../../shared/tool-call';
import { Button } from '../ui/Button';
import { cx } from '../ui/cx';
import { plural } from '../ui/format';
import { AcrossRow, LINE_LOOKS, LineNumber, LineText } from './DiffLine';
import { type DiffRow, diffRows } from './diff-rows';
import { SplitRows } from './SplitRows';

export interface DiffViewProps {
  readonly hunks: readonly DiffHunk[];
  /** Rows drawn before "show all". */
  readonly limit?: number;
  /** Old and new side by side instead of one under the other. */
  readonly split?: boolean;
}

/** Rows in one block that the browser may skip while it is off screen. */
const CHUNK = 200;

/** A unified diff: line numbers of both sides, changed lines coloured, changed words marked. Nothing in it hides. */
export function DiffView({ hunks, limit = 400, split = false }: DiffViewProps) {
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
          key={`${split}:${index}`}
          split={split && bothSides}
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
  split,
}: {
  readonly split: boolean;
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
      {split ? (
        <SplitRows rows={rows} digits={digits} />
      ) : (
        rows.map((row) => <Row key={row.key} row={row} digits={digits} bothSides={bothSides} />)
      )}
    </div>
  );
});

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
  if (row.kind === 'gap' || row.kind === 'note') return <AcrossRow row={row} />;
  const look = LINE_LOOKS[row.kind];
  return (
    <div className={cx('flex', look.row)}>
      {bothSides ? <LineNumber value={row.oldLine} digits={digits} /> : null}
      <LineNumber value={row.newLine} digits={digits} />
      <LineText row={row} />
    </div>
  );
}

/** Digits of the highest line number. */
export function numberWidth(rows: readonly DiffRow[]): number {
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
