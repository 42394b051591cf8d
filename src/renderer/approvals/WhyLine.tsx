import type { Decision } from '../../shared/permission';
import { cx } from '../ui/cx';
import { tildePath, tildeText } from '../ui/format';
import { VisibleText } from '../ui/VisibleText';
import { whyItAsks } from './why';

/** One sentence: why it asks, by which rule, written where. */
export function WhyLine({
  id,
  decision,
  home,
  small = false,
}: {
  readonly id?: string;
  readonly decision: Decision;
  readonly home: string;
  /** Beside other facts. */
  readonly small?: boolean;
}) {
  const { reason, rule, place } = whyItAsks(decision);
  return (
    <p
      id={id}
      className={cx('text-ink-2 [overflow-wrap:anywhere]', small ? 'text-meta' : 'text-code')}
    >
      <VisibleText text={tildeText(reason, home)} />
      {rule === null ? null : (
        <>
          {' '}
          (rule{' '}
          <code className="rounded-sm border border-line bg-sunken px-1 text-[12px] text-ink">
            <VisibleText text={rule} />
          </code>{' '}
          in {tildePath(place ?? '', home)})
        </>
      )}
      .
    </p>
  );
}
