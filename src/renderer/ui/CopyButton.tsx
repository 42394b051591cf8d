import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { IconButton } from './IconButton';

/** How long the check mark stays, in milliseconds. */
const SHOWN_MS = 1500;

/** Copies `text()` and says whether that worked. */
export function CopyButton({
  text,
  label = 'Copy',
  size = 'sm',
  className,
}: {
  readonly text: () => string;
  readonly label?: string;
  readonly size?: 'xs' | 'sm';
  readonly className?: string;
}) {
  const [outcome, setOutcome] = useState<'idle' | 'copied' | 'refused'>('idle');
  useEffect(() => {
    if (outcome === 'idle') return;
    const timer = setTimeout(() => setOutcome('idle'), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = () =>
    writeClipboard(text()).then(
      () => setOutcome('copied'),
      () => setOutcome('refused'),
    );
  const names = { idle: label, copied: 'Copied', refused: 'The clipboard refused' } as const;
  return (
    <IconButton
      icon={outcome === 'copied' ? Check : Copy}
      label={names[outcome]}
      size={size}
      onClick={copy}
      {...(className === undefined ? {} : { className })}
    />
  );
}

/** Rejects where the page has no clipboard (an insecure origin). */
async function writeClipboard(text: string): Promise<void> {
  if (navigator.clipboard === undefined) throw new Error('no clipboard');
  await navigator.clipboard.writeText(text);
}
