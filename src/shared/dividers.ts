import type { DurableEvent, NoticeLevel, Stamped } from './agent-event';
import { modelName } from './model-name';
import type { ToolView } from './tool-call';
import { type AgentTranscript, blockItemId, type Item, MAX_PINS } from './transcript';
import { type Change, type Draft, NOTHING, type Rows } from './transcript-draft';
import type { ContinueReason } from './turn';

/** Words for a user about another round of the loop; null where the conversation itself shows it. */
const CONTINUED: Readonly<Record<ContinueReason, string | null>> = {
  next_turn: null,
  collapse_drain_retry:
    'The conversation was too long for the model: older parts were folded, and it was asked again',
  // `compacted` comes right before and says it.
  reactive_compact_retry: null,
  max_output_tokens_escalate: 'The answer was cut at its length limit: asked again with more room',
  max_output_tokens_recovery: 'The answer was cut at the model’s length limit and goes on here',
  stop_hook_blocking: 'A stop hook sent Lathe back to work',
  token_budget_continuation: 'Your token budget is not used up, so the work goes on',
  // The prompt itself comes next, as `addQueuedMark` tells.
  queued_prompt: null,
  limit_lifted: 'You let the work go on with fresh limits',
  restarted: 'Lathe is back, and the work goes on',
  asked_again: 'You had the model asked again',
};

/** Dividers that replace one of their own kind right before them, so that they do not pile up. */
const REPLACING: ReadonlySet<string> = new Set(['retried', 'model_changed']);

/** The place of an event: its session's epoch and its number there. Makes ids of rows unique. */
export type Position = Pick<Stamped, 'epoch' | 'seq'>;

/** The words of a divider. `code` is its kind, for tests and looks. */
export interface Told {
  readonly code: string;
  readonly text: string;
  readonly level?: NoticeLevel;
  readonly fix?: string;
  readonly rewind?: string;
  readonly summary?: string;
  readonly restored?: { readonly id: string; readonly took: readonly string[] };
}

/** Adds a divider as the last row. `position` makes its id unique. */
export function addDivider({ active }: Draft, position: Position, told: Told): Change {
  const item: Item = {
    kind: 'divider',
    id: `${told.code}:${position.epoch}:${position.seq}`,
    level: 'info',
    ...told,
  };
  const last = active.last();
  const replaces = last?.kind === 'divider' && last.code === told.code && REPLACING.has(told.code);
  if (replaces) active.replaceLast(item);
  else active.add(item);
  return NOTHING;
}

/** Adds a divider for another round of the loop, where that is worth telling. */
export function addContinued(draft: Draft, position: Position, reason: ContinueReason): Change {
  const text = CONTINUED[reason];
  if (text !== null) addDivider(draft, position, { code: reason, text });
  return TAKES_UP.has(reason) ? promptTakenUp(draft) : NOTHING;
}

/** The reasons for which a query answers the prompt of the one before. */
const TAKES_UP: ReadonlySet<ContinueReason> = new Set(['asked_again', 'restarted']);

function promptTakenUp({ t: { query }, committed }: Draft): Change {
  const prompt = committed.findLast(({ kind }) => kind === 'prompt');
  return query === null || !prompt ? NOTHING : { query: { ...query, promptId: prompt.id } };
}

type Retried = Extract<DurableEvent, { type: 'retried' }>;

/** Adds a divider for an answer that came after a failure. */
export const addRetried = (
  draft: Draft,
  position: Position,
  { reason, attempt }: Retried,
): Change =>
  addDivider(draft, position, {
    code: 'retried',
    text: `${asSentence(reason)} The model answered on try ${attempt}`,
  });

/** Changes the model. Adds a divider where something was said already and no notice has told of the change. */
export function addModel(draft: Draft, position: Position, model: string): Change {
  const { t, active, committed } = draft;
  if (t.model === model) return NOTHING;
  const last = active.last();
  const isFirst = t.model === '' || (last === undefined && committed.last() === undefined);
  const isTold = last?.kind === 'divider' && last.code === 'model_fallback';
  if (!isFirst && !isTold) {
    addDivider(draft, position, {
      code: 'model_changed',
      text: `${modelName(model)} answers from here`,
    });
  }
  return { model, context: t.context && { ...t.context, windowTokens: 0 } };
}

