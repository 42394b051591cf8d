import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

/** What a panel shows when it has nothing: what will be here and, at best, one act. */
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
