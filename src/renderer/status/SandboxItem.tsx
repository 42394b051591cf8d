import { Shield, ShieldAlert, ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import type { SandboxStatus } from '../../shared/settings';
import { useScreen } from '../store/use-lathe';
import { cx } from '../ui/cx';
import { Popover } from '../ui/Popover';
import { SandboxPanel } from './SandboxPanel';

const LOOKS = {
  on: { icon: ShieldCheck, text: 'Sandbox', tone: '' },
  off: { icon: Shield, text: 'No sandbox', tone: 'text-ink-3' },
  missing: { icon: ShieldAlert, text: 'No sandbox', tone: 'text-waits' },
} as const;

/** Whether commands run in a sandbox, in the status bar; a press tells what that means here. */
export function SandboxItem({ status }: { readonly status: SandboxStatus }) {
  const [open, setOpen] = useState(false);
  const home = useScreen((s) => s.info?.home ?? '');
  const { icon: Icon, text, tone } = LOOKS[status.state];
  return (
    <Popover
      label="Sandbox for commands"
      align="start"
      open={open}
      onOpenChange={setOpen}
      trigger={
        <button
          type="button"
          className={cx(
            'flex h-6 shrink-0 items-center gap-1 whitespace-nowrap rounded-sm px-1.5 hover:bg-hover hover:text-ink data-[state=open]:bg-hover',
            tone,
          )}
        >
          <Icon size={13} aria-hidden className="shrink-0" />
          <span className="@max-3xl:sr-only">{text}</span>
        </button>
      }
    >
      <SandboxPanel status={status} home={home} />
    </Popover>
  );
}
