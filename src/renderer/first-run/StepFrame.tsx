import { ArrowLeft, ChevronRight, type LucideIcon } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { Button } from '../ui/Button';
import { cx } from '../ui/css';
import { Spinner } from '../ui/Marks';

/** The steps of the first run, in order. */
const STEPS = ['Folder', 'Trust', 'Connect'] as const;

/** One step of the first run: where we are, a heading, one sentence, and what to do. */
export function StepFrame({
  step,
  title,
  text,
  onBack,
  children,
}: {
  /** 0, 1 or 2. */
  readonly step: 0 | 1 | 2;
  readonly title: string;
  readonly text: ReactNode;
  readonly onBack?: () => void;
  readonly children: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  // A new step is a new page to a screen reader, and no button may be the default.
  useEffect(() => heading.current?.focus(), []);
  return (
    <main className="h-full overflow-y-auto bg-canvas">
      <div className="mx-auto flex min-h-full w-full max-w-[620px] flex-col px-6 pt-[clamp(24px,9vh,120px)] pb-10">
        <div className="mb-10 flex items-center justify-between gap-4">
          <span className="text-code font-semibold tracking-tight">Lathe</span>
          <StepMarks step={step} />
        </div>
        <h1
          ref={heading}
          tabIndex={-1}
          className="outline-none text-display font-semibold tracking-tight text-balance"
        >
          {title}
        </h1>
        <p className="mt-2 mb-6 text-pretty text-body text-ink-2 [overflow-wrap:anywhere]">
          {text}
        </p>
        {children}
        {onBack === undefined ? null : (
          <Button
            variant="ghost"
            icon={ArrowLeft}
            onClick={onBack}
            className="mt-8 -ml-3 self-start"
          >
            Back
          </Button>
        )}
      </div>
    </main>
  );
}

function StepMarks({ step }: { readonly step: number }) {
  return (
    <ol aria-label="Steps" className="flex items-center gap-3 text-meta">
      {STEPS.map((name, at) => (
        <li
          key={name}
          aria-current={at === step ? 'step' : undefined}
          className={cx(
            'flex items-center gap-3',
            at === step ? 'font-medium text-ink' : 'text-ink-3',
          )}
        >
          {at > 0 ? <span aria-hidden className="h-px w-5 bg-line-strong" /> : null}
          {name}
        </li>
      ))}
    </ol>
  );
}

/** A large button for one way on, with a sentence about where it leads. */
export function ChoiceCard({
  icon: Icon,
  title,
  text,
  primary = false,
  busy = false,
  disabled = false,
  onChoose,
}: {
  readonly icon: LucideIcon;
  readonly title: string;
  readonly text: string;
  readonly primary?: boolean;
  readonly busy?: boolean;
  readonly disabled?: boolean;
  readonly onChoose: () => void;
}) {
  return (
    <button
      type="button"
      disabled={disabled || busy}
      aria-busy={busy || undefined}
      onClick={onChoose}
      className={cx(
        'flex w-full items-center gap-4 rounded-lg border px-4 py-3 text-left transition-colors duration-100 disabled:opacity-60',
        primary
          ? 'border-accent bg-accent-tint hover:border-accent-fill-hover'
          : 'border-line bg-raised hover:border-line-strong hover:bg-hover',
      )}
    >
      <Icon
        size={20}
        strokeWidth={1.6}
        aria-hidden
        className={primary ? 'text-accent' : 'text-ink-3'}
      />
      <span className="min-w-0 flex-1">
        <span className="block text-body font-medium">{title}</span>
        <span className="block text-code text-ink-2">{text}</span>
      </span>
      {busy ? <Spinner /> : <ChevronRight size={16} aria-hidden className="shrink-0 text-ink-3" />}
    </button>
  );
}
