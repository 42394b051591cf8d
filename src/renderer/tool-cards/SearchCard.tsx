import type { ToolView } from '../../shared/tool-call';
import { plural } from '../ui/format';
import { CardFrame, Output } from './CardFrame';

/** What was searched for, where, and the first hits. */
export function SearchCard({ view }: { readonly view: Extract<ToolView, { kind: 'search' }> }) {
  return (
    <CardFrame
      label="Matches"
      header={
        <>
          <span className="text-ink">{view.pattern}</span>
          {view.path === '' ? null : <span className="text-ink-3"> in {view.path}</span>}
        </>
      }
      footer={
        <span className="tabular-nums">
          {view.matches === 0 ? 'No matches' : plural(view.matches, 'match', 'matches')}
          {view.truncated ? ', list cut' : ''}
        </span>
      }
    >
      {view.preview === '' ? null : <Output text={view.preview.trimEnd()} />}
    </CardFrame>
  );
}
