import type { ContextEdit } from '../../../shared/context-edit';
import type { AssistantMessage, Message, ToolUseBlock } from '../../../shared/message';
import { project } from '../messages/projection';
import type { CompactDeps } from './compact';
import { type ContextLayer, type LayerOutcome, UNTOUCHED } from './layer';
import type { ContextBudget, ContextLimits } from './limits';
import { isWorth } from './policy';
import { cleanCuts } from './summarise';
import { freedTokens, messagesTokens, rewrittenTokens, textTokens } from './tokens';

/** The newest answers that are never folded; fewer when the API found a request too long. */
const KEPT_ANSWERS = 10;
const KEPT_AT_OVERFLOW = 2;
/** Answers between two looks at whether folding is worth it: each look goes through everything. */
const LOOK_EVERY = 10;
/** The least that folding must free for money alone. Tokens. */
const LEAST_FREED = 10_000;
/** The least that one span must free. Tokens. */
const SMALL_TOKENS = 500;
/** The most that is kept of each of the model's texts, of the input of a call, and of why one failed. Characters. */
const TEXT_CHARS = 400;
const INPUT_CHARS = 120;
const ERROR_CHARS = 160;
/** The calls of a span that its account names; of the ones before it says how many there were. */
const NAMED_CALLS = 60;

/**
 * Folds finished spans of work into short accounts of what was done (docs/spec.md F4): the calls in one line each, the
 * beginning of what the model said. Words of the user, facts that Lathe told and final answers stay. It asks no model, and
 * what was folded can be unfolded. It acts when the window fills up, or as soon as it is worth the cache it breaks.
 */
export const collapse: ContextLayer = {
  name: 'collapse',
  apply: (messages, budget, deps) => {
    if (budget.tokens < LEAST_FREED) return UNTOUCHED;
    const isPressed = budget.tokens >= collapseAt(budget.limits);
    if (!isPressed && answersIn(messages) % LOOK_EVERY !== 0) return UNTOUCHED;
    return outcome(messages, foldsOf(messages, KEPT_ANSWERS, deps), budget, isPressed);
  },
  overflow: {
    retry: 'collapse_drain_retry',
    apply: (messages, budget, deps) =>
      outcome(messages, foldsOf(messages, KEPT_AT_OVERFLOW, deps), budget, true),
  },
};

/** Returns the size from which on spans are folded whatever that costs. Tokens. */
export const collapseAt = ({ window, autocompact }: ContextLimits): number =>
  Math.min(window * COLLAPSE_AT, autocompact * BEFORE_SUMMARY);
/** The share of the window at which spans are folded (docs/spec.md F4). */
const COLLAPSE_AT = 0.9;
/** The share of the point of summarising, where that comes first: folding may spare the summary. */
const BEFORE_SUMMARY = 0.95;

function outcome(
  messages: readonly Message[],
  folds: readonly Fold[],
  { cache }: ContextBudget,
  isPressed: boolean,
): LayerOutcome {
  if (folds.length === 0) return UNTOUCHED;
  const edits = folds.map(({ edit }) => edit);
  const after = project(messages, edits);
  const { freed } = freedTokens(messages, after);
  if (freed <= 0) return UNTOUCHED;
  if (isPressed) return { edits, freed };
  const heldTurns = folds.reduce((sum, fold) => sum + fold.tokens * fold.heldTurns, 0) / freed;
  const offer = { freed, rewritten: rewrittenTokens(messages, after), heldTurns };
  return freed >= LEAST_FREED && isWorth(offer, cache) ? { edits, freed } : UNTOUCHED;
}

/** A span of work that could be folded. */
interface Fold {
  readonly edit: Extract<ContextEdit, { kind: 'fold' }>;
  /** Tokens that it frees. */
  readonly tokens: number;
  /** The mean number of requests that carried it. */
  readonly heldTurns: number;
}

