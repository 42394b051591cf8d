import { Ellipsis, Paperclip, RotateCw, TriangleAlert } from 'lucide-react';
import { createContext, memo, useContext, useState } from 'react';
import type { Item } from '../../shared/transcript';
import type { EndReason } from '../../shared/turn';
import { carriedWords } from '../store/attachments';
import { CallRow } from '../tool-cards/CallRow';
import type { OnCardAction } from '../tool-cards/CardFrame';
import { Button, CopyButton, IconButton, LinkButton } from '../ui/Button';
import { cutMarks } from '../ui/combining';
import { cx } from '../ui/css';
import { money, plural, tildeText, timeTaken } from '../ui/format';
import { Menu, type MenuEntry } from '../ui/Menu';
import { Notice } from '../ui/Notice';
import { PlainName, VisibleText } from '../ui/VisibleText';
import { HookRow, ThinkingRow } from './FoldingRows';
import { NotesOf } from './FootnoteLinks';
import { Markdown } from './Markdown';
import type { ItemRow } from './rows';

/** The id of the end after which nothing was said and nothing runs: what it offers holds still. Null: there is none. */
export const OpenEnd = createContext<string | null>(null);

/** The user's home folder, which what is shown writes as `~`; empty while it is not known. */
export const HomeFolder = createContext('');

interface ConversationRowProps {
  readonly row: ItemRow;
  readonly open: boolean;
  readonly onToggle: (id: string, open: boolean) => void;
  readonly onAction: OnCardAction;
  readonly promptMenu: PromptMenu | undefined;
}

/** One item with the space around it. Adjacent calls stand close; a new prompt stands apart. */
export const ConversationRow = memo(function ConversationRow(props: ConversationRowProps) {
  return (
    <div
      data-item={props.row.item.id}
      className={cx('prose-column -outline-offset-2', space(props.row))}
    >
      <Body {...props} />
    </div>
  );
});

const CALL_SPACE = { alone: 'py-1', first: 'pt-1', middle: '', last: 'pb-1' } as const;

function space({ item, position, part }: ItemRow): string {
  if (part !== undefined) return cx('px-8', part.first ? 'pt-1.5' : '', part.last ? 'pb-1.5' : '');
  switch (item.kind) {
    case 'prompt':
      return position === 'last' ? 'pt-1 pb-3' : 'pt-6 pb-3 first:pt-3';
    case 'text':
      return 'px-8 py-1.5';
    case 'thinking':
    case 'hook':
      return 'py-0.5';
    case 'call':
      return CALL_SPACE[position];
    case 'divider':
      return 'py-2';
    case 'end':
      return 'pt-2 pb-3';
  }
}

function Body({ row, open, onToggle, onAction, promptMenu }: ConversationRowProps) {
  const { item } = row;
  switch (item.kind) {
    case 'prompt':
      return <PromptRow prompt={item} menu={promptMenu} />;
    case 'text':
      return (
        <NotesOf id={item.id}>
          <Markdown text={item.text} done={item.done} part={row.part} />
        </NotesOf>
      );
    case 'thinking':
      return <ThinkingRow item={item} open={open} onToggle={onToggle} />;
    case 'call':
      return <CallRow call={item} open={open} onToggle={onToggle} onAction={onAction} />;
    case 'hook':
      return <HookRow report={item.report} open={open} onToggle={onToggle} />;
    case 'divider':
      return <DividerRow item={item} onAction={onAction} />;
    case 'end':
      return <EndRow item={item} onAction={onAction} />;
  }
}

type PromptItem = Extract<Item, { kind: 'prompt' }>;

/** More acts for a prompt (rewind here, fork from here); the host of the conversation knows which it can do. */
export type PromptMenu = (prompt: PromptItem) => readonly MenuEntry[];

/** A prompt longer than this is folded; large pastes must not push the answer away. */
const FOLD_LINES = 14;
const FOLD_CHARACTERS = 1600;

