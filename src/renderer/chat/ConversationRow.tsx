import type { Transcript } from '../../shared/transcript';
import { CallRow } from '../tool-cards/CallRow';
import type { OnCardAction } from '../tool-cards/card-action';
import { cx } from '../ui/cx';
import { CompactingRow } from './CompactingRow';
import { DividerRow } from './DividerRow';
import { EndRow } from './EndRow';
import { HookRow } from './HookRow';
import { LiveRow } from './LiveRow';
import { Markdown } from './Markdown';
import { type PromptMenu, PromptRow } from './PromptRow';
import type { Row } from './rows';
import { ThinkingRow } from './ThinkingRow';

export interface ConversationRowProps {
  readonly row: Row;
  readonly transcript: Transcript;
  readonly open: boolean;
  readonly onToggle: (id: string, open: boolean) => void;
  readonly onAction: OnCardAction;
  readonly promptMenu: PromptMenu | undefined;
}

/** One row with the space around it. Neighbouring calls stand close; a new prompt stands apart. */
export function ConversationRow(props: ConversationRowProps) {
  return (
    <div
      className={cx('mx-auto w-full max-w-[calc(var(--prose-width)+48px)] px-6', space(props.row))}
    >
      <Body {...props} />
    </div>
  );
}

function space(row: Row): string {
  if (row.kind === 'live') return 'pt-1 pb-3';
  switch (row.item.kind) {
    case 'prompt':
      return row.place === 'last' ? 'pt-1 pb-3' : 'pt-6 pb-3 first:pt-3';
    case 'text':
      return 'px-8 py-1.5';
    case 'thinking':
    case 'hook':
      return 'py-0.5';
    case 'call':
      return row.place === 'middle'
        ? ''
        : row.place === 'first'
          ? 'pt-1'
          : row.place === 'last'
            ? 'pb-1'
            : 'py-1';
    case 'divider':
      return 'py-2';
    case 'end':
      return 'pt-2 pb-3';
  }
}

function Body({ row, transcript, open, onToggle, onAction, promptMenu }: ConversationRowProps) {
  if (row.kind === 'live') {
    const { compacting, waiting } = transcript;
    return compacting && waiting === null ? (
      <CompactingRow compacting={compacting} onAction={onAction} />
    ) : (
      <LiveRow transcript={transcript} onAction={onAction} />
    );
  }
  const { item } = row;
  switch (item.kind) {
    case 'prompt':
      return <PromptRow prompt={item} menu={promptMenu} />;
    case 'text':
      return <Markdown text={item.text} done={item.done} />;
    case 'thinking':
      return <ThinkingRow item={item} open={open} onToggle={onToggle} />;
    case 'call':
      return <CallRow call={item} open={open} onToggle={onToggle} onAction={onAction} />;
    case 'hook':
      return <HookRow report={item.report} open={open} onToggle={onToggle} />;
    case 'divider':
      return <DividerRow item={item} />;
    case 'end':
      return <EndRow item={item} />;
  }
}
