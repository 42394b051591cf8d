import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { IconButton } from '../ui/IconButton';
import type { LiveTerminal } from './live-terminal';

/** Searches the terminal's screen and scrollback. Enter: next, ⇧Enter: previous, Esc: close. */
export function FindBar({
  live,
  onClose,
}: {
  readonly live: LiveTerminal;
  readonly onClose: () => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [missing, setMissing] = useState(false);
  useEffect(() => {
    field.current?.focus();
    return () => live.endFind();
  }, [live]);
  const find = (wanted: string, direction: 'next' | 'previous') =>
    setMissing(wanted !== '' && !live.find(wanted, direction));
  return (
    <search className="absolute top-1.5 right-3 z-10 flex items-center gap-0.5 rounded-md border border-line bg-raised p-0.5 shadow-popover">
      <input
        ref={field}
        aria-label="Find in this terminal"
        aria-invalid={missing}
        placeholder="Find"
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          find(event.currentTarget.value, 'next');
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') find(text, event.shiftKey ? 'previous' : 'next');
          else if (event.key === 'Escape') onClose();
          else return;
          event.preventDefault();
        }}
        className="h-6 w-44 rounded-sm bg-transparent px-2 text-code aria-[invalid=true]:text-failed"
      />
      <span role="status" className="px-1 text-meta text-ink-3">
        {missing ? 'not found' : ''}
      </span>
      <IconButton icon={ChevronUp} label="Previous match" onClick={() => find(text, 'previous')} />
      <IconButton icon={ChevronDown} label="Next match" onClick={() => find(text, 'next')} />
      <IconButton icon={X} label="Close the search" onClick={onClose} />
    </search>
  );
}
