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
  /** Leaves out what came after a message; `line` is the id by which programs know it. */
  rewindTo(line: string): Result<null>;
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
    rewindTo: (line) => {
      const history = state.history();
      const at = history.findLastIndex(({ id }) => id === line || lineId(id) === line);
      if (at < 0)
        return err(fault('no_message', `The session has no message ${line} to go on from.`));
      const next = history.slice(at + 1).find(beginsSomething);
      if (next === undefined) return ok(null);
      const text = promptIn(history, next.id)?.text.slice(0, MAX_REWOUND) ?? '';
      state.record({ type: 'rewound', id: ids.next('rew'), promptId: next.id, text });
      state.reads.clear();
      return ok(null);
    },
  };
}

/** Tells whether a message begins something new: results belong to the answer that asked for them. */
const beginsSomething = (message: Message): boolean =>
  message.role === 'assistant' ||
  (message.role === 'user' && !message.content.some(({ type }) => type === 'tool_result'));
