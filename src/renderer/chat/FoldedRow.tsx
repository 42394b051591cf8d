import { ChevronRight } from 'lucide-react';
import { memo, useId } from 'react';
import type { CallItem } from '../../shared/transcript';
import type { OnCardAction } from '../tool-cards/CardFrame';
import { cx } from '../ui/css';
import { plural, timeTaken } from '../ui/format';
import { StateGlyph } from '../ui/Marks';
import { VisibleText } from '../ui/VisibleText';
import { ConversationRow } from './ConversationRow';
import { FoldButton } from './FoldingRows';
import type { FoldRow, ItemRow } from './rows';

/** Several calls as one line; open, each has its own line below. */
export const FoldedRow = memo(function FoldedRow({
  row,
  openIds,
  onToggle,
  onAction,
}: {
  readonly row: FoldRow;
  /** The folded rows and calls that are open. */
  readonly openIds: ReadonlySet<string>;
  readonly onToggle: (id: string, open: boolean) => void;
  readonly onAction: OnCardAction;
}) {
  const bodyId = useId();
  const open = openIds.has(row.key);
  const { verb, targets, facts, failed } = foldWords(row.rows);
  return (
    <>
      <div className="prose-column py-1">
        <FoldButton id={row.key} open={open} onToggle={onToggle} controls={bodyId}>
          <StateGlyph state={failed > 0 ? 'failed' : 'done'} quiet={failed === 0} />
          <span className="shrink-0 font-medium text-ink-2">{verb}</span>
          <span className="min-w-0 flex-1 truncate font-mono text-[12.5px]">
            <VisibleText text={open ? '' : targets} />
          </span>
          <span className={cx('shrink-0 text-meta tabular-nums', failed > 0 && 'text-failed')}>
            {facts}
          </span>
          <ChevronRight
            size={13}
            aria-hidden
            className={cx(
              'shrink-0 transition-transform duration-100',
              open ? 'rotate-90' : 'opacity-60 group-hover:opacity-100',
            )}
          />
        </FoldButton>
      </div>
      {open ? (
        <div id={bodyId} className="[&>.prose-column]:pl-9">
          {row.rows.map((own) => (
            <ConversationRow
              key={own.key}
              row={own}
              open={openIds.has(own.item.id)}
              onToggle={onToggle}
              onAction={onAction}
              promptMenu={undefined}
            />
          ))}
        </div>
      ) : null}
    </>
  );
});

/** Characters of the targets that are worth drawing: the line cuts them anyway. */
const MAX_TARGETS = 300;

/** Returns the words of a folded row: "Read 5 files", their names, and how long it all took. Pure. */
export function foldWords(rows: readonly ItemRow[]): {
  readonly verb: string;
  readonly targets: string;
  readonly facts: string;
  readonly failed: number;
} {
  const calls = rows.flatMap(({ item }) => (item.kind === 'call' ? [item] : []));
  const failed = calls.filter(({ status }) => status === 'failed').length;
  const files = calls.every(({ view }) => view?.kind === 'file');
  const took = timeTaken(spanMs(calls));
  return {
    verb: files ? `Read ${plural(calls.length, 'file')}` : plural(calls.length, 'call'),
    targets: targetsOf(calls).join(', ').slice(0, MAX_TARGETS),
    facts: [failed > 0 ? `${failed} failed` : '', took].filter((part) => part !== '').join(' · '),
    failed,
  };
}

/** Returns what the calls were about: the files of reads, else the tools, each named once. */
const targetsOf = (calls: readonly CallItem[]): readonly string[] => {
  const files = calls.every(({ view }) => view?.kind === 'file');
  return [...new Set(calls.map(({ title }) => (files ? title.target : title.verb)))];
};

/** Returns the time from the beginning of the first call to the end of the last, in milliseconds. */
function spanMs(calls: readonly CallItem[]): number {
  const times = calls.flatMap(({ startedAt, durationMs }) =>
    startedAt === undefined || durationMs === undefined ? [] : [{ startedAt, durationMs }],
  );
  if (times.length === 0) return 0;
  const end = Math.max(...times.map(({ startedAt, durationMs }) => startedAt + durationMs));
  return end - Math.min(...times.map(({ startedAt }) => startedAt));
}
