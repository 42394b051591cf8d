import { CaseSensitive, ChevronDown, ChevronUp, Regex, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { IconButton } from '../ui/Button';
import { cx } from '../ui/css';
import type { LiveTerminal } from './live-terminal';
import type { FindOptions, Matches } from './terminal-search';

/** Searches the terminal's screen and scrollback. Enter: next, ⇧Enter: previous, Esc: close. */
export function FindBar({
  live,
  wishes,
  matches,
  onClose,
  onGone,
}: {
  readonly live: LiveTerminal;
  /** Number of times its field was wished for: it has the focus each time. */
  readonly wishes: number;
  readonly matches: Matches | null;
  readonly onClose: () => void;
  /** Called when it is on screen no more, as with its pane: where it comes back later it would take the focus. */
  readonly onGone: () => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [options, setOptions] = useState<FindOptions>({ regex: false, matchCase: false });
  const [outcome, setOutcome] = useState<ReturnType<LiveTerminal['find']>>('found');
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, [wishes]);
  useEffect(() => () => live.endFind(), [live]);
  const gone = useRef(onGone);
  gone.current = onGone;
  useEffect(
    () => () =>
      // In strict mode effects end once and begin again, with the field there all the time.
      queueMicrotask(() => {
        if (field.current === null) gone.current();
      }),
    [],
  );
  const find = (wanted: string, direction: 'next' | 'previous', how = options) => {
    if (wanted === '') live.endFind();
    setOutcome(wanted === '' ? 'found' : live.find(wanted, direction, how));
  };
  const change = (patch: Partial<FindOptions>) => {
    const next = { ...options, ...patch };
    setOptions(next);
    find(text, 'next', next);
  };
  return (
    <search
      className={cx(
        'absolute right-3 z-10 flex w-80 max-w-[calc(100%-1.5rem)] flex-wrap items-center justify-end gap-0.5 rounded-md border border-line bg-raised p-0.5 shadow-popover',
        matches?.isHigh === true ? 'bottom-1.5' : 'top-1.5',
      )}
    >
      <input
        ref={field}
        aria-label="Find in this terminal"
        aria-invalid={outcome !== 'found'}
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
        className="h-6 min-w-0 grow basis-20 rounded-sm bg-transparent px-2 text-code aria-[invalid=true]:text-failed"
      />
      <span role="status" className="shrink-0 px-1 text-meta tabular-nums text-ink-3">
        {text === '' ? '' : describe(outcome, matches)}
      </span>
      <span className="flex shrink-0 items-center gap-0.5">
        <IconButton
          icon={CaseSensitive}
          label="Match case"
          pressed={options.matchCase}
          onClick={() => change({ matchCase: !options.matchCase })}
        />
        <IconButton
          icon={Regex}
          label="Regular expression"
          pressed={options.regex}
          onClick={() => change({ regex: !options.regex })}
        />
        <IconButton
          icon={ChevronUp}
          label="Previous match"
          onClick={() => find(text, 'previous')}
        />
        <IconButton icon={ChevronDown} label="Next match" onClick={() => find(text, 'next')} />
        <IconButton icon={X} label="Close the search" onClick={onClose} />
      </span>
    </search>
  );
}

/** Describes what was found: "2 of 14", "1000+", "not found", "not a pattern". */
function describe(outcome: ReturnType<LiveTerminal['find']>, matches: Matches | null): string {
  if (outcome === 'invalid') return 'not a pattern';
  if (outcome === 'missing') return 'not found';
  if (matches === null || matches.count === 0) return '';
  return matches.at === null ? `${matches.count}+` : `${matches.at} of ${matches.count}`;
}
