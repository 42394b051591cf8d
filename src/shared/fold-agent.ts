import type { AgentEvent, Stamped } from './agent-event';
import {
  addAttached,
  addCleared,
  addCompacted,
  addCompactionUndone,
  addContextEdited,
  addContinued,
  addDivider,
  addModel,
  addRetried,
  addRewound,
  changePins,
  contextOf,
  isSummaryTold,
  type Position,
} from './dividers';
import { addSpend, newQueryFacts, type Spend } from './facts';
import { addFilesChanged } from './fold-changes';
import { addHook } from './fold-hooks';
import {
  addBlock,
  addBlockStart,
  addPrompt,
  receiving,
  removeAnswer,
  settleTurn,
  upsertCall,
} from './fold-rows';
import { addShown, withDelta } from './fold-shown';
import { chosenAfter } from './model-name';
import type { ToolView } from './tool-call';
import { type AgentTranscript, blockItemId, windowShare } from './transcript';
import { type Change, changeDraft, type Draft, NOTHING, type Rows } from './transcript-draft';

/** Folds an event into the draft of the agent it happened to; `project` is the folder of its session. */
export function foldAgent<T extends AgentTranscript>(
  draft: Draft<T>,
  stamped: Stamped,
  project: string,
): void {
  const { event, at } = stamped;
  const heard = draft.t.silentSince !== null && FROM_MODEL.has(event.type);
  const change = fold(draft, event, at, stamped, project);
  if (!heard && change === NOTHING) return;
  if (heard) changeDraft(draft, SPOKE);
  changeDraft(draft, change);
}

const SPOKE: Change = { silentSince: null };

/** Events that end a silence of the model: it spoke, or its request is over. */
const FROM_MODEL: ReadonlySet<AgentEvent['type']> = new Set([
  'message_started',
  'block_started',
  'block_delta',
  'thinking_counted',
  'block_finished',
  'message_finished',
  'tombstone',
  'side_call',
  'retry_waiting',
  'notice',
  'turn_started',
  'query_finished',
]);

function fold(
  draft: Draft,
  event: AgentEvent,
  at: number,
  position: Position,
  project: string,
): Change {
  const { t, active } = draft;
  switch (event.type) {
    case 'model_changed':
      return addModel(draft, position, chosenAfter(t.model, event));
    case 'effort_changed':
      return { effort: event.effort };
    case 'thinking_changed':
      return { thinking: event.thinking };
    case 'mode_changed':
      return { mode: event.mode };
    case 'limits_changed':
      return { limits: event.limits };
    case 'query_started':
      return {
        running: { queryId: event.queryId, startedAt: at, turn: 0 },
        query: newQueryFacts(event.queryId),
      };
    case 'turn_started':
      return {
        running: t.running && { ...t.running, turn: event.turn },
        query: t.query && { ...t.query, turn: event.turn },
      };
    case 'cwd_changed':
      return { shellCwd: event.cwd };
    case 'user_message':
      return event.synthetic ? NOTHING : addPrompt(draft, event, at, position);
    case 'attachment':
      return addAttached(draft, position, event);
    case 'continued':
      settleTurn(draft);
      return { ...addContinued(draft, position, event.reason), waiting: null };
    case 'message_started':
      return { waiting: null };
    case 'retried':
      return { ...addRetried(draft, position, event), waiting: null };
    case 'block_started':
      return addBlockStart(draft, event);
    case 'block_delta':
      active.update(blockItemId(event.messageId, event.index), (item) => {
        if (item.kind === 'call') return receiving(item, event.text, project);
        return withDelta(item, event.text);
      });
      return NOTHING;
    case 'block_finished':
      return addBlock(draft, event);
    case 'text_shown':
    case 'text_replaced':
      return addShown(draft, event);
    case 'message_finished':
      return {
        ...queryWith(t, spendOf(event)),
        tokensPerSecond: event.tokensPerSecond ?? t.tokensPerSecond,
        ttftMs: event.ttftMs ?? t.ttftMs,
        context: contextOf(t, windowShare(event.usage)),
        cleared: event.cleared?.results ? event.cleared : null,
      };
    case 'side_call':
      return { ...queryWith(withSideMs(t, event.durationMs), spendOf(event)), waiting: null };
    case 'call_changed':
      return upsertCall(draft, {
        id: event.callId,
        tool: event.tool,
        title: event.title,
        status: event.status,
        view: event.view,
        ...(event.startedAt === undefined ? {} : { startedAt: event.startedAt }),
      });
    case 'call_settled':
      upsertCall(draft, {
        id: event.callId,
        tool: event.tool,
        title: event.title,
        status: event.status,
        view: event.view,
        startedAt: at - event.durationMs,
        durationMs: event.durationMs,
        ...(event.isError ? { error: textOf(event.content) } : {}),
      });
      return todosAndPlan(event.view);
    case 'tools_found':
      return { foundTools: [...new Set([...t.foundTools, ...event.names])] };
    case 'retry_waiting':
      return {
        waiting: {
          reason: event.reason,
          attempt: event.attempt,
          maxAttempts: event.maxAttempts,
          until: at + event.delayMs,
        },
      };
    case 'retry_ended':
      return t.waiting
        ? { waiting: { ...t.waiting, until: Math.min(t.waiting.until, at) } }
        : NOTHING;
    case 'stalled':
      return { silentSince: at - event.silentMs };
    case 'context_changed': {
      const { type: _, ...context } = event;
      return { context };
    }
    case 'compaction_started':
      return {
        compacting: { trigger: event.trigger, startedAt: at, tokensBefore: event.tokensBefore },
      };
    case 'compaction_ended':
      return { compacting: null, waiting: null };
    case 'compacted':
      return addCompacted(draft, position, event);
    case 'context_edited':
      return addContextEdited(draft, position, event);
    case 'message_pinned':
      return changePins(draft, event);
    case 'summary_drafted':
      return { draft: event.draft };
    case 'compaction_undone':
      return addCompactionUndone(draft, position, event.id);
    case 'conversation_cleared':
      return addCleared(draft, position);
    case 'rewound':
      return addRewound(draft, position, event);
    case 'files_changed':
      return addFilesChanged(draft, position, event);
    case 'tombstone':
      return removeAnswer(active, event);
    case 'notice': {
      const { level, code, text, fix } = event;
      addDivider(draft, position, { level, code, text, ...(fix === undefined ? {} : { fix }) });
      const waits = t.waiting !== null && t.waiting.until > at;
      return waits ? NOTHING : { waiting: null };
    }
    case 'hook_started':
    case 'hook_backgrounded':
    case 'hook_settled':
      return addHook(draft, event);
    case 'query_finished':
      return endQuery(draft, event);
    default:
      return NOTHING;
  }
}

