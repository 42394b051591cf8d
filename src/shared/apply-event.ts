import type { AgentEvent, Stamped } from './agent-event';
import {
  withCompacted,
  withContinued,
  withDivider,
  withModel,
  withQueuedMark,
  withRetried,
  withTaskNews,
} from './dividers';
import { type HookReport, isNotable } from './hooks';
import { withPutOff } from './put-off';
import type { Task } from './task';
import {
  addUsage,
  blockItemId,
  type CallItem,
  type Item,
  type Transcript,
  windowShare,
} from './transcript';

/** Folds one event into the picture. Pure; an event already folded in (same epoch, old seq) changes nothing. */
export function applyEvent(t: Transcript, stamped: Stamped): Transcript {
  if (stamped.epoch === t.epoch && stamped.seq <= t.seq) return t;
  const heard = FROM_MODEL.has(stamped.event.type) && t.silentSince !== null;
  const before = heard ? { ...t, silentSince: null } : t;
  const next = fold(before, stamped.event, stamped.at, stamped.seq);
  return { ...next, epoch: stamped.epoch, seq: stamped.seq };
}

/** Events that end a silence of the model: it spoke, or its request is over. */
const FROM_MODEL: ReadonlySet<AgentEvent['type']> = new Set([
  'message_started',
  'block_started',
  'block_delta',
  'block_finished',
  'message_finished',
  'tombstone',
  'side_call',
  'retry_waiting',
  'notice',
  'turn_started',
  'query_finished',
]);

function fold(t: Transcript, event: AgentEvent, at: number, seq: number): Transcript {
  switch (event.type) {
    case 'session_started':
      return { ...t, cwd: event.cwd, createdAt: event.createdAt, demo: event.demo ?? false };
    case 'title_changed':
      return { ...t, title: event.title };
    case 'model_changed':
      return withModel(t, seq, event.model);
    case 'effort_changed':
      return { ...t, effort: event.effort };
    case 'mode_changed':
      return { ...t, mode: event.mode };
    case 'query_started':
      return { ...t, running: { queryId: event.queryId, startedAt: at, turn: 0 } };
    case 'turn_started':
      return t.running ? { ...t, running: { ...t.running, turn: event.turn } } : t;
    case 'user_message':
      return event.synthetic ? t : withPrompt(t, event, at, seq);
    case 'attachment':
      return withTaskNews(t, seq, event);
    case 'continued':
      return { ...withContinued(t, seq, event.reason), waiting: null };
    case 'message_started':
      return { ...t, waiting: null };
    case 'retried':
      return { ...withRetried(t, seq, event), waiting: null };
    case 'block_started':
      return withBlockStart(t, event);
    case 'block_delta':
      return updateItem(t, blockItemId(event.messageId, event.index), (item) =>
        item.kind === 'text' || item.kind === 'thinking'
          ? { ...item, text: item.text + event.text }
          : item,
      );
    case 'block_finished':
      return withBlock(t, event);
    case 'message_finished':
      return {
        ...t,
        usage: addUsage(t.usage, event.usage),
        costUsd: t.costUsd + event.costUsd,
        tokensPerSecond: event.tokensPerSecond ?? t.tokensPerSecond,
        ttftMs: event.ttftMs ?? t.ttftMs,
        context: contextOf(t, windowShare(event.usage)),
      };
    case 'side_call':
      return {
        ...t,
        usage: addUsage(t.usage, event.usage),
        costUsd: t.costUsd + event.costUsd,
        waiting: null,
      };
    case 'call_changed':
      return upsertCall(t, {
        id: event.callId,
        tool: event.tool,
        title: event.title,
        status: event.status,
        view: event.view,
        ...(event.startedAt === undefined ? {} : { startedAt: event.startedAt }),
      });
    case 'call_settled':
      return upsertCall(t, {
        id: event.callId,
        tool: event.tool,
        title: event.title,
        status: event.status,
        view: event.view,
        startedAt: at - event.durationMs,
        durationMs: event.durationMs,
        ...(event.isError ? { error: textOf(event.content) } : {}),
      });
    case 'approval_requested':
      return { ...t, approvals: [...t.approvals, event.approval] };
    case 'approval_withdrawn':
    case 'approval_answered':
      return { ...t, approvals: t.approvals.filter((a) => a.id !== event.approvalId) };
    case 'retry_waiting':
      return {
        ...t,
        waiting: {
          reason: event.reason,
          attempt: event.attempt,
          maxAttempts: event.maxAttempts,
          until: at + event.delayMs,
        },
      };
    case 'retry_ended':
      return t.waiting
        ? { ...t, waiting: { ...t.waiting, until: Math.min(t.waiting.until, at) } }
        : t;
    case 'stalled':
      return { ...t, silentSince: at - event.silentMs };
    case 'queue_changed':
      return { ...t, queue: event.queue };
    case 'task_changed':
    case 'task_settled':
      return { ...t, tasks: upsertTask(t.tasks, event.task) };
    case 'task_evicted':
      return { ...t, tasks: t.tasks.filter((task) => task.id !== event.taskId) };
    case 'context_changed':
      return {
        ...t,
        context: {
          usedTokens: event.usedTokens,
          windowTokens: event.windowTokens,
          ...(event.parts === undefined ? {} : { parts: event.parts }),
          ...(event.compactAt === undefined ? {} : { compactAt: event.compactAt }),
        },
      };
    case 'compaction_started':
      return {
        ...t,
        compacting: { trigger: event.trigger, startedAt: at, tokensBefore: event.tokensBefore },
      };
    case 'compaction_ended':
      return { ...t, compacting: null, waiting: null };
    case 'compacted':
      return {
        ...withCompacted(t, seq, event),
        waiting: null,
        context: contextOf(t, event.tokensAfter),
      };
    case 'tombstone':
      return {
        ...t,
        active: t.active.filter(
          (i) => !i.id.startsWith(`${event.messageId}:`) && !event.calls?.includes(i.id),
        ),
      };
    case 'notice': {
      const { level, code, text, fix } = event;
      const told = { level, code, text, ...(fix === undefined ? {} : { fix }) };
      const waits = t.waiting !== null && t.waiting.until > at;
      return { ...withDivider(t, seq, told), waiting: waits ? t.waiting : null };
    }
    case 'hook_started':
      return { ...t, hooks: [...t.hooks, event.hook] };
    case 'hook_settled':
      return withHook(t, event.report);
    case 'query_finished':
      return endQuery(t, event);
  }
}

