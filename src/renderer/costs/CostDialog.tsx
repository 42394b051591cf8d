import { CircleDollarSign } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { SessionSummary } from '../../shared/contract';
import type { CostView } from '../../shared/cost-view';
import type { Result } from '../../shared/result';
import type { Project } from '../../shared/settings';
import { useModels } from '../status/models';
import { useLathe, useScreen } from '../store/use-lathe';
import { Button } from '../ui/Button';
import { cx } from '../ui/css';
import { Dialog } from '../ui/Dialog';
import { money, plural, tokens } from '../ui/format';
import { Meter, Spinner } from '../ui/Marks';
import { EmptyState, Notice } from '../ui/Notice';
import {
  type CostBar,
  type CostLine,
  dayBars,
  GROUPINGS,
  type Grouping,
  linesOf,
} from './cost-lines';

/** Between two looks while the dialog is open. Milliseconds. */
const LOOK_EVERY_MS = 5_000;

const NO_SESSIONS: readonly SessionSummary[] = [];

/** Shows what all sessions cost: today against the limit, what it went to, and the last thirty days. */
export function CostDialog({
  project,
  onClose,
}: {
  readonly project: Project;
  readonly onClose: () => void;
}) {
  const { store } = useLathe();
  const found = useCosts(project.path);
  const toLimits = () => store.setState({ dialog: { kind: 'settings', page: 'models' } });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="lg"
      title="Costs"
      description="Of all sessions on this machine, in windows and on the command line."
      footer={<Button onClick={toLimits}>Limits…</Button>}
    >
      {found === null ? (
        <p role="status" className="flex items-center gap-2 py-6 text-meta text-ink-3">
          <Spinner size={12} /> Adding up
        </p>
      ) : found.ok ? (
        <Costs view={found.value} />
      ) : (
        <Notice level="error" title={found.error.message}>
          {found.error.fix}
        </Notice>
      )}
    </Dialog>
  );
}

/** Asks for the costs now and again while it is mounted and the window can be seen. */
function useCosts(project: string): Result<CostView> | null {
  const lathe = useLathe();
  const [found, setFound] = useState<Result<CostView> | null>(null);
  useEffect(() => {
    let wanted = true;
    let asking = false;
    const look = async () => {
      if (asking || document.hidden) return;
      asking = true;
      const result = await lathe.ask((client) => client.costs.view({ project }));
      asking = false;
      if (wanted) setFound(result);
    };
    void look();
    const timer = setInterval(() => void look(), LOOK_EVERY_MS);
    return () => {
      wanted = false;
      clearInterval(timer);
    };
  }, [lathe, project]);
  return found;
}