/** Says that a prompt waited in the queue, when it goes in while a query is running. */
export function addQueuedMark(draft: Draft, position: Position): Change {
  const start = lastRow(draft, ({ kind }) => kind === 'prompt' || kind === 'end');
  const isRunning = draft.t.running !== null && start?.kind === 'prompt';
  const before = lastRow(draft, ({ kind }) => kind !== 'prompt');
  const isMarked = before?.kind === 'divider' && before.code === 'queued_prompt';
  if (!isRunning || (isMarked && lastRow(draft)?.kind === 'prompt')) return NOTHING;
  return addDivider(draft, position, { code: 'queued_prompt', text: 'Taken from the queue' });
}

/** Returns the newest row that matches, of the live turn or before it. */
const lastRow = (
  { active, committed }: Draft,
  matches: (item: Item) => boolean = () => true,
): Item | undefined => active.findLast(matches) ?? committed.findLast(matches);

type Attached = Extract<DurableEvent, { type: 'attachment' }>;

/** Longer news are cut on screen; the model gets them whole. Characters. */
const MAX_NEWS = 160;

/** Adds a divider for what the model was told beside the conversation and a user should see: news of a task, notes. */
export function addAttached(draft: Draft, position: Position, { kind, text }: Attached): Change {
  if (kind === 'relevant_notes') {
    const [first = ''] = text.split('\n', 1);
    return addDivider(draft, position, { code: 'notes', text: cut(first) });
  }
  if (kind !== 'task_notification') return NOTHING;
  const [, summary = 'A task had news'] = /<summary>([^<]*)<\/summary>/.exec(text) ?? [];
  const [first, ...more] = /<lines>\n([^<]*)<\/lines>/.exec(text)?.[1]?.trimEnd().split('\n') ?? [];
  const seen = first === undefined ? '' : ` ${first}`;
  const rest = more.length === 0 ? '' : ` (and ${more.length} more)`;
  return addDivider(draft, position, {
    code: 'task_news',
    text: `${cut(plain(summary + seen))}${rest}`,
  });
}

/** Removes the escapes that keep a command's text from ending the notification it stands in. */
const plain = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

const cut = (text: string): string =>
  text.length > MAX_NEWS ? `${text.slice(0, MAX_NEWS - 1)}…` : text;

type Compacted = Extract<DurableEvent, { type: 'compacted' }>;

/** Adds a divider that says what a summary replaced and freed. */
export function addCompacted(draft: Draft, position: Position, event: Compacted): Change {
  const { removed, tokensBefore, tokensAfter } = event;
  const count = removed.length === 1 ? '' : `${removed.length} messages became one, `;
  const ahead = event.ahead === true ? ', written while the work went on' : '';
  const text = `Conversation summarised: ${count}${thousands(tokensBefore)} → ${thousands(tokensAfter)} tokens${ahead}`;
  addDivider(draft, position, { code: 'compacted', text, summary: event.id });
  const { query, layers } = draft.t;
  return {
    layers: withWork(
      layers,
      event.block === undefined ? 'autocompact' : 'api_compaction',
      tokensBefore - tokensAfter,
    ),
    query: query && { ...query, outputAtSummary: query.spend.usage.outputTokens },
    waiting: null,
    draft: null,
    cleared: null,
    context: contextOf(draft.t, tokensAfter),
  };
}

/** Says how full the window is now. An answer that could not be counted says nothing. */
export const contextOf = (t: AgentTranscript, usedTokens: number): AgentTranscript['context'] =>
  usedTokens === 0 ? t.context : { usedTokens, windowTokens: t.context?.windowTokens ?? 0 };

const withWork = (layers: AgentTranscript['layers'], layer: string, freed: number) => {
  const before = layers[layer] ?? { acts: 0, freed: 0 };
  return { ...layers, [layer]: { acts: before.acts + 1, freed: before.freed + freed } };
};

/** Adds a divider that says that a summary was taken back. */
export function addCompactionUndone(draft: Draft, position: Position, id: string): Change {
  const { active, committed, t } = draft;
  const plain = (item: Item): Item => {
    if (item.kind !== 'divider') return item;
    const { summary: _, ...rest } = item;
    return rest;
  };
  for (const rows of [active, committed]) {
    const row = rows.findLast((item) => item.kind === 'divider' && item.summary === id);
    if (row !== undefined) rows.update(row.id, plain);
  }
  addDivider(draft, position, {
    code: 'compaction_undone',
    text: 'You took the summary back: the whole conversation is sent again',
  });
  return { context: t.context && { ...t.context, usedTokens: 0 } };
}