/** A hook is done; only what a person may want to know becomes a row. */
function withHook(t: Transcript, report: HookReport): Transcript {
  const hooks = t.hooks.filter((hook) => hook.id !== report.id);
  const without = hooks.length === t.hooks.length ? t : { ...t, hooks };
  return isNotable(report) ? withItem(without, { kind: 'hook', id: report.id, report }) : without;
}

function withPrompt(
  t: Transcript,
  { id, content }: Extract<AgentEvent, { type: 'user_message' }>,
  at: number,
  seq: number,
): Transcript {
  const text = textOf(content);
  return text === '' ? t : withItem(withQueuedMark(t, seq), { kind: 'prompt', id, text, at });
}

/** How full the window is now. An answer that could not be counted says nothing. */
const contextOf = (t: Transcript, usedTokens: number): Transcript['context'] =>
  usedTokens === 0 ? t.context : { usedTokens, windowTokens: t.context?.windowTokens ?? 0 };

const textOf = (content: readonly { readonly type: string }[]): string =>
  content
    .map((b) => ('text' in b && typeof b.text === 'string' ? b.text : ''))
    .filter((text) => text !== '')
    .join('\n');

type BlockStart = Extract<AgentEvent, { type: 'block_started' }>;
type BlockFinish = Extract<AgentEvent, { type: 'block_finished' }>;

function withBlockStart(t: Transcript, event: BlockStart): Transcript {
  const id = blockItemId(event.messageId, event.index);
  if (event.kind === 'text') return withItem(t, { kind: 'text', id, text: '', done: false });
  if (event.kind === 'thinking')
    return withItem(t, { kind: 'thinking', id, text: '', done: false });
  return t;
}

/** A finished block replaces what its deltas built; from a log there were no deltas, and it is simply added. */
function withBlock(t: Transcript, event: BlockFinish): Transcript {
  const { block } = event;
  const id = blockItemId(event.messageId, event.index);
  if (block.type === 'text')
    return upsertItem(t, { kind: 'text', id, text: block.text, done: true });
  if (block.type === 'thinking')
    return upsertItem(t, { kind: 'thinking', id, text: block.thinking, done: true });
  if (block.type === 'tool_use' && !t.active.some((i) => i.id === block.id)) {
    return upsertCall(t, {
      id: block.id,
      tool: block.name,
      title: { verb: block.name, target: '' },
      status: 'queued',
      view: null,
    });
  }
  return t;
}

const withItem = (t: Transcript, item: Item): Transcript => ({ ...t, active: [...t.active, item] });

function updateItem(t: Transcript, id: string, change: (item: Item) => Item): Transcript {
  const at = t.active.findLastIndex((i) => i.id === id);
  const item = t.active[at];
  return item === undefined ? t : { ...t, active: t.active.with(at, change(item)) };
}

const upsertItem = (t: Transcript, item: Item): Transcript =>
  t.active.some((i) => i.id === item.id) ? updateItem(t, item.id, () => item) : withItem(t, item);

function upsertCall(t: Transcript, call: Omit<CallItem, 'kind'>): Transcript {
  const known = t.active.some((i) => i.id === call.id);
  if (!known) return withItem(t, { kind: 'call', ...call });
  return updateItem(t, call.id, (item) =>
    item.kind === 'call' ? { ...item, ...call, view: call.view ?? item.view } : item,
  );
}

const upsertTask = (tasks: readonly Task[], task: Task): readonly Task[] =>
  tasks.some((t) => t.id === task.id)
    ? tasks.map((t) => (t.id === task.id ? task : t))
    : [...tasks, task];

function endQuery(
  t: Transcript,
  event: Extract<AgentEvent, { type: 'query_finished' }>,
): Transcript {
  const end: Item = {
    kind: 'end',
    id: `end:${event.queryId}`,
    terminal: event.terminal,
    text: event.text,
    turns: event.turns,
    costUsd: event.costUsd,
    durationMs: event.durationMs,
  };
  const active = event.deferred ? withPutOff(t.active, event.deferred.id) : t.active;
  return {
    ...t,
    committed: [...t.committed, ...active, end],
    active: [],
    running: null,
    waiting: null,
    compacting: null,
    silentSince: null,
    approvals: [],
  };
}
