import type { Approval, ApprovalAnswer } from '../../shared/permission';

type Allowed = Extract<ApprovalAnswer, { behavior: 'allow' }>;

/** What a person answers to what is on screen; which questions that are, and their digests, are added to it. */
export type Reply = Exclude<ApprovalAnswer, Allowed> | Omit<Allowed, 'digest'>;

/** An answer to one question. */
export interface Given {
  readonly approvalId: string;
  readonly answer: ApprovalAnswer;
}

/**
 * A reply as the answers to the questions that were shown, each bound to its own content: nothing that came later is
 * among them. A rule is saved once.
 */
export function answersTo(shown: readonly Approval[], reply: Reply): readonly Given[] {
  return shown.map(({ id, digest }, place) => {
    if (reply.behavior !== 'allow') return { approvalId: id, answer: reply };
    const { remember, ...plain } = reply;
    const rule = place === 0 && remember ? { remember } : {};
    return { approvalId: id, answer: { ...plain, digest, ...rule } };
  });
}
