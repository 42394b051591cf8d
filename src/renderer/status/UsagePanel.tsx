import type { ModelChoice } from '../../shared/settings';
import type { Transcript } from '../../shared/transcript';
import { cx } from '../ui/cx';
import { tokens } from '../ui/format';
import { Meter } from '../ui/Meter';
import {
  contextFacts,
  contextUse,
  fullNote,
  sessionFacts,
  speedFacts,
  type UsageFact,
} from './usage-facts';

/** What of the session the panel looks at. */
export type UsageSource = Pick<
  Transcript,
  'context' | 'model' | 'usage' | 'costUsd' | 'tokensPerSecond' | 'ttftMs'
>;

/** Context, tokens, cost and speed of a session, in numbers. */
export function UsagePanel({
  source,
  models,
}: {
  readonly source: UsageSource;
  readonly models: readonly ModelChoice[];
}) {
  const context = contextUse(source, models);
  const note = context === null ? null : fullNote(source, context.share);
  const speed = speedFacts(source);
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
        <Facts facts={contextFacts(source)} />
        {note === null ? null : <p className="mt-1 text-meta text-ink-2">{note}</p>}
      </section>
      <section>
        <Heading>This session</Heading>
        <Facts facts={sessionFacts(source)} />
      </section>
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
