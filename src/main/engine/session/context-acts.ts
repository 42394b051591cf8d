import type { Stamped } from '../../../shared/agent-event';
import type { ContextAct } from '../../../shared/context-act';
import { err, fault, ok, type Result } from '../../../shared/result';
import { MAX_PINS } from '../../../shared/transcript';
import type { AgentState } from '../agent-state';
import { applyDraft, draftSummary } from '../context/compact';
import { recordAll } from '../context/layer';
import { contextChanged } from '../context/limits';
import { messagesTokens } from '../context/tokens';
import { contextBudget } from '../loop/prepare-turn';
import type { QueryDeps } from '../loop/query-deps';
import { newestBoundary, sinceBoundary } from '../messages/normalize';
import { FOLDED } from '../messages/projection';
import type { QueryEngine } from '../query-engine';

/** The acts that change nothing that is being sent: they are done at once, whatever runs. */
type QuickAct = Extract<ContextAct, { kind: 'pin' | 'discard' | 'measure' }>;
/** The acts that are queries, so that they are shown, stopped and reported like any other. */
type SlowAct = Exclude<ContextAct, QuickAct>;

/** Tells whether an act needs no query. */
export const isQuick = (act: ContextAct): act is QuickAct =>
  act.kind === 'pin' || act.kind === 'discard' || act.kind === 'measure';

/** Carries out a quick act. */
export async function actQuickly(
  act: QuickAct,
  state: AgentState,
  engine: Pick<QueryEngine, 'measure'>,
): Promise<Result<null>> {
  if (act.kind === 'measure') {
    await engine.measure();
    return ok(null);
  }
  if (act.kind === 'discard') {
    if (state.transcript().draft === null) return err(NO_DRAFT);
    state.record({ type: 'summary_drafted', draft: null });
    return ok(null);
  }
  const { messageId, pinned } = act;
  if (pinned && !state.history().some(({ id }) => id === messageId)) return err(NO_MESSAGE);
  if (pinned && state.transcript().pins.length >= MAX_PINS) return err(TOO_MANY_PINS);
  state.record({ type: 'message_pinned', messageId, pinned });
  return ok(null);
}

const NO_DRAFT = fault('gone', 'No summary waits to be looked at.');
const NO_MESSAGE = fault('gone', 'That message is no longer part of this conversation.');
const TOO_MANY_PINS = fault('too_many', `At most ${MAX_PINS} messages can be pinned.`);

/** Runs an act as a query without turns. Throws when a query runs. */
export const actAsQuery = (
  act: SlowAct,
  state: AgentState,
  engine: Pick<QueryEngine, 'act'>,
): AsyncIterable<Stamped> =>
  engine.act(async (deps, signal) => {
    switch (act.kind) {
      case 'draft': {
        const request = await deps.buildRequest(deps.history(), signal);
        const { focus, until } = act;
        const options = { tokensBefore: contextBudget(request, deps).tokens, focus, until };
        const made = await recordAll(
          draftSummary(deps.history(), options, deps, signal),
          deps.record,
        );
        return made.ok ? ok('A summary is ready for you to look at.') : made;
      }
      case 'apply':
        return applied(act.summary, state, deps, signal);
      case 'undo': {
        const boundary = newestBoundary(deps.history());
        if (boundary?.id !== act.summaryId) return err(OLD_SUMMARY);
        deps.record({ type: 'compaction_undone', id: act.summaryId });
        return ok('The summary was taken back: the whole conversation is sent again.');
      }
      case 'unfold':
        return unfolded(deps);
    }
  });

const OLD_SUMMARY = fault(
  'gone',
  'Only the newest summary can be taken back.',
  'Take back newer ones first.',
);

async function applied(
  summary: string,
  state: AgentState,
  deps: QueryDeps,
  signal: AbortSignal,
): Promise<Result<string>> {
  const { draft } = state.transcript();
  if (draft === null) return err(NO_DRAFT);
  const events = applyDraft(deps.history(), { ...draft, summary }, deps, signal);
  const outcome = await recordAll(events, deps.record);
  if (outcome.kind === 'aborted') return err(fault('aborted', 'It was stopped.'));
  if (outcome.kind === 'failed') return err(fault('no_summary', outcome.why));
  const next = await deps.buildRequest(deps.history(), signal);
  deps.record(contextChanged(outcome.tokensAfter, next, deps));
  return ok(`Summarised: ${draft.tokensBefore} tokens became ${outcome.tokensAfter}.`);
}

function unfolded({ history, record }: QueryDeps): Result<string> {
  const before = sinceBoundary(history());
  const ids = before.flatMap((message) =>
    message.role === 'attachment' && message.kind === FOLDED && message.text !== ''
      ? [message.about ?? '']
      : [],
  );
  if (ids.length === 0) return err(fault('nothing_to_do', 'Nothing is folded.'));
  const edits = ids.map((id) => ({ kind: 'unfold' as const, id }));
  const folded = messagesTokens(before);
  record({ type: 'context_edited', layer: 'unfold', edits, freed: 0, counted: 0 });
  const more = messagesTokens(sinceBoundary(history())) - folded;
  return ok(`${ids.length} folded parts are sent again: about ${more} tokens more.`);
}
