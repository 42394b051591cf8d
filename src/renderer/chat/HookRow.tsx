import { ChevronRight } from 'lucide-react';
import { memo } from 'react';
import type { HookReport } from '../../shared/hooks';
import { CardFrame, Output } from '../tool-cards/CardFrame';
import { CopyButton } from '../ui/CopyButton';
import { cx } from '../ui/cx';
import { duration } from '../ui/format';
import { StateGlyph } from '../ui/StateGlyph';
import { VisibleText } from '../ui/VisibleText';
import { FoldLine } from './FoldLine';
import { hookLine, hookState } from './hook-line';

/** One hook that said, changed or stopped something: a thin line that opens. Nothing it printed can hide. */
export const HookRow = memo(function HookRow({
  report,
  open,
  onToggle,
}: {
  readonly report: HookReport;
  readonly open: boolean;
  readonly onToggle: (id: string, open: boolean) => void;
}) {
  const { event, subject, outcome } = report;
  return (
    <FoldLine
      id={report.id}
      open={open}
      onToggle={onToggle}
      line={
        <>
          <StateGlyph state={hookState(outcome)} quiet={outcome === 'done'} />
          <span className="shrink-0 text-ink-2">
            Hook <span className="font-medium">{event}</span>
            {subject === '' ? '' : ` (${subject})`}
          </span>
          <span className={cx('min-w-0 flex-1 truncate', outcome === 'failed' && 'text-failed')}>
            <VisibleText text={hookLine(report)} />
          </span>
          <span className="shrink-0 text-meta tabular-nums">{duration(report.durationMs)}</span>
          <ChevronRight
            size={13}
            aria-hidden
            className={cx(
              'shrink-0 transition-transform duration-100',
              open ? 'rotate-90' : 'opacity-60 group-hover:opacity-100',
            )}
          />
        </>
      }
    >
      <HookCard report={report} />
    </FoldLine>
  );
});

/** What ran, all it said, and what it kept back. */
function HookCard({ report }: { readonly report: HookReport }) {
  const { run, exitCode, durationMs, file } = report;
  const parts = [
    ['It said', report.note],
    ['Standard error', report.stderr],
    ['Standard output', report.stdout],
    ['Your prompt, not sent', report.keptPrompt ?? ''],
  ] as const;
  const shown = parts.filter(
    ([, text], at) =>
      text.trim() !== '' && !parts.slice(0, at).some(([, before]) => before.trim() === text.trim()),
  );
  const facts = [exitCode === null ? '' : `exit code ${exitCode}`, duration(durationMs), file];
  return (
    <CardFrame
      label="Hook"
      header={<VisibleText text={run} />}
      actions={<CopyButton text={() => run} label="Copy the command" />}
      footer={<VisibleText text={facts.filter((fact) => fact !== '').join(' · ')} />}
    >
      {shown.map(([title, text]) => (
        <section key={title}>
          <p className="px-3 pt-2 text-meta text-ink-3">{title}</p>
          <Output text={text.trimEnd()} revealing />
        </section>
      ))}
    </CardFrame>
  );
}
