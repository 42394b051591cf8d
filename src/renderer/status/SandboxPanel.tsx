import { Shield, ShieldAlert, ShieldCheck } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { SandboxStatus } from '../../shared/settings';
import { useScreen } from '../store/use-lathe';
import { cx } from '../ui/css';
import { tildePath } from '../ui/format';
import { Popover } from '../ui/Menu';

const LOOKS = {
  on: { icon: ShieldCheck, text: 'Sandbox', tone: '' },
  off: { icon: Shield, text: 'No sandbox', tone: 'text-ink-3' },
  missing: { icon: ShieldAlert, text: 'No sandbox', tone: 'text-waits' },
} as const;

/** The status bar item of the sandbox; opens the panel that explains it. */
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

/** The sandbox's settings for this project, or the reason there is none and a remedy. */
function SandboxPanel({ status, home }: { readonly status: SandboxStatus; readonly home: string }) {
  return (
    <div className="flex flex-col gap-3">
      <section>
        <h2 className="mb-1 font-medium">{TITLES[status.state]}</h2>
        <p className="text-ink-2">{explanation(status)}</p>
        {status.state === 'on' && status.why ? (
          <p className="mt-1.5 text-waits">{status.why} The sandbox is weaker here.</p>
        ) : null}
      </section>
      {status.state === 'missing' ? (
        <section>
          <Heading>Why</Heading>
          <p>{status.why}</p>
          <Heading>What helps</Heading>
          <p className="[overflow-wrap:anywhere]">{status.fix}</p>
          <p className="mt-1.5 text-ink-2">Then start Lathe again: it looks for a sandbox once.</p>
        </section>
      ) : null}
      {status.state === 'on' ? <Rules status={status} home={home} /> : null}
      {status.state === 'off' ? (
        <section>
          <Heading>To turn it on</Heading>
          <p className="mb-1.5 text-ink-2">
            Put this into ~/.claude/settings.json, or into .claude/settings.json for this project
            alone:
          </p>
          <pre className="rounded-sm border border-line bg-sunken px-2 py-1.5 font-mono text-meta whitespace-pre-wrap">
            {'"sandbox": { "enabled": true }'}
          </pre>
        </section>
      ) : null}
    </div>
  );
}

const TITLES = {
  on: 'Commands run in a sandbox',
  off: 'Commands run without a sandbox',
  missing: 'There is no sandbox here',
} as const;

function explanation({ state, autoAllow }: SandboxStatus): string {
  if (state === 'off') return 'Your rules decide what may run, and you are asked about the rest.';
  if (state === 'missing') {
    return 'Your settings want one, but this system has none that works. Commands run as usual: your rules decide, and you are asked about the rest.';
  }
  return autoAllow
    ? 'The system keeps them inside, so you are not asked about each. Deny and ask rules still count.'
    : 'The system keeps them inside. You are still asked about each, as your rules say.';
}

function Rules({ status, home }: { readonly status: SandboxStatus; readonly home: string }) {
  const writable = status.allowWrite.map((path) => tildePath(path, home));
  return (
    <>
      <section>
        <Heading>May write</Heading>
        <Lines of={['this project', 'a temporary folder', ...writable]} />
        <p className="mt-1 text-meta text-ink-3">
          Never settings, hooks and other files that make programs run something.
        </p>
      </section>
      <section>
        <Heading>May reach</Heading>
        {status.allowedDomains.length === 0 ? (
          <p className="text-ink-2">No host, until you allow one. You are asked.</p>
        ) : (
          <Lines of={status.allowedDomains} />
        )}
      </section>
      {status.excludedCommands.length === 0 ? null : (
        <section>
          <Heading>Runs outside</Heading>
          <Lines of={status.excludedCommands} />
        </section>
      )}
    </>
  );
}

/** Longer lists are cut: settings have them whole. */
const MAX_LINES = 8;

function Lines({ of }: { readonly of: readonly string[] }) {
  const more = of.length - MAX_LINES;
  return (
    <ul className="text-ink-2">
      {of.slice(0, MAX_LINES).map((line) => (
        <li key={line} className="truncate" title={line}>
          {line}
        </li>
      ))}
      {more > 0 ? <li className="text-ink-3">and {more} more</li> : null}
    </ul>
  );
}

const Heading = ({ children }: { readonly children: ReactNode }) => (
  <h3 className="mb-1 text-meta font-medium text-ink-3 [p+&]:mt-2.5">{children}</h3>
);
