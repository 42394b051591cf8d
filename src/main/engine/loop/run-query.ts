import type { Stamped } from '../../../shared/agent-event';
import type { Message, Usage, UserBlock } from '../../../shared/message';
import { addUsage, NO_USAGE } from '../../../shared/transcript';
import type { Continue, StopReason, Terminal } from '../../../shared/turn';
import type { QueryDeps, QueryLimits } from './query-deps';
import { streamTurn, type TurnOutcome } from './stream-turn';
import { afterTurn } from './transitions';

/** Where a query stands between two turns. Never changed, only replaced. */
export interface State {
  readonly messages: readonly Message[];
  /** API round trips; the first is 1. */
  readonly turnCount: number;
  readonly outputRecoveries: number;
  readonly transition: Continue | null;
}

/** What a query is asked. Null content: go on from the history and the attachments alone. */
export interface Query {
  readonly queryId: string;
  readonly content: readonly UserBlock[] | null;
  readonly limits: QueryLimits;
}

interface Ending {
  readonly terminal: Terminal;
  readonly text: string;
  readonly stopReason: StopReason | null;
}

interface Totals {
  usage: Usage;
  costUsd: number;
  apiMs: number;
  turns: number;
}

const RESUME_AFTER_OUTPUT_LIMIT =
  'Your answer reached the output limit and was cut. Go on exactly where it stopped: no apology, no summary of what came before. Break what is left into smaller pieces.';

/** One query from the person's words to the final answer. Yields each recorded event; never throws. */
export async function* runQuery(
  query: Query,
  deps: QueryDeps,
  signal: AbortSignal,
): AsyncGenerator<Stamped, Terminal> {
  const startedAt = deps.clock.now();
  const totals: Totals = { usage: NO_USAGE, costUsd: 0, apiMs: 0, turns: 0 };
  yield deps.record({ type: 'query_started', queryId: query.queryId });
  if (query.content) {
    yield deps.record({
      type: 'user_message',
      id: deps.ids.next('msg'),
      content: [...query.content],
    });
  }
  const ending = yield* guarded(queryLoop(query, totals, deps, signal));
  yield deps.record({
    type: 'query_finished',
    queryId: query.queryId,
    terminal: ending.terminal,
    text: ending.text,
    turns: totals.turns,
    usage: totals.usage,
    costUsd: totals.costUsd,
    durationMs: deps.clock.now() - startedAt,
    apiMs: totals.apiMs,
    denials: [...deps.denials()],
    stopReason: ending.stopReason,
  });
  return ending.terminal;
}

/** A defect of ours ends the query with words a person can use; the conversation goes on. */
async function* guarded(loop: AsyncGenerator<Stamped, Ending>): AsyncGenerator<Stamped, Ending> {
  try {
    return yield* loop;
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    const text = `Something in Lathe broke: ${why}. The conversation is kept; send your message again.`;
    return { terminal: 'model_error', text, stopReason: null };
  }
}

async function* queryLoop(
  { queryId, limits }: Query,
  totals: Totals,
  deps: QueryDeps,
  signal: AbortSignal,
): AsyncGenerator<Stamped, Ending> {
  let state: State = {
    messages: deps.history(),
    turnCount: 1,
    outputRecoveries: 0,
    transition: null,
  };
  while (true) {
    yield* recordAttachments(deps);
    yield deps.record({ type: 'turn_started', queryId, turn: state.turnCount });
    state = { ...state, messages: deps.history() };
    const request = await deps.buildRequest(state.messages, signal);
    const turn = yield* counted(streamTurn(request, deps, signal), totals);
    totals.turns = state.turnCount;
    totals.apiMs += turn.apiMs;

    const transition = afterTurn({
      ...turn,
      aborted: signal.aborted,
      turnCount: state.turnCount,
      maxTurns: limits.maxTurns,
      spentUsd: totals.costUsd,
      maxBudgetUsd: limits.maxBudgetUsd,
      outputRecoveries: state.outputRecoveries,
      queuedPrompts: deps.queuedCount(),
    });
    if (transition.kind === 'end') {
      if (transition.terminal === 'max_turns') yield sayMaxTurns(deps, limits);
      return {
        terminal: transition.terminal,
        text: endText(transition.terminal, turn, limits),
        stopReason: turn.stopReason,
      };
    }
    yield deps.record({ type: 'continued', reason: transition.reason });
    if (transition.reason === 'max_output_tokens_recovery') {
      yield recordSynthetic(deps, RESUME_AFTER_OUTPUT_LIMIT);
    }
    yield* recordQueued(deps);
    state = {
      messages: deps.history(),
      turnCount: state.turnCount + 1,
      outputRecoveries:
        state.outputRecoveries + (transition.reason === 'max_output_tokens_recovery' ? 1 : 0),
      transition: transition.reason,
    };
  }
}

/** Passes a turn's events on and adds up what they cost. */
async function* counted(
  turn: AsyncGenerator<Stamped, TurnOutcome>,
  totals: Totals,
): AsyncGenerator<Stamped, TurnOutcome> {
  let step = await turn.next();
  while (!step.done) {
    const { event } = step.value;
    if (event.type === 'message_finished') {
      totals.usage = addUsage(totals.usage, event.usage);
      totals.costUsd += event.costUsd;
    }
    yield step.value;
    step = await turn.next();
  }
  return step.value;
}

async function* recordAttachments(deps: QueryDeps): AsyncGenerator<Stamped> {
  for (const { kind, text } of await deps.attachments()) {
    yield deps.record({ type: 'attachment', id: deps.ids.next('att'), kind, text });
  }
}

function* recordQueued(deps: QueryDeps): Generator<Stamped> {
  for (const prompt of deps.takeQueued()) {
    yield deps.record({
      type: 'user_message',
      id: prompt.id,
      content: [{ type: 'text', text: prompt.text }],
    });
  }
}

const recordSynthetic = (deps: QueryDeps, text: string): Stamped =>
  deps.record({
    type: 'user_message',
    id: deps.ids.next('msg'),
    content: [{ type: 'text', text }],
    synthetic: true,
  });

const sayMaxTurns = (deps: QueryDeps, limits: QueryLimits): Stamped =>
  deps.record({
    type: 'attachment',
    id: deps.ids.next('att'),
    kind: 'max_turns_reached',
    text: `The limit of ${limits.maxTurns} turns for one query was reached; the work stopped here.`,
  });

/** What the person reads at the end. */
function endText(terminal: Terminal, turn: TurnOutcome, limits: QueryLimits): string {
  switch (terminal) {
    case 'completed':
      return turn.text;
    case 'max_turns':
      return `Stopped after ${limits.maxTurns} turns, the limit for one query.`;
    case 'max_budget':
      return `Stopped: this query reached its budget of $${limits.maxBudgetUsd}.`;
    case 'aborted_streaming':
    case 'aborted_tools':
      return 'Stopped by you.';
    default:
      return failureText(turn);
  }
}

function failureText({ error, stopReason, text }: TurnOutcome): string {
  if (error) return error.fix ? `${error.message} ${error.fix}` : error.message;
  if (stopReason === 'refusal') return text || 'The model declined to answer this.';
  return `The answer reached the model's output limit again and again and was given up.`;
}
