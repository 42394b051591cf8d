import { lineId } from '../../../shared/line-id';
import type { Message } from '../../../shared/message';
import type { PromptParts } from '../../../shared/queued-prompt';
import { err, fault, ok, type Result } from '../../../shared/result';
import type { AgentState } from '../agent-state';
import type { Ids } from '../ports';
import { promptIn } from '../sessions/branch';

/** Words of a prompt that a rewind keeps for people. Characters. */
const MAX_REWOUND = 500;

/** Takes the end of a conversation back. No query may run. */
export interface Rewinds {
  /** Goes back to before a prompt and gives it; null when it is not in the history. */
  rewind(promptId: string, restored?: string): PromptParts | null;
  /**
   * Leaves out what came after a message; `line` is the id by which programs know it. With `turn`, the id of a prompt, only
   * where that prompt and what came of it is all that goes.
   */
  rewindTo(line: string, turn?: string): Result<null>;
}

/** Creates the rewinds of a main agent. */
export function createRewinds(state: AgentState, ids: Ids): Rewinds {
  return {
    rewind: (promptId, restored) => {
      const prompt = promptIn(state.history(), promptId);
      if (prompt === null) return null;
      const text = prompt.text.slice(0, MAX_REWOUND);
      state.record({
        ...{ type: 'rewound', id: ids.next('rew'), promptId, text },
        ...(restored === undefined ? {} : { restored }),
      });
      state.reads.clear();
      return prompt;
    },
    rewindTo: (line, turn) => {
      const history = state.history();
      const at = history.findLastIndex(({ id }) => id === line || lineId(id) === line);
      if (at < 0)
        return err(fault('no_message', `The session has no message ${line} to go on from.`));
      const next = history.slice(at + 1).find(beginsSomething);
      if (turn !== undefined && !isTurn(history.slice(at + 1), turn))
        return err(
          fault(
            'more_would_go',
            `Resume rejected by --resume-drops-turn: more than the turn ${turn} stands behind ${line}.`,
          ),
        );
      if (next === undefined) return ok(null);
      const text = promptIn(history, next.id)?.text.slice(0, MAX_REWOUND) ?? '';
      state.record({ type: 'rewound', id: ids.next('rew'), promptId: next.id, text });
      state.reads.clear();
      return ok(null);
    },
  };
}

/** Tells whether messages are one prompt and what came of it, and nothing that the model was told meanwhile. */
function isTurn(messages: readonly Message[], turn: string): boolean {
  const [first, ...more] = messages.filter(
    (message) => beginsSomething(message) || isNews(message),
  );
  const isNamed = first !== undefined && (first.id === turn || lineId(first.id) === turn);
  return isNamed && more.every(({ role }) => role === 'assistant');
}

const isNews = (message: Message): boolean =>
  message.role === 'attachment' && message.kind === 'task_notification';

/** Tells whether a message begins something new: results belong to the answer that asked for them. */
const beginsSomething = (message: Message): boolean =>
  message.role === 'assistant' ||
  (message.role === 'user' && !message.content.some(({ type }) => type === 'tool_result'));
