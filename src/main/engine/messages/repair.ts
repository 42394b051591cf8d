import type { ApiMessage } from '../model/model-client';
import { type ApiBlock, withoutTrailingThinking } from './api-blocks';

/** The words for a call whose result was lost (crash, abort). */
export const LOST_RESULT =
  '<tool_use_error>This call was interrupted: it has no result. It may or may not have taken effect.</tool_use_error>';

/** The words for a call that shared its id with another one of its answer, in a history that did not rename it. */
const MIXED_RESULT =
  '<tool_use_error>Calls of this answer had one id, so that nobody knows which result belongs to which. This call may or may not have taken effect.</tool_use_error>';

const OPENING =
  '<system-reminder>\nThe beginning of this conversation is not shown.\n</system-reminder>';

/**
 * Makes a history the API accepts: starts with the user, roles alternate, every tool use has exactly one
 * result, directly after it and first in its message, ids are unique. Results without a call go; a call
 * without a result gets {@link LOST_RESULT}; an id used again with a result of its own is renamed, as
 * is one the API does not take; without a result the repetition goes. Different calls of one answer that share an id get
 * no result, for results come in the order they ended. Pure; repairing twice changes nothing.
 */
export function repairHistory(messages: readonly ApiMessage[]): readonly ApiMessage[] {
  const claims = claimResults(messages);
  const out: ApiMessage[] = [];
  /** Results that belong directly after the assistant message at the end of `out`. */
  let due: ApiBlock[] = [];
  const push = (role: ApiMessage['role'], content: readonly ApiBlock[]): void => {
    if (content.length === 0) return;
    const last = out.at(-1);
    if (last?.role === role) out[out.length - 1] = { role, content: [...last.content, ...content] };
    else out.push({ role, content });
  };
  const settle = (): void => {
    push('user', due);
    due = [];
  };
  for (const [i, message] of messages.entries()) {
    if (message.role === 'user') {
      settle();
      push(
        'user',
        message.content.filter((b) => b['type'] !== 'tool_result'),
      );
      continue;
    }
    const claimed = claims.get(i) ?? [];
    const nextIsUser = messages[i + 1]?.role === 'user';
    push('assistant', withoutTrailingThinking(claimed.map((c) => c.block)));
    due.push(...claimed.flatMap((c) => (c.result === null ? [] : [c.result])));
    if (nextIsUser || i === messages.length - 1) settle();
  }
  const first = out[0];
  return first?.role === 'assistant'
    ? [{ role: 'user', content: [{ type: 'text', text: OPENING }] }, ...out]
    : out;
}

/** A block of an answer that stays, and for a tool use the result that goes with it. */
interface Claim {
  readonly block: ApiBlock;
  readonly result: ApiBlock | null;
}

/** A block and the number of the message that holds it. */
interface Occurrence {
  readonly at: number;
  readonly block: ApiBlock;
}

/** Walks the answers in order; each tool use takes the first result of its id that follows it. */
function claimResults(messages: readonly ApiMessage[]): ReadonlyMap<number, readonly Claim[]> {
  const results = occurrencesById(messages, 'tool_result', 'tool_use_id');
  const uses = occurrencesById(messages, 'tool_use', 'id');
  const taken = new Set<string>();
  const claims = new Map<number, Claim[]>();
  for (const [i, message] of messages.entries()) {
    if (message.role !== 'assistant') continue;
    const mixed = mixedIds(message.content);
    claims.set(
      i,
      message.content.flatMap((block): Claim[] => {
        if (block['type'] !== 'tool_use') return [{ block, result: null }];
        const id = String(block['id']);
        const nextUse = uses.get(id)?.find((p) => p.at > i)?.at ?? Number.POSITIVE_INFINITY;
        const result = take(results.get(id), i, nextUse);
        if (taken.has(id) && result === null) return [];
        const own = freeId(legalId(id), taken, uses);
        taken.add(own);
        return [
          {
            block: own === id ? block : { ...block, id: own },
            result:
              result === null || mixed.has(id)
                ? failed(own, result === null ? LOST_RESULT : MIXED_RESULT)
                : own === id
                  ? result
                  : { ...result, tool_use_id: own },
          },
        ];
      }),
    );
  }
  return claims;
}