function Costs({ view }: { readonly view: CostView }) {
  const sessions = useScreen((s) => s.app?.sessions) ?? NO_SESSIONS;
  const models = useModels();
  const [grouping, setGrouping] = useState<Grouping>('bySession');
  const { today, days, limitUsd, raisedUsd } = view;
  const lines = linesOf(today, grouping, { sessions, models });
  const days30 = days.reduce((sum, { usd }) => sum + usd, 0);
  return (
    <div className="flex flex-col gap-6">
      <section aria-label="Today" className="flex flex-wrap items-end gap-x-10 gap-y-3">
        <Figure label="Today" value={money(today.usd)} large />
        <Figure label="In the last hour" value={money(today.lastHourUsd)} />
        <Figure label="Requests" value={String(today.requests)} />
        <Figure
          label="Tokens in / out"
          value={`${tokens(inputOf(view))} / ${tokens(today.usage.outputTokens)}`}
        />
        <div className="min-w-48 flex-1">
          {limitUsd === null ? (
            <p className="text-meta text-ink-3">No limit for a day is set.</p>
          ) : (
            <>
              <Meter share={today.usd / limitUsd} label="Spent of the limit of today" wide />
              <p className="mt-1.5 text-meta text-ink-2 tabular-nums">
                {today.usd > limitUsd
                  ? `${money(today.usd - limitUsd)} over the limit of ${money(limitUsd)}`
                  : `${money(limitUsd - today.usd)} left of ${money(limitUsd)}`}
                {raisedUsd > 0 ? ` (raised by ${money(raisedUsd)} for today)` : ''}
              </p>
            </>
          )}
        </div>
      </section>
      <section aria-label="What it went to">
        <div role="tablist" aria-label="Costs of today by" className="mb-2 flex gap-1">
          {GROUPINGS.map(({ id, label }) => (
            <button
              key={id}
              type="button"
              role="tab"
              aria-selected={grouping === id}
              onClick={() => setGrouping(id)}
              className="h-7 rounded-md px-2.5 text-code text-ink-2 hover:bg-hover aria-selected:bg-selected aria-selected:font-medium aria-selected:text-ink"
            >
              {label}
            </button>
          ))}
        </div>
        {lines.length === 0 ? (
          <EmptyState
            icon={CircleDollarSign}
            title="Nothing was spent today"
            text="What the model costs is added up here as it comes."
          />
        ) : (
          <Lines lines={lines} />
        )}
      </section>
      {today.misses.length === 0 ? null : (
        <section aria-label="Missed prompt caches">
          <h3 className="mb-1 text-meta font-medium text-ink-3">
            Why the prompt cache was missed today
          </h3>
          <ul className="flex flex-col">
            {today.misses.map(({ reason, count }) => (
              <li key={reason} className="flex items-baseline gap-3 py-0.5 text-code">
                <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">{reason}</span>
                <span className="shrink-0 text-meta text-ink-3 tabular-nums">
                  {plural(count, 'time')}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section aria-label="Last thirty days">
        <h3 className="mb-2 flex items-baseline text-meta font-medium text-ink-3">
          <span className="flex-1">Last thirty days</span>
          <span className="tabular-nums">{money(days30)}</span>
        </h3>
        <Bars bars={dayBars(days)} />
      </section>
    </div>
  );
}

const inputOf = ({ today: { usage } }: CostView): number =>
  usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;

function Figure({
  label,
  value,
  large = false,
}: {
  readonly label: string;
  readonly value: string;
  readonly large?: boolean;
}) {
  return (
    <p className="flex flex-col tabular-nums">
      <span className="text-meta text-ink-3">{label}</span>
      <span
        className={cx(
          'leading-9',
          // On the line that the large ones stand on.
          large ? 'text-[28px] font-semibold' : 'relative top-1 text-title',
        )}
      >
        {value}
      </span>
    </p>
  );
}

/** Names with a bar for their part of the day. */
const Lines = ({ lines }: { readonly lines: readonly CostLine[] }) => (
  <ul className="flex flex-col">
    {lines.map(({ id, name, note, usd, requests, share }) => (
      <li key={id} className="flex h-8 items-center gap-3 text-code">
        <span className="flex min-w-0 flex-1 items-baseline gap-2">
          <span className="truncate" title={name}>
            {name}
          </span>
          {note === '' ? null : <span className="shrink-0 text-meta text-ink-3">{note}</span>}
        </span>
        <span aria-hidden className="hidden h-1.5 w-32 shrink-0 rounded-full bg-sunken sm:block">
          <span
            data-drawn
            className="block h-full rounded-full bg-accent"
            style={{ width: `${Math.max(1, share * 100)}%` }}
          />
        </span>
        <span className="w-18 shrink-0 text-right sm:w-24 text-meta text-ink-3 tabular-nums">
          {plural(requests, 'request')}
        </span>
        <span className="w-14 shrink-0 text-right sm:w-16 tabular-nums">{money(usd)}</span>
      </li>
    ))}
  </ul>
);

/** A bar for each day; the numbers are read out by screen readers and shown on pointing. */
const Bars = ({ bars }: { readonly bars: readonly CostBar[] }) => (
  <ol className="flex h-20 items-end gap-1 border-b border-line">
    {bars.map(({ day, label, usd, share }) => (
      <li
        key={day}
        title={`${label}: ${money(usd)}`}
        className="flex h-full flex-1 items-end rounded-t-sm hover:bg-hover"
      >
        <span className="sr-only">{`${label}: ${money(usd)}`}</span>
        {usd > 0 ? (
          <span
            aria-hidden
            className="w-full rounded-t-sm bg-accent"
            style={{ height: `${Math.max(3, share * 100)}%` }}
          />
        ) : null}
      </li>
    ))}
  </ol>
);
