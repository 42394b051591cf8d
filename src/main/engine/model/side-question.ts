import type { AgentEvent } from '../../../shared/agent-event';
import type { AssistantBlock } from '../../../shared/message';
import { err, ok, type Result } from '../../../shared/result';
import type { ModelRequest } from './model-client';
import { type SideCallDeps, sideCall } from './side-call';

/** One question beside the conversation: no history, no tools of ours. */
export interface SideQuestion {
  /** What it is for, as costs are listed: `web page`, `web search`. */
  readonly purpose: string;
  /** Who answers: the small model, or the session's own. */
  readonly size: 'small' | 'session';
  /** Another model than that. */
  readonly model?: string;
  readonly system: string;
  readonly text: string;
  readonly maxTokens: number;
  /** Tools that the API itself runs while it answers. */
  readonly serverTools?: ModelRequest['serverTools'];
}

/** Asks a question; the answer's blocks, or why there are none, for the model to read. Never rejects. */
export type Ask = (
  question: SideQuestion,
  signal: AbortSignal,
) => Promise<Result<readonly AssistantBlock[], string>>;

export interface AskDeps extends SideCallDeps {
  readonly smallModel: () => string;
  readonly sessionModel: () => string;
  /** Costs and retries are recorded like those of any request. */
  readonly record: (event: AgentEvent) => void;
}

/** Asks through the session's own client. An endpoint that does not have the small model is asked for the session's. */
export function createAsk(deps: AskDeps): Ask {
  const answerOf = async (question: SideQuestion, model: string, signal: AbortSignal) => {
    const call = sideCall(requestFor(question, model), question.purpose, deps, signal);
    let step = await call.next();
    while (!step.done) {
      deps.record(step.value);
      step = await call.next();
    }
    return step.value;
  };
  return async (question, signal) => {
    const session = deps.sessionModel();
    const sized = question.size === 'small' ? deps.smallModel() : session;
    const first = question.model ?? sized;
    let answer = await answerOf(question, first, signal);
    const unknown = answer.kind === 'failed' && answer.error.kind === 'not_found';
    if (unknown && first !== session) answer = await answerOf(question, session, signal);
    switch (answer.kind) {
      case 'answer':
        return ok(answer.blocks);
      case 'aborted':
        return err('it was stopped');
      case 'failed':
        return err(answer.error.message);
    }
  };
}

const requestFor = (question: SideQuestion, model: string): ModelRequest => ({
  model,
  maxTokens: question.maxTokens,
  system: [{ type: 'text', text: question.system }],
  messages: [{ role: 'user', content: [{ type: 'text', text: question.text }] }],
  tools: [],
  thinking: 'disabled',
  effort: 'low',
  ...(question.serverTools === undefined ? {} : { serverTools: question.serverTools }),
});
