import type { Message } from '../../../shared/message';
import type { Ids } from '../ports';
import type { History } from './history';
import { resultId } from './projection';

/**
 * Names for answers and calls that no other of a history has: the server's own where it is free. Some servers give
 * every answer one id, some give two calls of a response the same, and then a result could not be told from the
 * other.
 */
export interface UniqueIds {
  answer(id: string): string;
  call(id: string): string;
}

/** The ids that calls of a session have. */
export type CallIds = Pick<Set<string>, 'has' | 'add'>;

/** Returns the ids of the calls of a history and of those that are added, without a list of the former: histories are long. */
export function callIdsBehind(history: Pick<History, 'has'>): CallIds {
  const added = new Set<string>();
  return {
    has: (id) => added.has(id) || history.has(resultId(id)),
    add: (id) => added.add(id),
  };
}

/** Creates ids that differ from all in `history` and from each other; `calls` holds those of its calls. */
export function createUniqueIds(
  history: Pick<History, 'has'>,
  ids: Ids,
  calls: CallIds,
): UniqueIds {
  const answers = new Set<string>();
  return {
    answer: (id) => {
      const own = answers.has(id) || history.has(id) ? ids.next('msg') : id;
      answers.add(own);
      return own;
    },
    call: (id) => {
      // Some servers give a call no id at all; it gets its result like any other.
      const base = id === '' ? ids.next('call') : id;
      let own = base;
      for (let n = 2; calls.has(own); n += 1) own = `${base}_${n}`;
      calls.add(own);
      return own;
    },
  };
}

/** Returns the ids of the calls of a message. */
export const idsOfCalls = (message: Message): readonly string[] =>
  message.role === 'assistant'
    ? message.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))
    : [];
