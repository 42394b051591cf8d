import type { DurableEvent, NoticeLevel } from './agent-event';
import { modelName } from './model-name';
import type { Item, Transcript } from './transcript';
import type { Continue } from './turn';

/** What a person is told about another round of the loop; null where the conversation itself shows it. */
const CONTINUED: Readonly<Record<Continue, string | null>> = {
  next_turn: null,
  collapse_drain_retry:
    'The conversation was too long for the model: older parts were folded, and it was asked again',
  // `compacted` comes right before and says it.
  reactive_compact_retry: null,
  max_output_tokens_escalate: 'The answer was cut at its length limit: asked again with more room',
  max_output_tokens_recovery: 'The answer was cut at the model’s length limit and goes on here',
  stop_hook_blocking: 'A stop hook sent Lathe back to work',
  token_budget_continuation: 'Your token budget is not used up, so the work goes on',
  // The prompt itself comes next, as `withQueuedMark` tells.
  queued_prompt: null,
};

/** Dividers that replace one of their own kind right before them, so that they do not pile up. */
const REPLACING: ReadonlySet<string> = new Set(['retried', 'model_changed']);

/** What a divider says. `code` is its kind, for tests and looks. */
export interface Told {
  readonly code: string;
  readonly text: string;
  readonly level?: NoticeLevel;
  readonly fix?: string;
}

/** Adds a divider at the end of what moves. `seq` makes its id unique. Pure. */
export function withDivider(t: Transcript, seq: number, told: Told): Transcript {
  const item: Item = {
    kind: 'divider',
    id: `${told.code}:${t.epoch}:${seq}`,
    level: 'info',
    ...told,
  };
  const last = t.active.at(-1);
  const replaces = last?.kind === 'divider' && last.code === told.code && REPLACING.has(told.code);
  return { ...t, active: [...(replaces ? t.active.slice(0, -1) : t.active), item] };
}

/** Another round, where that is worth telling. */
export function withContinued(t: Transcript, seq: number, reason: Continue): Transcript {
  const text = CONTINUED[reason];
  return text === null ? t : withDivider(t, seq, { code: reason, text });
}

type Retried = Extract<DurableEvent, { type: 'retried' }>;

/** An answer came after all: tells of the failure before it. */
export const withRetried = (t: Transcript, seq: number, { reason, attempt }: Retried): Transcript =>
  withDivider(t, seq, {
    code: 'retried',
    text: `${asSentence(reason)} The model answered on try ${attempt}`,
  });

/** Another model, where somebody has said something already and no notice has told of it. */
export function withModel(t: Transcript, seq: number, model: string): Transcript {
  const context = t.context && { ...t.context, windowTokens: 0 };
  const changed = t.model === model ? t : { ...t, model, context };
  const last = t.active.at(-1);
  const quiet = t.committed.length + t.active.length === 0 || t.model === model || t.model === '';
  const told = last?.kind === 'divider' && last.code === 'model_fallback';
  if (quiet || told) return changed;
  return withDivider(changed, seq, {
    code: 'model_changed',
    text: `${modelName(model)} answers from here`,
  });
}

/** Says that a prompt waited in the queue, when it goes in while a query is at work. */
export function withQueuedMark(t: Transcript, seq: number): Transcript {
  const atWork = t.running !== null && t.active.some((item) => item.kind === 'prompt');
  const before = t.active.findLast((item) => item.kind !== 'prompt');
  const marked = before?.kind === 'divider' && before.code === 'queued_prompt';
  if (!atWork || (marked && t.active.at(-1)?.kind === 'prompt')) return t;
  return withDivider(t, seq, { code: 'queued_prompt', text: 'Taken from the queue' });
}

type Attached = Extract<DurableEvent, { type: 'attachment' }>;

/** Longer news are cut on screen; the model gets them whole. Characters. */
const MAX_NEWS = 160;

/** What a task told the model: it may have woken the session, and a person sees by what. */
export function withTaskNews(t: Transcript, seq: number, { kind, text }: Attached): Transcript {
  if (kind !== 'task_notification') return t;
  const [, summary = 'A task had news'] = /<summary>([^<]*)<\/summary>/.exec(text) ?? [];
  const [first, ...more] = /<lines>\n([^<]*)<\/lines>/.exec(text)?.[1]?.trimEnd().split('\n') ?? [];
  const seen = first === undefined ? '' : ` ${first}`;
  const rest = more.length === 0 ? '' : ` (and ${more.length} more)`;
  return withDivider(t, seq, { code: 'task_news', text: `${cut(plain(summary + seen))}${rest}` });
}

/** Without the escapes that keep a command's text from ending the notification it stands in. */
const plain = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

const cut = (text: string): string =>
  text.length > MAX_NEWS ? `${text.slice(0, MAX_NEWS - 1)}…` : text;

type Compacted = Extract<DurableEvent, { type: 'compacted' }>;

/** What a summary replaced, and what that freed. */
export function withCompacted(t: Transcript, seq: number, event: Compacted): Transcript {
  const { removed, tokensBefore, tokensAfter } = event;
  const count = removed.length === 1 ? '' : `${removed.length} messages became one, `;
  const text = `Conversation summarised: ${count}${thousands(tokensBefore)} → ${thousands(tokensAfter)} tokens`;
  return withDivider(t, seq, { code: 'compacted', text });
}

const thousands = (tokens: number): string =>
  tokens < 1000 ? String(tokens) : `${Math.round(tokens / 1000)}k`;

/** `text` ended by a full stop, as one sentence before another. */
export const asSentence = (text: string): string =>
  /[.!?…]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`;
