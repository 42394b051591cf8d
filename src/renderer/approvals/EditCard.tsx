import { ShieldQuestion } from 'lucide-react';
import { type KeyboardEvent, useId, useRef, useState } from 'react';
import type { RuleSuggestion } from '../../shared/permission';
import { useKeymap } from '../commands/use-keymap';
import { FileDiff } from '../diff/DiffView';
import { Segmented } from '../ui/Fields';
import { tildePath } from '../ui/format';
import { onApple, pressOf } from '../ui/keys';
import { useLinesBelow } from '../ui/ScrollArea';
import type { CardProps } from './ApprovalCard';
import { AskingFooter } from './AskingFooter';
import { DialogFrame } from './DialogFrame';
import {
  type EditApproval,
  fileIntent,
  sameReason,
  sharedSuggestions,
  titleOfEdits,
} from './edit-group';
import { FileList, FileNotes } from './FileList';
import type { AnswerIntent } from './guard';
import { useAsking } from './use-asking';
import { WhyLine } from './WhyLine';

/** The drawing of changes. */
export type DiffLayout = 'unified' | 'split';

const LAYOUTS = [
  { value: 'unified', label: 'Unified' },
  { value: 'split', label: 'Side by side' },
] as const;

/** Rows of diff drawn before "show all", of all files together. */
const DIFF_LIMIT = 1000;

/** Files that would be changed: one, or several of one response. All are answered together, or each alone. */
export function EditCard({
  edits,
  layout,
  onLayout,
  queue,
  onAnswer,
  home,
  replay,
}: CardProps & {
  /** At least one; each keeps its position for as long as it is there. */
  readonly edits: readonly EditApproval[];
  readonly layout: DiffLayout;
  readonly onLayout: (layout: DiffLayout) => void;
}) {
  const keymap = useKeymap();
  const whyId = useId();
  const asking = useAsking(edits, onAnswer);
  const [chosen, setChosen] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const files = useLinesBelow(list, edits.length);
  const at = Math.min(chosen, edits.length - 1);
  const [first] = edits;
  const several = edits.length > 1;
  const suggestions = sharedSuggestions(edits);
  const oneReason = sameReason(edits);
  // Every file is named in view before all are approved. A long diff may be approved at any point.
  const unseen = several && files.below > 0;

  const allow = (remember?: RuleSuggestion) => {
    if (asking.ready(true)) {
      if (!unseen) return asking.answer({ behavior: 'allow', ...(remember ? { remember } : {}) });
      list.current?.scrollTo({ top: list.current.scrollHeight });
      asking.guard.restart();
    }
    return undefined;
  };
  const allowOne = (index: number) => {
    const edit = edits[index];
    return edit && asking.ready(true) ? asking.answer({ behavior: 'allow' }, edit) : undefined;
  };
  const denyOne = (index: number) => asking.deny('', edits[index]);
  const select = (index: number) => {
    setChosen(index);
    for (const scope of [list, asking.body])
      scope.current
        ?.querySelector(`[data-file="${index}"]`)
        ?.scrollIntoView({ block: scope === list ? 'nearest' : 'start' });
  };

  const onIntent = (intent: AnswerIntent): unknown => {
    switch (intent) {
      case 'allow':
        return allow();
      case 'deny':
        return asking.deny();
      case 'giveReason':
        return asking.open('reason');
      case 'always':
        return suggestions.length > 0 ? asking.open('always') : undefined;
      case 'edit':
        return undefined;
    }
  };
  const onKey = (event: KeyboardEvent<HTMLDivElement>): boolean => {
    if (!several || event.target !== asking.frame.current || asking.panel !== 'none') return false;
    const intent = fileIntent(keymap, {
      ...pressOf(event, onApple()),
      repeat: event.repeat,
      at,
      count: edits.length,
      others: queue.names.length > 1,
      guardLeft: asking.guard.left(),
    });
    switch (intent.kind) {
      case 'none':
        return false;
      case 'select':
        select(intent.at);
        break;
      case 'leave':
        queue.onShow(queue.index + intent.by);
        break;
      case 'stray':
        asking.guard.restart();
        break;
      case 'allowOne':
        allowOne(at)?.catch(() => {});
        break;
      case 'denyOne':
        denyOne(at).catch(() => {});
        break;
    }
    return true;
  };

  return (
    <DialogFrame
      asking={asking}
      queue={queue}
      icon={ShieldQuestion}
      title={titleOfEdits(edits)}
      agent={first?.agent}
      describedBy={whyId}
      wide={layout === 'split'}
      tools={
        edits.some(({ subject }) => !subject.created) ? (
          <Segmented
            label="Layout of the changes"
            value={layout}
            options={LAYOUTS}
            onChange={onLayout}
          />
        ) : null
      }
      above={
        <FileList
          listRef={list}
          edits={several ? edits : []}
          at={at}
          home={home}
          reasons={!oneReason}
          busy={asking.busy}
          armed={asking.guard.armed}
          onSelect={select}
          onAllow={allowOne}
          onDeny={denyOne}
        />
      }
      onIntent={onIntent}
      onKey={onKey}
      footer={(focused) => (
        <AskingFooter
          asking={asking}
          why={
            first && oneReason ? (
              <WhyLine id={whyId} decision={first.decision} home={home} />
            ) : (
              <p id={whyId} className="text-code text-ink-2">
                The files ask for different reasons; each stands with its file.
              </p>
            )
          }
          suggestions={suggestions}
          replay={replay}
          callId={first?.callId}
          unseen={unseen}
          focused={focused}
          onAllow={allow}
        />
      )}
    >
      <div className="flex flex-col gap-3">
        {edits.map((edit, index) => (
          <div key={edit.id} data-file={index} className="scroll-mt-1">
            <FileDiff
              path={tildePath(edit.subject.path, home)}
              created={edit.subject.created}
              hunks={edit.subject.hunks}
              limit={Math.ceil(DIFF_LIMIT / edits.length)}
              split={layout === 'split'}
            />
            {several ? null : <FileNotes edit={edit} home={home} reason={false} />}
          </div>
        ))}
      </div>
    </DialogFrame>
  );
}
