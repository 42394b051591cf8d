import { CircleAlert, Info, TriangleAlert, X } from 'lucide-react';
import type { ReactNode } from 'react';
import type { NoticeLevel } from '../../shared/agent-event';
import { cx } from './cx';
import { IconButton } from './IconButton';

const LOOKS = {
  info: { icon: Info, frame: 'border-line bg-sunken', glyph: 'text-ink-3' },
  warning: { icon: TriangleAlert, frame: 'border-transparent bg-waits-tint', glyph: 'text-waits' },
  error: { icon: CircleAlert, frame: 'border-transparent bg-failed-tint', glyph: 'text-failed' },
} as const;

export interface NoticeProps {
  readonly level: NoticeLevel;
  /** What happened, in one line. */
  readonly title?: string;
  /** What was kept and what to do. */
  readonly children?: ReactNode;
  readonly action?: ReactNode;
  readonly onDismiss?: () => void;
}

/** A message in place: what happened, what was kept, what to do. Errors are announced at once. */
export function Notice({ level, title, children, action, onDismiss }: NoticeProps) {
  const { icon: Icon, frame, glyph } = LOOKS[level];
  return (
    <div
      role={level === 'error' ? 'alert' : 'status'}
      className={cx('flex items-start gap-2 rounded-md border px-3 py-2 text-code', frame)}
    >
      <Icon size={15} aria-hidden className={cx('mt-[3px] shrink-0', glyph)} />
      <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        {title === undefined ? null : <p className="font-medium">{title}</p>}
        {children === undefined ? null : <div className="text-ink-2">{children}</div>}
      </div>
      {action}
      {onDismiss === undefined ? null : (
        <IconButton icon={X} label="Dismiss" size="xs" onClick={onDismiss} />
      )}
    </div>
  );
}
