import { Eraser, Hand, OctagonX, Search } from 'lucide-react';
import type { TerminalInfo } from '../../shared/terminal';
import { useScreen } from '../store/use-lathe';
import { Button } from '../ui/Button';
import { CopyButton } from '../ui/CopyButton';
import { tildePath } from '../ui/format';
import { IconButton } from '../ui/IconButton';

/** What one can do with a terminal: search, copy all, clear, take the wheel, kill. */
export function TerminalBar({
  terminal,
  ended,
  wheel,
  onWheel,
  onFind,
  onClear,
  text,
  onKill,
}: {
  readonly terminal: TerminalInfo;
  readonly ended: boolean;
  readonly wheel: boolean;
  readonly onWheel: (taken: boolean) => void;
  readonly onFind: () => void;
  readonly onClear: () => void;
  readonly text: () => string;
  readonly onKill: () => void;
}) {
  const home = useScreen((s) => s.info?.home ?? '');
  return (
    <div className="flex h-8 shrink-0 items-center gap-1 border-b border-line bg-side pr-2 pl-3">
      <span
        className="min-w-0 flex-1 truncate font-mono text-[11.5px] text-ink-3"
        title={terminal.command ?? terminal.cwd}
      >
        {terminal.command ?? tildePath(terminal.cwd, home)}
      </span>
      {terminal.kind === 'command' && !ended ? (
        <Button
          size="sm"
          variant={wheel ? 'primary' : 'ghost'}
          icon={Hand}
          aria-pressed={wheel}
          onClick={() => onWheel(!wheel)}
        >
          {wheel ? 'Hand back' : 'Take the wheel'}
        </Button>
      ) : null}
      <IconButton icon={Search} label="Find in this terminal" onClick={onFind} />
      <CopyButton text={text} label="Copy everything" />
      <IconButton icon={Eraser} label="Clear the screen" onClick={onClear} />
      {ended ? null : (
        <IconButton
          icon={OctagonX}
          label="Kill with everything it started"
          onClick={onKill}
          className="hover:text-failed"
        />
      )}
    </div>
  );
}
