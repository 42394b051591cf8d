import { Clock, Undo2 } from 'lucide-react';
import type { QueuedPrompt } from '../../shared/agent-event';
import { IconButton } from '../ui/IconButton';

/** When each kind of queued prompt goes in. */
const WHEN: Readonly<Record<QueuedPrompt['priority'], string>> = {
  now: 'now',
  next: 'after this turn',
  later: 'when done',
};

/** Prompts that wait for their turn; each can be taken back. */
export function QueueChips({
  queue,
  onTakeBack,
}: {
  readonly queue: readonly QueuedPrompt[];
  readonly onTakeBack: (promptId: string) => void;
}) {
  if (queue.length === 0) return null;
  return (
    <ul aria-label="Queued prompts" className="mb-2 flex max-h-32 flex-col gap-1 overflow-y-auto">
      {queue.map((prompt) => (
        <li
          key={prompt.id}
          className="flex h-7 items-center gap-2 rounded-md border border-line bg-sunken pr-0.5 pl-2 text-meta"
        >
          <Clock size={12} aria-hidden className="shrink-0 text-ink-3" />
          <span className="min-w-0 flex-1 truncate text-ink-2">{firstLine(prompt.text)}</span>
          <span className="shrink-0 text-ink-3">{WHEN[prompt.priority]}</span>
          <IconButton
            icon={Undo2}
            label="Take back"
            keys="up"
            onClick={() => onTakeBack(prompt.id)}
          />
        </li>
      ))}
    </ul>
  );
}

/** Enough of a prompt to know it by. */
const firstLine = (text: string): string => text.trimStart().split('\n', 1)[0]?.slice(0, 200) ?? '';
