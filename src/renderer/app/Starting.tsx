import { Unplug } from 'lucide-react';
import type { Fault } from '../../shared/result';
import { Spinner } from '../ui/Spinner';

/** Before the engine has said a word; after a moment it says what it waits for. */
export function Starting({ trouble }: { readonly trouble: Fault | null }) {
  return (
    <main className="flex h-full flex-col items-center justify-center gap-3 bg-canvas px-6 text-center">
      <span className="flex items-center gap-2 text-code text-ink-2" role="status">
        <Spinner />
        {trouble === null ? 'Connecting to Lathe' : trouble.message}
      </span>
      {trouble === null ? null : <p className="max-w-96 text-meta text-ink-3">{trouble.fix}</p>}
    </main>
  );
}

/** The host does not know this page; only a fresh link helps. */
export function Refused({ fault }: { readonly fault: Fault }) {
  return (
    <main className="flex h-full flex-col items-center justify-center gap-3 bg-canvas px-6 text-center">
      <Unplug size={24} strokeWidth={1.5} aria-hidden className="text-ink-3" />
      <h1 className="text-display font-semibold tracking-tight">Open the link Lathe printed</h1>
      <p className="max-w-[46ch] text-body text-ink-2">
        {fault.message} {fault.fix}
      </p>
      <p className="max-w-[46ch] text-meta text-ink-3">
        Sessions, tasks and terminals are untouched; they wait on the machine Lathe runs on.
      </p>
    </main>
  );
}
