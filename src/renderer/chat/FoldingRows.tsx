import { ChevronRight } from 'lucide-react';
import { type KeyboardEvent, memo, type ReactNode, useContext, useId } from 'react';
import type { HookOutcome, HookReport } from '../../shared/hooks';
import type { Item } from '../../shared/transcript';
import { CardFrame, FolderContext, Output } from '../tool-cards/CardFrame';
import { CopyButton } from '../ui/Button';
import { cx } from '../ui/css';
import { relativePath, timeTaken } from '../ui/format';
import { StateGlyph, type WorkState } from '../ui/Marks';
import { VisibleText } from '../ui/VisibleText';
import { Markdown } from './Markdown';

/** A thin line of the conversation that opens: click, Enter or → opens it, ← closes it. */
export function FoldButton({
  id,
  open,
  onToggle,
  controls,
  children,
}: {
  readonly id: string;
  readonly open: boolean;
  readonly onToggle: (id: string, open: boolean) => void;
  /** The id of the content below it. */
  readonly controls: string;
  readonly children: ReactNode;
}) {
  const onKeyDown = (key: KeyboardEvent) => {
    if (key.key !== 'ArrowRight' && key.key !== 'ArrowLeft') return;
    key.preventDefault();
    onToggle(id, key.key === 'ArrowRight');
  };
  return (
    <button
      type="button"
      aria-expanded={open}
      aria-controls={open ? controls : undefined}
      onClick={() => onToggle(id, !open)}
      onKeyDown={onKeyDown}
      className="group flex h-7 w-full min-w-0 items-center gap-2 rounded-md px-2 text-left text-code text-ink-3 transition-colors duration-100 hover:bg-hover"
    >
      {children}
    </button>
  );
}

/** One thin line with its content below it when open. */
function FoldLine({
  id,
  open,
  onToggle,
  line,
  children,
}: {
  readonly id: string;
  readonly open: boolean;
  readonly onToggle: (id: string, open: boolean) => void;
  /** The content of the line itself. */
  readonly line: ReactNode;
  /** The content below it when open. */
  readonly children: ReactNode;
}) {
  const bodyId = useId();
  return (
    <div>
      <FoldButton id={id} open={open} onToggle={onToggle} controls={bodyId}>
        {line}
      </FoldButton>
      {open ? (
        <div id={bodyId} className="mt-1 mb-2 ml-8">
          {children}
        </div>
      ) : null}
    </div>
  );
}

type ThinkingItem = Extract<Item, { kind: 'thinking' }>;

/** The model's thinking: one grey line that opens. Shows its last line while it thinks. */
export const ThinkingRow = memo(function ThinkingRow({
  item,
  open,
  onToggle,
}: {
  readonly item: ThinkingItem;
  readonly open: boolean;
  readonly onToggle: (id: string, open: boolean) => void;
}) {
  return (
    <FoldLine
      id={item.id}
      open={open}
      onToggle={onToggle}
      line={
        <>
          <ChevronRight
            size={13}
            aria-hidden
            className={cx('ml-px shrink-0 transition-transform duration-100', open && 'rotate-90')}
          />
          <span className="shrink-0">{item.done ? 'Thought' : 'Thinking'}</span>
          {open ? null : <span className="min-w-0 flex-1 truncate">{gist(item)}</span>}
        </>
      }
    >
      <div className="border-l border-line pl-3 text-ink-2">
        <Markdown text={item.text} done={item.done} />
      </div>
    </FoldLine>
  );
});

/** Returns the line that stands for all of it: the first when done, the newest while thinking. Marks of Markdown are left out. */
export function gist(item: Pick<ThinkingItem, 'text' | 'done'>): string {
  const lines = item.text.split('\n').filter((line) => line.trim() !== '');
  const line = (item.done ? lines[0] : lines.at(-1)) ?? '';
  return line.replace(/[*_`#>]+/g, '').trim();
}

/** One hook that said, changed or stopped something: a thin line that opens. Nothing it printed can hide. */
export const HookRow = memo(function HookRow({
  report,
  open,
  onToggle,
}: {
  readonly report: HookReport;
  readonly open: boolean;
  readonly onToggle: (id: string, open: boolean) => void;
}) {
  const { event, subject, outcome } = report;
  return (
    <FoldLine
      id={report.id}
      open={open}
      onToggle={onToggle}
      line={
        <>
          <StateGlyph state={hookState(outcome)} quiet={outcome === 'done'} />
          <span className="shrink-0 text-ink-2">
            Hook <span className="font-medium">{event}</span>
            {subject === '' ? '' : ` (${subject})`}
          </span>
          <span className={cx('min-w-0 flex-1 truncate', outcome === 'failed' && 'text-failed')}>
            <VisibleText text={hookLine(report)} />
          </span>
          <span className="shrink-0 text-meta tabular-nums">{timeTaken(report.durationMs)}</span>
          <ChevronRight
            size={13}
            aria-hidden
            className={cx(
              'shrink-0 transition-transform duration-100',
              open ? 'rotate-90' : 'opacity-60 group-hover:opacity-100',
            )}
          />
        </>
      }
    >
      <HookCard report={report} />
    </FoldLine>
  );
});

/** The command of a hook, all its output, and the prompt it blocked. */
function HookCard({ report }: { readonly report: HookReport }) {
  const { run, exitCode, durationMs, file } = report;
  const parts = [
    ['It said', report.note],
    ['Standard error', report.stderr],
    ['Standard output', report.stdout],
    ['Your prompt, not sent', report.keptPrompt ?? ''],
  ] as const;
  const shown = parts.filter(
    ([, text], at) =>
      text.trim() !== '' && !parts.slice(0, at).some(([, before]) => before.trim() === text.trim()),
  );
  const folder = useContext(FolderContext);
  const place = relativePath(file, folder);
  const facts = [exitCode === null ? '' : `exit code ${exitCode}`, timeTaken(durationMs), place];
  return (
    <CardFrame
      label="Hook"
      header={<VisibleText text={run} />}
      actions={<CopyButton text={() => run} label="Copy the command" />}
      footer={<VisibleText text={facts.filter((fact) => fact !== '').join(' · ')} />}
    >
      {shown.map(([title, text]) => (
        <section key={title}>
          <p className="px-3 pt-2 text-meta text-ink-3">{title}</p>
          <Output text={text.trimEnd()} revealing />
        </section>
      ))}
    </CardFrame>
  );
}

/** Names a hook by its event: "the PreToolUse hook (Bash)". */
export const hookName = ({ event, subject }: Pick<HookReport, 'event' | 'subject'>): string =>
  subject === '' ? `the ${event} hook` : `the ${event} hook (${subject})`;

/** Returns the glyph of a hook that has ended. */
function hookState(outcome: HookOutcome): WorkState {
  switch (outcome) {
    case 'done':
      return 'done';
    case 'blocked':
      return 'refused';
    case 'failed':
      return 'failed';
    case 'cancelled':
      return 'stopped';
  }
}

const WORDS: Readonly<Record<HookOutcome, string>> = {
  done: '',
  blocked: 'blocked',
  failed: 'failed',
  cancelled: 'stopped',
};

/** Summarises a hook's result in one line ("blocked: no deletions here"), or its first line of output. */
function hookLine({ outcome, note, stdout, stderr }: HookReport): string {
  const words = WORDS[outcome];
  const said = firstLine(note) || firstLine(stderr) || firstLine(stdout);
  return [words, said].filter((part) => part !== '').join(': ');
}

const firstLine = (text: string): string => text.trim().split('\n', 1)[0] ?? '';
