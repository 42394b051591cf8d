import { z } from 'zod';
import type { ApprovalAnswer } from '../../../../../shared/permission';
import { ownNeeds } from '../../needs';
import { defineTool } from '../../tool';

/** A longer plan is no plan. Characters. */
const MAX_PLAN_CHARS = 100_000;

const Input = z.strictObject({
  plan: z
    .string()
    .trim()
    .min(1)
    .max(MAX_PLAN_CHARS)
    .describe('The plan in Markdown. The user reads it, may change it, and approves it.'),
});
type Input = z.infer<typeof Input>;

type Approved = Extract<ApprovalAnswer, { behavior: 'approvePlan' }>;

/** The outcome of the plan. */
type Output =
  | {
      readonly state: 'approved';
      readonly plan: string;
      readonly edited: boolean;
      readonly mode: Approved['mode'];
    }
  | { readonly state: 'rejected'; readonly plan: string; readonly feedback?: string };

const DESCRIPTION = `Presents your plan and asks the user whether to go ahead. Only in plan mode.

- Send the whole plan: what changes where, in which order, what could go wrong, how it will be checked. Short sentences, file paths, no code beyond what decides something.
- Ask open questions with AskUserQuestion before, not in the plan.
- The user may change the plan before approving it: what comes back is what to carry out.`;

const NOBODY =
  'Nobody can approve a plan in this session, so nothing may be changed. Write the plan as your final answer and end.';

/** The tool that puts a plan before the user and ends plan mode when they approve it. */
export const createExitPlanModeTool = () =>
  defineTool<Input, Output>({
    name: 'ExitPlanMode',
    description: DESCRIPTION,
    input: Input,
    validateInput: async (_, env) =>
      env.agent.mode.get() === 'plan'
        ? null
        : 'Plan mode is not on, so there is no plan to approve. Go on with the work.',
    needs: ownNeeds('ExitPlanMode'),
    title: ({ plan = '' }) => ({ verb: 'Plan', target: heading(plan) }),
    execute: async function* ({ plan }, context) {
      yield { view: { kind: 'plan', plan, state: 'proposed', edited: false } };
      if (context.askUser === null) return { ok: false, message: NOBODY };
      const answer = await context.askUser({ kind: 'plan', plan });
      if (context.signal.aborted) return { ok: false, message: 'Interrupted by the user.' };
      if (answer.behavior !== 'approvePlan') {
        const feedback = answer.behavior === 'deny' ? answer.message : undefined;
        return {
          ok: true,
          output: { state: 'rejected', plan, ...(feedback === undefined ? {} : { feedback }) },
        };
      }
      context.agent.mode.set(answer.mode);
      const edited = answer.plan !== plan;
      return {
        ok: true,
        output: { state: 'approved', plan: answer.plan, edited, mode: answer.mode },
      };
    },
    toModel: (output) => [{ type: 'text', text: report(output) }],
    view: (_, output) => ({
      kind: 'plan',
      plan: output.plan,
      state: output.state,
      edited: output.state === 'approved' && output.edited,
      ...(output.state === 'rejected' && output.feedback !== undefined
        ? { feedback: output.feedback }
        : {}),
    }),
  });

function report(output: Output): string {
  if (output.state === 'rejected') {
    return output.feedback === undefined
      ? 'The user did not approve the plan and did not say why. Plan mode stays on. Ask what they would like changed; do not present the same plan again.'
      : `The user did not approve the plan yet. Plan mode stays on. They said: ${output.feedback}`;
  }
  const asks =
    output.mode === 'acceptEdits'
      ? 'Edits in the project are accepted without asking.'
      : 'Edits and commands are asked about as usual.';
  const what = output.edited
    ? 'The user changed the plan and approved it. This is the plan now, and it goes before yours:'
    : 'The user approved the plan:';
  return `${what}\n\n${output.plan}\n\nPlan mode is over. ${asks} Carry the plan out.`;
}

/** The first line of a plan without its marks. */
const heading = (plan: string): string =>
  (plan.trim().split('\n', 1)[0] ?? '').replace(/^#+\s*/, '').slice(0, 120);