/** A prompt of the user, in a quiet box. */
const PromptRow = memo(function PromptRow({
  prompt,
  menu,
}: {
  readonly prompt: PromptItem;
  readonly menu: PromptMenu | undefined;
}) {
  const [open, setOpen] = useState(false);
  const short = folded(prompt.text);
  const entries = menu?.(prompt) ?? [];
  const carried = carriedWords(prompt.images ?? 0, prompt.pastes ?? []);
  return (
    <article
      // That of a sub-agent was written by the agent above it.
      aria-label={menu === undefined ? 'Prompt' : 'You'}
      className="group/prompt relative rounded-md border border-line bg-sunken py-2 pr-16 pl-3"
    >
      <div
        data-block="prompt"
        className="max-w-(--text-width) text-pretty whitespace-pre-wrap [overflow-wrap:anywhere]"
      >
        {cutMarks(open || short === null ? prompt.text : short)}
      </div>
      {carried === '' ? null : (
        <p className="flex items-center gap-1.5 text-meta text-ink-2">
          <Paperclip size={12} aria-hidden className="shrink-0 text-ink-3" />
          <span className="sr-only">With </span>
          <span className="min-w-0 [overflow-wrap:anywhere]">
            <PlainName text={carried} />
          </span>
        </p>
      )}
      {short === null ? null : (
        <LinkButton className="mt-1 text-meta" onClick={() => setOpen(!open)}>
          {open ? 'Show less' : `Show all ${prompt.text.length.toLocaleString('en-US')} characters`}
        </LinkButton>
      )}
      <div className="absolute top-1.5 right-1.5 flex opacity-0 transition-opacity duration-100 group-focus-within/prompt:opacity-100 group-hover/prompt:opacity-100 has-[[data-state=open]]:opacity-100">
        <CopyButton text={() => prompt.text} label="Copy prompt" />
        {entries.length === 0 ? null : (
          <Menu
            align="end"
            trigger={<IconButton icon={Ellipsis} label="More for this prompt" />}
            entries={entries}
          />
        )}
      </div>
    </article>
  );
});

/** Returns the beginning of a long prompt, or null when it is short enough to show whole. */
export function folded(text: string): string | null {
  const lines = text.split('\n', FOLD_LINES + 1);
  if (lines.length <= FOLD_LINES && text.length <= FOLD_CHARACTERS) return null;
  return `${lines.slice(0, FOLD_LINES).join('\n').slice(0, FOLD_CHARACTERS)} …`;
}

type DividerItem = Extract<Item, { kind: 'divider' }>;

/** Something that happened between messages, and why. Facts are a thin line; a notice with a fix is a box. */
const DividerRow = memo(function DividerRow({
  item,
  onAction,
}: {
  readonly item: DividerItem;
  readonly onAction: OnCardAction;
}) {
  const { rewind, restored, summary } = item;
  const text = tildeText(item.text, useContext(HomeFolder));
  if (item.fix !== undefined || item.level === 'error')
    return (
      <Notice level={item.level} title={text}>
        {item.fix}
      </Notice>
    );
  // A warning is a sentence or more, with paths: it reads as text does, not as a line between two rows.
  const warns = item.level === 'warning';
  const rule = warns ? null : <span aria-hidden className="h-px min-w-6 flex-1 bg-line" />;
  return (
    <div className={cx('flex items-center gap-3 py-1 text-meta text-ink-3', warns && 'px-2')}>
      {rule}
      <span
        className={cx(
          'flex gap-1.5',
          warns ? 'items-start' : 'max-w-[80%] items-center text-center text-balance',
        )}
      >
        {warns ? (
          <TriangleAlert size={13} aria-label="Warning" className="mt-0.5 shrink-0 text-waits" />
        ) : null}
        <span className="min-w-0 [overflow-wrap:anywhere]">
          <VisibleText text={text} />
          {rewind === undefined ? null : (
            <LinkButton
              className="ml-2"
              onClick={() => onAction({ type: 'openBranch', rewindId: rewind })}
            >
              Open what was left behind
            </LinkButton>
          )}
          {summary === undefined ? null : (
            <LinkButton
              className="ml-2"
              onClick={() => onAction({ type: 'undoSummary', summaryId: summary })}
            >
              Take back
            </LinkButton>
          )}
          {restored === undefined ? null : (
            <LinkButton
              className="ml-2"
              onClick={() =>
                onAction({ type: 'restore', point: { kind: 'restore', id: restored.id } })
              }
            >
              Redo…
            </LinkButton>
          )}
        </span>
      </span>
      {rule}
    </div>
  );
});

type EndItem = Extract<Item, { kind: 'end' }>;