const spendOf = ({
  usage,
  costUsd,
}: Extract<AgentEvent, { type: 'message_finished' | 'side_call' }>): Spend => ({
  usage,
  costUsd,
  requests: 1,
});

const withSideMs = (t: AgentTranscript, ms: number): Pick<AgentTranscript, 'query'> => ({
  query: t.query && { ...t.query, sideMs: t.query.sideMs + ms },
});

/** Counts a spend into the running query. */
export const queryWith = ({ query }: Pick<AgentTranscript, 'query'>, spent: Spend): Change =>
  query === null ? NOTHING : { query: { ...query, spend: addSpend(query.spend, spent) } };

/** Returns todos and plan where a call has set them, as its view shows them. */
function todosAndPlan(view: ToolView | null): Change {
  if (view?.kind === 'todo') return { todos: view.items };
  return view?.kind === 'plan' && view.state === 'approved' ? { plan: view.plan } : NOTHING;
}

function endQuery(draft: Draft, event: Extract<AgentEvent, { type: 'query_finished' }>): Change {
  const { t, active, committed } = draft;
  if (event.deferred) closeDeferred(active, event.deferred.id);
  const { terminal, turns, costUsd, durationMs } = event;
  const how = {
    ...(event.failure === undefined ? {} : { failure: event.failure.error }),
    ...(event.cut === undefined ? {} : { cut: event.cut }),
  };
  const text = turns === 0 && isSummaryTold(active) ? '' : event.text;
  settleTurn(draft);
  const id = `end:${event.queryId}`;
  committed.add({ kind: 'end', id, terminal, text, turns, costUsd, durationMs, ...how });
  const { query } = t;
  const isAnswered = (query?.promptId ?? null) !== null && how.cut !== true && !('failure' in how);
  return {
    running: null,
    query: query && { ...query, turn: event.turns },
    roundTrips: t.roundTrips + event.turns,
    promptsAnswered: t.promptsAnswered + (isAnswered ? 1 : 0),
    waiting: null,
    compacting: null,
    silentSince: null,
  };
}

/** Closes the row of a deferred call. When the call is resumed it has a row of its own. */
const closeDeferred = (active: Rows, callId: string): boolean =>
  active.update(callId, (item) =>
    item.kind === 'call'
      ? { ...item, id: `${callId}:deferred`, status: 'cancelled', error: 'A hook deferred this.' }
      : item,
  );

const textOf = (content: readonly { readonly type: string }[]): string =>
  content
    .map((b) => ('text' in b && typeof b.text === 'string' ? b.text : ''))
    .filter((text) => text !== '')
    .join('\n');
