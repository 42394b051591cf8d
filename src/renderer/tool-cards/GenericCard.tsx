import type { ToolView } from '../../shared/tool-call';
import { CardFrame, Output } from './CardFrame';

/** A call that has no card of its own: its title and its text. */
export function GenericCard({ view }: { readonly view: Extract<ToolView, { kind: 'generic' }> }) {
  return (
    <CardFrame label={view.title} {...(view.title === '' ? {} : { header: view.title })}>
      {view.detail.trim() === '' ? (
        <p className="px-3 py-2 text-meta text-ink-3">Nothing more to show.</p>
      ) : (
        <Output text={view.detail.trimEnd()} />
      )}
    </CardFrame>
  );
}
