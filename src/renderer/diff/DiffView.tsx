import {
  createContext,
  memo,
  type ReactNode,
  useCallback,
  useContext,
  useMemo,
  useState,
} from 'react';
import type { DiffHunk } from '../../shared/tool-call';
import { languageOf } from '../highlight/languages';
import { useHighlighted } from '../highlight/use-highlighted';
import { Button } from '../ui/Button';
import { cx } from '../ui/css';
import { plural } from '../ui/format';
import { Badge } from '../ui/Marks';
import { VisiblePath, VisibleText } from '../ui/VisibleText';
import type { TextLook } from '../ui/visible-text';
import {
  countChanges,
  type DiffRow,
  diffRows,
  diffSides,
  type LineRow,
  splitRows,
} from './diff-rows';

interface DiffViewProps {
  /** The file, whose name tells the language. */
  readonly path: string;
  readonly hunks: readonly DiffHunk[];
  /** Rows drawn before "show all". */
  readonly limit?: number;
  /** Old and new side by side instead of one under the other. */
  readonly split?: boolean;
  /** Called with the number of a line, as the file is now, that was pressed. */
  readonly onLine?: (line: number) => void;
}

/** Rows in one block that the browser may skip while it is off screen. */
const CHUNK = 200;

/** A unified diff: line numbers of both sides, changed lines coloured, changed words marked. Nothing in it hides. */
export function DiffView({ path, hunks, limit = 400, split = false, onLine }: DiffViewProps) {
  const rows = useMemo(() => diffRows(hunks), [hunks]);
  const [all, setAll] = useState(false);
  const shown = useMemo(() => (all ? rows : rows.slice(0, limit)), [rows, all, limit]);
  const blocks = useMemo(() => chunks(shown), [shown]);
  const digits = useMemo(() => numberWidth(rows), [rows]);
  const looksOf = useDiffLooks(rows, path);
  const bothSides = useMemo(() => rows.some((row) => row.kind !== 'added'), [rows]);
  if (rows.length === 0) return <p className="px-3 py-2 text-meta text-ink-3">No lines changed.</p>;
  return (
    <LooksContext value={looksOf}>
      <LineContext value={onLine}>
        <div className="font-mono text-source">
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
      </LineContext>
    </LooksContext>
  );
}

/** Returns the looks of a row's text; undefined while it is plain. */
type LooksOf = (row: LineRow) => readonly TextLook[] | undefined;

const LooksContext = createContext<LooksOf>(() => undefined);

const LineContext = createContext<((line: number) => void) | undefined>(undefined);

/** Colours both sides of a diff as the files they are parts of. */
function useDiffLooks(rows: readonly DiffRow[], path: string): LooksOf {
  const sides = useMemo(() => diffSides(rows), [rows]);
  const language = languageOf(path);
  const before = useHighlighted(sides.before.code, language, true);
  const after = useHighlighted(sides.after.code, language, true);
  return useCallback(
    ({ kind, key }) => {
      const [side, lines] = kind === 'removed' ? [sides.before, before] : [sides.after, after];
      return lines?.[side.lines.get(key) ?? -1];
    },
    [sides, before, after],
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
      <LineNumber value={row.newLine} digits={digits} isNew />
      <LineText row={row} />
    </div>
  );
}

/** Digits of the highest line number. */
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

interface FileDiffProps {
  readonly path: string;
  /** The path as the user should read it; shown whole. */
  readonly name?: string;
  readonly created: boolean;
  readonly hunks: readonly DiffHunk[];
  /** At the right of the header. */
  readonly actions?: ReactNode;
  readonly limit?: number;
  /** Old and new side by side instead of one under the other. */
  readonly split?: boolean;
}

/** One file's changes under a header with its path and counts. */
export function FileDiff({
  path,
  name = path,
  created,
  hunks,
  actions,
  limit,
  split = false,
}: FileDiffProps) {
  const { added, removed } = countChanges(hunks);
  return (
    <section
      aria-label={`Changes in ${name}`}
      data-path={path}
      className="overflow-hidden rounded-md border border-line bg-canvas"
    >
      <header className="flex items-center gap-2 border-b border-line bg-sunken px-3 py-1.5">
        <span className="min-w-0 flex-1 font-mono text-meta text-ink-2 [overflow-wrap:anywhere]">
          <VisiblePath text={name} />
        </span>
        {created ? <Badge>new file</Badge> : null}
        <ChangeCount added={added} removed={removed} />
        {actions}
      </header>
      <DiffView
        path={path}
        hunks={hunks}
        split={split}
        {...(limit === undefined ? {} : { limit })}
      />
    </section>
  );
}

/** "+4 −1" in the colours of a diff; a side that is 0 is left out. */
export function ChangeCount({
  added,
  removed,
}: {
  readonly added: number;
  readonly removed: number;
}) {
  return (
    <span
      role="img"
      aria-label={`${added} added, ${removed} removed`}
      className="inline-flex shrink-0 gap-1.5 font-mono text-meta tabular-nums"
    >
      {added > 0 || removed === 0 ? <span className="text-done">+{added}</span> : null}
      {removed > 0 ? <span className="text-failed">−{removed}</span> : null}
    </span>
  );
}

/** Rows of a diff with the old file at the left and the new one at the right. */
function SplitRows({
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
          <LineNumber value={number} digits={digits} isNew={right} />
          <LineText row={line} />
        </>
      )}
    </div>
  );
}

/** Drawing and reading of each kind of line. */
const LINE_LOOKS = {
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
function AcrossRow({ row }: { readonly row: Exclude<DiffRow, LineRow> }) {
  if (row.kind === 'note')
    return <div className="px-3 font-sans text-meta leading-5 text-ink-3">{row.text}</div>;
  return (
    <div className="select-none bg-sunken px-3 text-center font-sans text-meta leading-5 text-ink-3">
      {plural(row.count, 'line')} unchanged
    </div>
  );
}

/** The mark and the text of a line, with what changed inside it. */
function LineText({ row }: { readonly row: LineRow }) {
  const look = LINE_LOOKS[row.kind];
  const looks = useContext(LooksContext)(row);
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
          looks={looks}
          markedClassName={look.part}
          {...(row.part === null ? {} : { ranges: [row.part] })}
        />
      </span>
    </>
  );
}

/** A line number in the margin; null leaves it blank. */
function LineNumber({
  value,
  digits,
  isNew = false,
}: {
  readonly value: number | null;
  readonly digits: number;
  /** It numbers the file as it is now. */
  readonly isNew?: boolean;
}) {
  const onLine = useContext(LineContext);
  if (isNew && value !== null && onLine !== undefined) {
    return (
      <button
        type="button"
        // The keyboard has a button of its own for the whole of a change.
        tabIndex={-1}
        aria-label={`Comment on line ${value}`}
        onClick={() => onLine(value)}
        style={{ width: `${digits + 1.5}ch` }}
        className="flex shrink-0 select-none items-start justify-end pr-1 text-[11px] leading-5 text-ink-3 tabular-nums hover:bg-selected hover:text-ink"
      >
        {value}
      </button>
    );
  }
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
