import { useMemo } from 'react';
import { cx } from '../ui/cx';
import { AcrossRow, LINE_LOOKS, LineNumber, type LineRow, LineText } from './DiffLine';
import type { DiffRow } from './diff-rows';
import { splitRows } from './split-rows';

/** Rows of a diff with the old file at the left and the new one at the right. */
export function SplitRows({
  rows,
  digits,
}: {
  readonly rows: readonly DiffRow[];
  readonly digits: number;
}) {
  const pairs = useMemo(() => splitRows(rows), [rows]);
  return pairs.map((row) =>
    row.kind === 'pair' ? (
      <div key={row.key} className="grid grid-cols-2">
        <Side line={row.left} number={row.left?.oldLine ?? null} digits={digits} />
        <Side line={row.right} number={row.right?.newLine ?? null} digits={digits} right />
      </div>
    ) : (
      <AcrossRow key={row.key} row={row} />
    ),
  );
}

function Side({
  line,
  number,
  digits,
  right = false,
}: {
  readonly line: LineRow | null;
  readonly number: number | null;
  readonly digits: number;
  readonly right?: boolean;
}) {
  return (
    <div
      className={cx(
        'flex min-w-0',
        right && 'border-l border-line',
        line === null ? 'bg-sunken' : LINE_LOOKS[line.kind].row,
      )}
    >
      {line === null ? null : (
        <>
          <LineNumber value={number} digits={digits} />
          <LineText row={line} />
        </>
      )}
    </div>
  );
}