/** Returns the folds of all spans before the newest `kept` answers, oldest first. A span with something pinned stays. */
function foldsOf(
  messages: readonly Message[],
  kept: number,
  { ids, pinned }: Pick<CompactDeps, 'ids' | 'pinned'>,
): readonly Fold[] {
  const until = recentFrom(messages, kept);
  const pins = pinned();
  let after = answersIn(messages.slice(0, until));
  return spansOf(messages, until).flatMap((span) => {
    const answers = answersIn(span);
    after -= answers;
    if (span.length === 0 || span.some(({ id }) => pins.has(id))) return [];
    const text = accountOf(span);
    const tokens = messagesTokens(span) - textTokens(text);
    if (tokens < SMALL_TOKENS) return [];
    const messageIds = span.map(({ id }) => id);
    const edit = { kind: 'fold' as const, id: ids.next('fold'), messageIds, text };
    return [{ edit, tokens, heldTurns: after + answers / 2 }];
  });
}

/**
 * Returns the spans before a place: answers with calls and their results, between two prompts of a user. A final answer is in none, nor is
 * what was folded before. Each has every call with its result.
 */
function spansOf(messages: readonly Message[], until: number): readonly (readonly Message[])[] {
  const end = [...cleanCuts(messages)].findLast((cut) => cut <= until) ?? 0;
  const spans: Message[][] = [[]];
  for (const message of messages.slice(0, end)) {
    if (isPrompt(message)) spans.push([]);
    else if (isWork(message)) spans.at(-1)?.push(message);
  }
  return spans;
}

const answersIn = (messages: readonly Message[]): number =>
  messages.reduce((sum, { role }) => sum + (role === 'assistant' ? 1 : 0), 0);

const isAnswer = (message: Message): message is AssistantMessage => message.role === 'assistant';

const callsOf = ({ content }: AssistantMessage): readonly ToolUseBlock[] =>
  content.filter((block) => block.type === 'tool_use');

const isPrompt = (message: Message): boolean =>
  message.role === 'user' && message.content.every(({ type }) => type !== 'tool_result');

const isWork = (message: Message): boolean =>
  message.role === 'assistant'
    ? callsOf(message).length > 0
    : message.role === 'user' && !isPrompt(message);

/** Returns the place of the first of the newest `count` answers; 0 when there are no more. */
function recentFrom(messages: readonly Message[], count: number): number {
  let answers = 0;
  const at = messages.findLastIndex((message) => isAnswer(message) && ++answers === count);
  return Math.max(0, at);
}

/** Returns the account of a span: what the model said and called, and what failed. Of many calls the newest are named. */
function accountOf(span: readonly Message[]): string {
  const failed = new Map(
    span.flatMap((message) =>
      message.role === 'user'
        ? message.content.flatMap((block) =>
            block.type === 'tool_result' && block.is_error === true
              ? [[block.tool_use_id, firstText(block.content)] as const]
              : [],
          )
        : [],
    ),
  );
  let unnamed = span
    .filter(isAnswer)
    .flatMap(callsOf)
    .slice(0, -NAMED_CALLS)
    .filter(({ id }) => !failed.has(id)).length;
  const left: string[] = [];
  const lines = span.filter(isAnswer).flatMap(({ content }) =>
    content.flatMap((block) => {
      if (block.type === 'text')
        return block.text.trim() === '' ? [] : [cut(block.text, TEXT_CHARS)];
      if (block.type !== 'tool_use') return [];
      const why = failed.get(block.id);
      if (why === undefined && unnamed > 0) {
        unnamed -= 1;
        left.push(block.name);
        return [];
      }
      const call = `- ${block.name} ${cut(JSON.stringify(block.input), INPUT_CHARS)}`;
      return [why === undefined ? call : `${call} failed: ${cut(why, ERROR_CHARS)}`];
    }),
  );
  return [ACCOUNT_HEAD, ...countOf(left), ...lines].join('\n');
}

/** Says how many calls of each tool there were, in one line; no line for none. */
function countOf(tools: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const tool of tools) counts.set(tool, (counts.get(tool) ?? 0) + 1);
  const each = [...counts].map(([tool, count]) => `${count} × ${tool}`);
  return each.length === 0 ? [] : [`- ${each.join(', ')}, and then:`];
}

const ACCOUNT_HEAD =
  'You did this earlier in the conversation; the results were left out to save space. Make a call again if you need what it showed:';

const firstText = (content: readonly { readonly type: string; readonly text?: string }[]): string =>
  content.find(({ type }) => type === 'text')?.text ?? '';

/** Returns the beginning of a text, in one line and in whole characters. */
function cut(text: string, chars: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= chars ? line : `${line.slice(0, chars).toWellFormed()}…`;
}
