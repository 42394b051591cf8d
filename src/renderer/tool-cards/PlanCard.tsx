import type { ToolView } from '../../shared/tool-call';
import { PlanText } from '../approvals/PlanCard';
import { Badge } from '../ui/Badge';
import { CardFrame } from './CardFrame';

type PlanView = Extract<ToolView, { kind: 'plan' }>;

/** A plan as it stands now, and what became of it. */
export function PlanCard({ view }: { readonly view: PlanView }) {
  return (
    <CardFrame label="Plan" header={<PlanState view={view} />}>
      <div className="px-3 py-2">
        <PlanText plan={view.plan} />
        {view.feedback === undefined ? null : (
          <p className="mt-2 border-t border-line pt-2 text-code text-ink-2 [overflow-wrap:anywhere]">
            You said: {view.feedback}
          </p>
        )}
      </div>
    </CardFrame>
  );
}

/** Where a plan stands, in a word or two. */
export function PlanState({ view }: { readonly view: PlanView }) {
  switch (view.state) {
    case 'approved':
      return <Badge tone="done">{view.edited ? 'approved with your changes' : 'approved'}</Badge>;
    case 'rejected':
      return <Badge>not approved</Badge>;
    case 'proposed':
      return <Badge tone="waits">waits for you</Badge>;
  }
}
