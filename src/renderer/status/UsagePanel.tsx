import { useEffect } from 'react';
import type { ModelChoice } from '../../shared/settings';
import type { Transcript } from '../../shared/transcript';
import { changeContext } from '../context/SummaryDialog';
import { currentTranscript } from '../store/screen';
import { useLathe, useScreen } from '../store/use-lathe';
import { Button } from '../ui/Button';
import { cx } from '../ui/css';
import { money, tokens } from '../ui/format';
import { Meter } from '../ui/Marks';
import { Popover } from '../ui/Menu';
import {
  contextFacts,
  contextUse,
  fullNote,
  layerFacts,
  pinFacts,
  planFacts,
  sessionFacts,
  speedFacts,
  type UsageFact,
} from './usage-facts';

/** The status bar item of context use and cost; opens the panel with the numbers. */
export function UsageMeter({ models }: { readonly models: readonly ModelChoice[] }) {
  const { store } = useLathe();
  const open = useScreen((s) => s.usageOpen);
  const context = useScreen((s) => currentTranscript(s)?.context ?? null);
  const model = useScreen((s) => currentTranscript(s)?.model ?? '');
  const costUsd = useScreen((s) => currentTranscript(s)?.costs.total.costUsd ?? null);
  if (costUsd === null) return null;
  const use = contextUse({ context, model }, models);
  return (
    <Popover
      label="Usage of this session"
      open={open}
      onOpenChange={(usageOpen) => store.setState({ usageOpen })}
      trigger={
        <button
          type="button"
          className="flex h-6 shrink-0 items-center gap-1.5 whitespace-nowrap rounded-sm px-1.5 tabular-nums hover:bg-hover hover:text-ink data-[state=open]:bg-hover"
        >
          <span className="sr-only">Usage: </span>
          {use === null ? null : (
            <>
              <span className="text-ink-3 @max-4xl:hidden">context </span>
              <span aria-hidden className="flex @max-lg:hidden">
                <Meter share={use.share} label="Context used" />
              </span>
              <span className="mr-1.5">{Math.round(use.share * 100)} % </span>
            </>
          )}
          <span>{money(costUsd)}</span>
        </button>
      }
    >
      <Numbers models={models} />
    </Popover>
  );
}

/** Follows the session only while it is open. */
function Numbers({ models }: { readonly models: readonly ModelChoice[] }) {
  const transcript = useScreen(currentTranscript);
  const sessionId = useScreen((s) => s.sessionId);
  const lathe = useLathe();
  const { store } = lathe;
  const isUncounted = transcript !== null && transcript.context?.parts === undefined;
  // What a resumed session sends is known before it has sent it.
  useEffect(() => {
    if (sessionId !== null && isUncounted)
      void changeContext(lathe, sessionId, { kind: 'measure' });
  }, [lathe, sessionId, isUncounted]);
  return transcript === null ? null : (
    <UsagePanel
      source={transcript}
      models={models}
      onSummarise={() => store.setState({ usageOpen: false, dialog: { kind: 'summary' } })}
      onCosts={() => store.setState({ usageOpen: false, dialog: { kind: 'costs' } })}
    />
  );
}

/** The part of the transcript the panel shows. */
type UsageSource = Pick<
  Transcript,
  | 'context'
  | 'model'
  | 'costs'
  | 'promptsAnswered'
  | 'roundTrips'
  | 'tokensPerSecond'
  | 'ttftMs'
  | 'layers'
  | 'cleared'
  | 'pins'
  | 'draft'
  | 'planLimits'
>;

/** Context, tokens, cost and speed of a session, in numbers. */
export function UsagePanel({
  source,
  models,
  onSummarise,
  onCosts,
}: {
  readonly source: UsageSource;
  readonly models: readonly ModelChoice[];
  readonly onSummarise: () => void;
  readonly onCosts: () => void;
}) {
  const context = contextUse(source, models);
  const note = context === null ? null : fullNote(source, context.share);
  const left = layerFacts(source);
  const speed = speedFacts(source);
  const plan = planFacts(source, (seconds) =>
    new Date(seconds * 1000).toLocaleString([], { dateStyle: 'short', timeStyle: 'short' }),
  );
  return (
    <div className="flex flex-col gap-3">
      <section>
        <Heading>Context</Heading>
        {context === null ? (
          <p className="text-ink-3">Counted with the first answer.</p>
        ) : (
          <>
            <Meter share={context.share} label="Context used" wide />
            <p className="mt-1.5 mb-1 tabular-nums">
              {tokens(context.used)} of {tokens(context.window)} tokens
              <span className="text-ink-3"> · {Math.round(context.share * 100)} %</span>
            </p>
          </>
        )}
        <Facts facts={[...contextFacts(source, models), ...pinFacts(source)]} />
        {note === null ? null : <p className="mt-1 text-meta text-ink-2">{note}</p>}
        <div className="mt-2">
          <Button size="sm" onClick={onSummarise}>
            {source.draft === null ? 'Summarise…' : 'Look at the summary…'}
          </Button>
        </div>
      </section>
      {left.length === 0 ? null : (
        <section>
          <Heading>Left out so far</Heading>
          <Facts facts={left} />
        </section>
      )}
      <section>
        <Heading>This session</Heading>
        <Facts facts={sessionFacts(source)} />
        <div className="mt-2">
          <Button size="sm" onClick={onCosts}>
            Costs of all sessions…
          </Button>
        </div>
      </section>
      {plan.length === 0 ? null : (
        <section>
          <Heading>Used of your plan</Heading>
          <Facts facts={plan} />
        </section>
      )}
      {speed.length === 0 ? null : (
        <section>
          <Heading>Last request</Heading>
          <Facts facts={speed} />
        </section>
      )}
    </div>
  );
}

const Heading = ({ children }: { readonly children: string }) => (
  <h2 className="mb-1 text-meta font-medium text-ink-3">{children}</h2>
);

/** Lower-case labels are parts of the line before them. */
const Facts = ({ facts }: { readonly facts: readonly UsageFact[] }) => (
  <dl>
    {facts.map(({ label, value, note }) => (
      <div key={label} className="flex items-baseline gap-2 leading-6">
        <dt className={cx('flex-1', /^[a-z]/.test(label) ? 'pl-3 text-ink-3' : 'text-ink-2')}>
          {label}
        </dt>
        <dd className="tabular-nums">
          {note === undefined ? null : <span className="mr-2 text-meta text-ink-3">{note}</span>}
          {value}
        </dd>
      </div>
    ))}
  </dl>
);
