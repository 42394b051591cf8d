import type { Decision } from '../../shared/permission';
import { tildePath } from '../ui/format';
import { VisibleText } from '../ui/VisibleText';
import { whyItAsks } from './why';

/** One sentence: why it asks, by which rule, written where. */
export function WhyLine({
  id,
  decision,
  home,
}: {
  readonly id?: string;
  readonly decision: Decision;
  readonly home: string;
}) {
  const { reason, rule, place } = whyItAsks(decision);
  return (
    <p id={id} className="text-code text-ink-2 [overflow-wrap:anywhere]">
      {reason}
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
