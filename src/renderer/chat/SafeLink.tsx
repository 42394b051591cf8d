import type { ReactNode } from 'react';
import { misleadingHost } from './safe-link';

/**
 * A link written by the model. `href` is already checked; '' means it leads nowhere and is shown as text.
 * The true target is its title, and stands beside it when the text names another place.
 */
export function SafeLink({
  href,
  text,
  children,
}: {
  readonly href: string;
  readonly text: string;
  readonly children: ReactNode;
}) {
  if (href === '') return <span className="text-ink-2">{children}</span>;
  const other = misleadingHost(text, href);
  return (
    <>
      <a href={href} title={href} target="_blank" rel="noreferrer noopener nofollow">
        {children}
      </a>
      {other === null ? null : <span className="text-waits"> ({other})</span>}
    </>
  );
}
