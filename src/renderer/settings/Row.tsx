import type { ReactNode } from 'react';

/** One setting: what it is, what it means, and its control at the right. */
export function Row({
  title,
  text,
  children,
}: {
  readonly title: string;
  readonly text?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <div className="flex items-center gap-6">
      <div className="min-w-0 flex-1">
        <p className="text-code font-medium">{title}</p>
        {text === undefined ? null : (
          <p className="text-meta text-ink-3 [overflow-wrap:anywhere]">{text}</p>
        )}
      </div>
      <div className="shrink-0">{children}</div>
    </div>
  );
}
