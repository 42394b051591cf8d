import type { AgentEvent } from '../../../shared/agent-event';
import { formProblems } from '../../../shared/form';
import type { Approval, ApprovalAnswer, ApprovalSubject } from '../../../shared/permission';
import { answersProblem } from '../../../shared/question';
import { err, fault, ok, type Result } from '../../../shared/result';

/** An answer; a program that answers for the user may replace the whole input of the call. */
export type BrokerAnswer = ApprovalAnswer & {
  readonly input?: Readonly<Record<string, unknown>> | undefined;
};

/** A question to the user, and what the asker has to say about the answers. */
export interface Asked {
  readonly approval: Approval;
  /** The input of the call as programs see it; absent where it is not about a call. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** The tool server that the tool is of, and where that is defined. */
  readonly server?: { readonly name: string; readonly source: string } | undefined;
  /** Checks an answer before it is taken; the dialog shows the error and stays open. Default: any that fits can. */
  readonly review?: (answer: BrokerAnswer) => Promise<Result<null>>;
  /** Asked again whenever a rule was saved, so that one answer can settle its like. Default: never. */
  readonly nowAllowed?: () => Promise<boolean>;
}

/** Asks the user, one dialog a question, and waits. Whatever goes wrong is a denial. */
export interface Broker {
  /** Resolves with the answer; with a denial when the signal aborts. */
  ask(asked: Asked, signal: AbortSignal): Promise<BrokerAnswer>;
  /** Takes an answer. An error leaves the question standing. */
  answer(approvalId: string, answer: BrokerAnswer): Promise<Result<null>>;
  /** Settles every pending question that the rules allow by now. */
  recheck(): Promise<void>;
  /** Denies all that waits: there is no window any more in which it could be answered. */
  denyAll(): void;
  /** Returns the same broker for an agent: questions asked through it are that agent's. */
  forAgent(agentId: string): Broker;
}

/** Records an event of an agent; by default, of the main agent. */
type Emit = (event: AgentEvent, agentId?: string) => void;

interface Pending extends Asked {
  readonly emit: (event: AgentEvent) => void;
  settle(answer: BrokerAnswer): void;
}

const GONE = fault('gone', 'That question has been answered already.');

/** Creates the broker of one session. Events go to `emit`. */
export const createBroker = (emit: Emit): Broker => brokerOver(new Map(), emit, undefined);

function brokerOver(
  pending: Map<string, Pending>,
  record: Emit,
  agentId: string | undefined,
): Broker {
  const emit = (event: AgentEvent) => record(event, agentId);

  const settle = (approvalId: string, reply: BrokerAnswer): Result<null> => {
    const waiting = pending.get(approvalId);
    if (!waiting) return err(GONE);
    pending.delete(approvalId);
    waiting.emit({
      type: 'approval_answered',
      approvalId,
      callId: waiting.approval.callId,
      behavior: reply.behavior === 'deny' ? 'deny' : 'allow',
      ...(reply.behavior === 'allow' && reply.remember ? { rule: reply.remember.rule } : {}),
    });
    waiting.settle(reply);
    return ok(null);
  };

  return {
    ask: (asked, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve({ behavior: 'deny' });
        const { approval } = asked;
        const withdraw = () => {
          if (!pending.delete(approval.id)) return;
          emit({ type: 'approval_withdrawn', approvalId: approval.id });
          resolve({ behavior: 'deny' });
        };
        signal.addEventListener('abort', withdraw, { once: true });
        pending.set(approval.id, {
          ...asked,
          emit,
          settle: (reply) => {
            signal.removeEventListener('abort', withdraw);
            resolve(reply);
          },
        });
        emit({ type: 'approval_requested', approval });
      }),
    answer: async (approvalId, reply) => {
      const waiting = pending.get(approvalId);
      if (!waiting) return err(GONE);
      if (reply.behavior !== 'deny') {
        const fits = checkFit(waiting.approval, reply);
        const reviewed = fits.ok ? await waiting.review?.(reply) : fits;
        if (reviewed && !reviewed.ok) return reviewed;
      }
      return settle(approvalId, reply);
    },
    recheck: async () => {
      for (const [id, waiting] of [...pending]) {
        const { digest } = waiting.approval;
        if (await waiting.nowAllowed?.()) settle(id, { behavior: 'allow', digest });
      }
    },
    denyAll: () => {
      for (const id of [...pending.keys()]) settle(id, { behavior: 'deny' });
    },
    forAgent: (id) => brokerOver(pending, record, id),
  };
}

/**
 * Puts a question to someone outside the windows, e.g. a program, and gives what they say to `reply`. The signal aborts when
 * the question is settled in another way. A rejection is a denial.
 */
export type PutQuestion = (
  asked: Asked,
  agentId: string | undefined,
  reply: (answer: BrokerAnswer) => Promise<void>,
  signal: AbortSignal,
) => Promise<void>;

/** Creates a broker that puts every question to someone outside. An answer that does not fit is a denial. */
export const createPuttingBroker = (emit: Emit, put: PutQuestion): Broker =>
  putting(createBroker(emit), put, undefined);

function putting(inner: Broker, put: PutQuestion, agentId: string | undefined): Broker {
  return {
    ...inner,
    ask: async (asked, signal) => {
      const { id } = asked.approval;
      const settled = new AbortController();
      const answer = inner.ask(asked, signal);
      answer.finally(() => settled.abort()).catch(() => {});
      const reply = async (given: BrokerAnswer) => {
        const taken = await inner.answer(id, given);
        if (!taken.ok && taken.error.code !== 'gone')
          await inner.answer(id, { behavior: 'deny', message: taken.error.message });
      };
      put(asked, agentId, reply, AbortSignal.any([signal, settled.signal])).catch(() =>
        inner.answer(id, { behavior: 'deny', message: 'There was no usable answer.' }),
      );
      return answer;
    },
    forAgent: (id) => putting(inner.forAgent(id), put, id),
  };
}

/** Returns the kind of answer each subject takes besides a denial. */
const answerTo = ({ kind }: ApprovalSubject): ApprovalAnswer['behavior'] =>
  kind === 'question'
    ? 'answers'
    : kind === 'plan'
      ? 'approvePlan'
      : kind === 'form'
        ? 'form'
        : 'allow';

/**
 * Tells whether an answer belongs to what was shown. docs/security.md 12: an approval is bound to
 * its content.
 */
function checkFit(approval: Approval, reply: ApprovalAnswer): Result<null> {
  const { subject, digest } = approval;
  if (reply.behavior !== answerTo(subject)) {
    return err(fault('misfit', 'That is no answer to this question.'));
  }
  if (reply.behavior === 'allow' && reply.digest !== digest) {
    return err(fault('changed', 'That is not what was asked. Look at it again.'));
  }
  if (reply.behavior === 'allow' && reply.edited !== undefined && approval.editable !== true) {
    return err(fault('misfit', 'This cannot be changed before it is allowed.'));
  }
  if (reply.behavior === 'form' && subject.kind === 'form') {
    const [problem] = formProblems(subject.fields, reply.values);
    if (problem !== undefined)
      return err(fault('incomplete', `${problem.name}: ${problem.message}`));
  }
  if (reply.behavior === 'answers' && subject.kind === 'question') {
    const problem = answersProblem(subject.questions, reply.answers);
    if (problem !== null) return err(fault('incomplete', problem));
  }
  return ok(null);
}