/** Returns the ids that different calls of one answer share. */
function mixedIds(content: readonly ApiBlock[]): ReadonlySet<string> {
  const uses = content.filter((block) => block['type'] === 'tool_use');
  const calls = new Map<string, string>();
  const mixed = new Set<string>();
  for (const { id, name, input } of uses.length > 1 ? uses : []) {
    const key = String(id);
    const call = JSON.stringify([name, input]);
    if ((calls.get(key) ?? call) !== call) mixed.add(key);
    calls.set(key, call);
  }
  return mixed;
}

/** Finds every block of a kind, by id, in order. */
function occurrencesById(
  messages: readonly ApiMessage[],
  type: string,
  key: string,
): Map<string, Occurrence[]> {
  const occurrences = new Map<string, Occurrence[]>();
  for (const [at, message] of messages.entries()) {
    for (const block of message.content) {
      if (block['type'] !== type) continue;
      const id = String(block[key]);
      const known = occurrences.get(id);
      if (known === undefined) occurrences.set(id, [{ at, block }]);
      else known.push({ at, block });
    }
  }
  return occurrences;
}

/** Takes the first result after `from` and before `until` out of the list. */
function take(results: Occurrence[] | undefined, from: number, until: number): ApiBlock | null {
  const index = results?.findIndex((p) => p.at > from && p.at < until) ?? -1;
  return index < 0 ? null : (results?.splice(index, 1)[0]?.block ?? null);
}

/** Ids of other providers may hold characters that this API refuses. */
const legalId = (id: string): string => id.replace(/[^A-Za-z0-9_-]/g, '_') || 'call';

function freeId(
  id: string,
  taken: ReadonlySet<string>,
  uses: ReadonlyMap<string, unknown>,
): string {
  if (!taken.has(id)) return id;
  for (let n = 2; ; n += 1) {
    const candidate = `${id}_${n}`;
    if (!taken.has(candidate) && !uses.has(candidate)) return candidate;
  }
}

const failed = (id: string, text: string): ApiBlock => ({
  type: 'tool_result',
  tool_use_id: id,
  content: [{ type: 'text', text }],
  is_error: true,
});

/**
 * Pairs the calls that the server runs itself with their results, which stand in the same answer. A call whose
 * result never came (the answer was cut) goes, and so does a result without its call. The last message may end
 * with open calls: that is an answer the API paused, and it goes on from there. Pure; roles keep alternating.
 */
export function repairServerTools(messages: readonly ApiMessage[]): readonly ApiMessage[] {
  if (!messages.some((message) => message.content.some(isServerTool))) return messages;
  const repaired = messages.map((message, i) =>
    message.role === 'user' ? message : paired(message, i === messages.length - 1),
  );
  return repaired.reduce<ApiMessage[]>((out, message) => {
    const last = out.at(-1);
    if (message.content.length === 0) return out;
    if (last?.role !== message.role) out.push(message);
    else out[out.length - 1] = { ...last, content: [...last.content, ...message.content] };
    return out;
  }, []);
}

const isUse = (block: ApiBlock): boolean => block['type'] === 'server_tool_use';

const isResult = (block: ApiBlock): boolean =>
  typeof block['type'] === 'string' &&
  block['type'] !== 'tool_result' &&
  block['type'].endsWith('_tool_result');

const isServerTool = (block: ApiBlock): boolean => isUse(block) || isResult(block);

function paired(message: ApiMessage, isLast: boolean): ApiMessage {
  const { content } = message;
  const hasResult = (use: ApiBlock, at: number) =>
    content.slice(at + 1).some((b) => isResult(b) && b['tool_use_id'] === use['id']);
  const hasUse = (result: ApiBlock, at: number) =>
    content.slice(0, at).some((b) => isUse(b) && b['id'] === result['tool_use_id']);
  const kept = content.filter((block, at) => {
    if (isUse(block)) return isLast || hasResult(block, at);
    return !isResult(block) || hasUse(block, at);
  });
  return kept.length === content.length
    ? message
    : { ...message, content: withoutTrailingThinking(kept) };
}