/** The end of a query: small print when it simply finished, otherwise the cause in words. */
const EndRow = memo(function EndRow({
  item,
  onAction,
}: {
  readonly item: EndItem;
  readonly onAction: OnCardAction;
}) {
  const look = item.cut === true ? CUT_LOOK : endLook(item);
  const home = useContext(HomeFolder);
  const openEnd = useContext(OpenEnd);
  const facts = endFacts({ ...item, text: tildeText(item.text, home) });
  if (look.level === 'meta' || look.level === 'info')
    return (
      <p className="px-2 text-meta text-ink-3 [overflow-wrap:anywhere]">
        {[...(look.level === 'info' ? [look.title] : []), ...facts].join(' · ')}
      </p>
    );
  return (
    <Notice level={look.level} title={look.title}>
      {item.text === '' ? null : (
        <p className="whitespace-pre-wrap">{tildeText(item.text, home)}</p>
      )}
      <p className="mt-1 text-meta text-ink-3">{facts.join(' · ')}</p>
      {item.cut === true ? (
        <p className="mt-2">
          <Button onClick={() => onAction({ type: 'continueWork', forSession: false })}>
            Continue
          </Button>
        </p>
      ) : item.terminal === 'max_turns' || item.terminal === 'max_budget' ? (
        <p className="mt-2 flex flex-wrap gap-2">
          <Button onClick={() => onAction({ type: 'continueWork', forSession: false })}>
            {item.terminal === 'max_budget' ? 'Raise it once and continue' : 'Continue'}
          </Button>
          <Button
            variant="ghost"
            onClick={() => onAction({ type: 'continueWork', forSession: true })}
          >
            No limit in this session
          </Button>
        </p>
      ) : item.failure !== undefined && ASKED_AGAIN.has(item.terminal) && item.id === openEnd ? (
        <p className="mt-2 flex flex-wrap gap-2">
          <Button
            icon={RotateCw}
            onClick={() => onAction({ type: 'continueWork', forSession: false })}
          >
            Retry
          </Button>
          {OF_CONNECTION.has(item.failure) ? (
            <Button variant="ghost" onClick={() => onAction({ type: 'connection' })}>
              Connection settings…
            </Button>
          ) : null}
        </p>
      ) : null}
    </Notice>
  );
});

/** The ends after which the same may be asked again. */
const ASKED_AGAIN: ReadonlySet<EndReason> = new Set(['model_error', 'image_error']);

/** The failures of which the key, the account or the address is the cause. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  ...['authentication_failed', 'cloud_credential_error', 'billing_error', 'model_not_found'],
  'unknown',
]);

/** Returns the facts of a query's end, in order: what a command answered, turns, time and cost. Pure. */
export function endFacts({
  terminal,
  text,
  turns,
  durationMs,
  costUsd,
}: EndItem): readonly string[] {
  const answer = terminal === 'completed' && turns === 0 ? text.trim() : '';
  const figures = [
    ...(turns > 0 ? [plural(turns, 'turn')] : []),
    ...[timeTaken(durationMs)].filter((time) => time !== ''),
    ...(costUsd > 0 ? [money(costUsd)] : []),
  ];
  if (answer === '') return figures;
  return [figures.length > 0 ? answer.replace(/\.$/, '') : answer, ...figures];
}

/** The look of the end of a query: `meta` is small print, the others are notices. */
interface EndLook {
  readonly level: 'meta' | 'info' | 'warning' | 'error';
  readonly title: string;
}

const CUT_LOOK: EndLook = { level: 'warning', title: 'This was cut off' };

/** Maps each terminal reason to its look and title. Without a turn nothing was answered: a command failed. */
export function endLook({ terminal, turns }: Pick<EndItem, 'terminal' | 'turns'>): EndLook {
  switch (terminal) {
    case 'completed':
      return { level: 'meta', title: 'Done' };
    case 'aborted_streaming':
    case 'aborted_tools':
      return { level: 'info', title: 'You stopped this' };
    case 'max_turns':
      return { level: 'warning', title: 'Stopped at the turn limit' };
    case 'max_budget':
      return { level: 'warning', title: 'Stopped at the budget' };
    case 'repeated_calls':
      return { level: 'warning', title: 'The same call came again and again' };
    case 'blocking_limit':
      return { level: 'warning', title: 'The context window is full' };
    case 'prompt_too_long':
      return { level: 'error', title: 'The conversation is too long for the model' };
    case 'image_error':
      return { level: 'error', title: 'An image could not be used' };
    case 'model_error':
      return {
        level: 'error',
        title: turns === 0 ? 'That did not work' : 'The model could not answer',
      };
    case 'stop_hook_prevented':
      return { level: 'warning', title: 'A stop hook ended this' };
    case 'hook_stopped':
      return { level: 'warning', title: 'A hook stopped this' };
    case 'tool_deferred':
      return { level: 'warning', title: 'A hook put a call off' };
    case 'tool_deferred_unavailable':
      return { level: 'error', title: 'The tool of a deferred call is gone' };
  }
}
