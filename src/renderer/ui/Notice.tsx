import { CircleAlert, Info, type LucideIcon, TriangleAlert, X } from 'lucide-react';
import type { ReactNode } from 'react';
import type { NoticeLevel } from '../../shared/agent-event';
import { IconButton } from './Button';
import { cx } from './css';

const LOOKS = {
  info: { icon: Info, frame: 'border-line bg-sunken', glyph: 'text-ink-3' },
  warning: { icon: TriangleAlert, frame: 'border-transparent bg-waits-tint', glyph: 'text-waits' },
  error: { icon: CircleAlert, frame: 'border-transparent bg-failed-tint', glyph: 'text-failed' },
} as const;

interface NoticeProps {
  readonly level: NoticeLevel;
  /** The event, in one line. */
  readonly title?: string;
  /** Words on what was kept, and the remedy. */
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

/** The content of an empty panel: what will appear here and, optionally, one action. */
export function EmptyState({
  icon: Icon,
  title,
  text,
  action,
}: {
  readonly icon?: LucideIcon;
  readonly title: string;
  readonly text?: ReactNode;
  readonly action?: ReactNode;
}) {
  return (
    <div className="flex h-full min-h-24 flex-col items-center justify-center gap-1 px-6 py-6 text-center">
      {Icon ? <Icon size={18} strokeWidth={1.5} aria-hidden className="mb-1 text-ink-3" /> : null}
      <p className="text-code font-medium text-ink-2">{title}</p>
      {text === undefined ? null : (
        <p className="max-w-72 text-balance text-meta text-ink-3">{text}</p>
      )}
      {action === undefined ? null : <div className="mt-3">{action}</div>}
    </div>
  );
}