/** Adds a divider behind which the conversation begins anew; what is above it is no longer sent. */
export function addCleared(draft: Draft, position: Position): Change {
  const { t } = draft;
  addDivider(draft, position, {
    code: 'conversation_cleared',
    text: 'The conversation begins anew here: the model has nothing of what is above',
  });
  const context = t.context && { ...t.context, usedTokens: 0 };
  return { todos: [], plan: null, pins: [], draft: null, context };
}

/** Pins a message, or lets go of it. */
export function changePins(
  { t }: Draft,
  { messageId, pinned }: Extract<DurableEvent, { type: 'message_pinned' }>,
): Change {
  const others = t.pins.filter((id) => id !== messageId);
  return { pins: pinned ? [...others, messageId].slice(-MAX_PINS) : others };
}

/** Tells whether a divider says already what the end of a summary by hand would say. */
export const isSummaryTold = (rows: Rows): boolean =>
  rows.some((item) => item.kind === 'divider' && TOLD_OF.has(item.code));

const TOLD_OF: ReadonlySet<string> = new Set(['compacted', 'nothing_to_compact']);

type Rewound = Extract<DurableEvent, { type: 'rewound' }>;

/**
 * Takes a prompt and all after it out, and adds a divider through which that can be had again. What calls had set
 * meanwhile is again what it was before.
 */
export function addRewound(
  draft: Draft,
  position: Position,
  { id, promptId, text, restored }: Rewound,
): Change {
  const { t, active, committed } = draft;
  // A program may go back to before an answer too: its first row is that of its first block.
  const rows = [promptId, blockItemId(promptId, 0)];
  if (rows.some(committed.removeFrom)) active.takeAll();
  else if (!rows.some(active.removeFrom)) return NOTHING;
  const words = cut(text.replace(/\s+/g, ' ').trim()) || 'a message without words';
  addDivider(draft, position, {
    code: 'rewound',
    text: `You went back to before “${words}”. ${restored === undefined ? 'Files stay as they are' : 'Files went back too'}`,
    rewind: id,
    ...(restored === undefined ? {} : { restored: { id: restored, took: [] } }),
  });
  const todo = lastView(committed, ({ kind }) => kind === 'todo');
  const plan = lastView(committed, (view) => view.kind === 'plan' && view.state === 'approved');
  return {
    todos: todo?.kind === 'todo' ? todo.items : [],
    plan: plan?.kind === 'plan' ? plan.plan : null,
    context: t.context && { ...t.context, usedTokens: 0 },
  };
}

function lastView(rows: Draft['committed'], isIt: (view: ToolView) => boolean): ToolView | null {
  const call = rows.findLast(
    (item) => item.kind === 'call' && item.view !== null && isIt(item.view),
  );
  return call?.kind === 'call' ? call.view : null;
}

/** Words for what a layer of the context did. */
const EDITED: Readonly<Record<string, string>> = {
  tool_result_budget: 'Results too long to send together went to files',
  snip: 'Old results were left out of what is sent',
  microcompact: 'Old results that can be had again were cleared',
  unfold: 'You brought back what was folded',
  hook: 'A hook replaced a result for the model',
  thinking_refused: 'The API did not take earlier thinking back: it is no longer sent',
  collapse: 'Finished work was folded into short accounts',
};

/** Names of those that edit what is sent without being a layer that makes it smaller. */
const NO_LAYERS: ReadonlySet<string> = new Set(['unfold', 'hook', 'thinking_refused']);

type ContextEdited = Extract<DurableEvent, { type: 'context_edited' }>;

/** Adds a divider that says what a layer of the context left out, and what that freed. */
export function addContextEdited(draft: Draft, position: Position, event: ContextEdited): Change {
  const what = EDITED[event.layer] ?? `The context was made smaller (${event.layer})`;
  const text = event.freed > 0 ? `${what}: ${thousands(event.freed)} tokens freed` : what;
  addDivider(draft, position, { code: 'context_edited', text });
  return NO_LAYERS.has(event.layer)
    ? NOTHING
    : { layers: withWork(draft.t.layers, event.layer, event.freed) };
}

const thousands = (tokens: number): string =>
  tokens < 1000 ? String(tokens) : `${Math.round(tokens / 1000)}k`;

/** Ends `text` by a full stop, so that another sentence can follow. */
export const asSentence = (text: string): string =>
  /[.!?…]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`;
