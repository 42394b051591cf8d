import type { CallItem } from '../../shared/transcript';
import { CallError } from './CallError';
import { readableError } from './call-summary';
import type { OnCardAction } from './card-action';
import { DiffCard } from './DiffCard';
import { FileCard } from './FileCard';
import { GenericCard } from './GenericCard';
import { PlanCard } from './PlanCard';
import { QuestionCard } from './QuestionCard';
import { SearchCard } from './SearchCard';
import { ShellCard } from './ShellCard';
import { TodoCard } from './TodoCard';

export interface CardProps {
  readonly call: CallItem;
  readonly onAction: OnCardAction;
}

/** The inside of one call, by the kind of its view, with the error under it when it failed. */
export function CallCard({ call, onAction }: CardProps) {
  const error = readableError(call.error ?? '');
  const view = <View call={call} onAction={onAction} />;
  // A command's own output says more than the copy of it that the model got.
  const shellSaysIt = call.view?.kind === 'shell' && call.view.tail.trim() !== '';
  if (error === '' || shellSaysIt) return view;
  return (
    <div className="flex flex-col gap-2">
      <CallError text={error} denied={call.status === 'denied'} />
      {view}
    </div>
  );
}

function View({ call, onAction }: CardProps) {
  const { view } = call;
  if (view === null) return null;
  switch (view.kind) {
    case 'shell':
      return <ShellCard call={call} view={view} onAction={onAction} />;
    case 'diff':
      return <DiffCard view={view} onAction={onAction} />;
    case 'file':
      return <FileCard view={view} onAction={onAction} />;
    case 'search':
      return <SearchCard view={view} />;
    case 'todo':
      return <TodoCard view={view} />;
    case 'question':
      return <QuestionCard view={view} />;
    case 'plan':
      return <PlanCard view={view} />;
    case 'generic':
      return <GenericCard view={view} />;
  }
}
