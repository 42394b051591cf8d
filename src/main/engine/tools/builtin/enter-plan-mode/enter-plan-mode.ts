import { z } from 'zod';
import { ownNeeds } from '../../needs';
import { defineTool } from '../../tool';

const Input = z.strictObject({});
type Input = z.infer<typeof Input>;

const DESCRIPTION = `Turns plan mode on: from then on nothing is changed until the user has approved a plan.

- Use it before work that is large, risky or can be done in clearly different ways, and when the user asks for a plan. Not for small or plain tasks, nor for questions.
- In plan mode read and search until you know enough, ask with AskUserQuestion what only the user can decide, then present the plan with ExitPlanMode.`;

const NOBODY =
  'Nobody can approve a plan in this session. Plan for yourself, keep to what was asked, and go on.';

/** The tool by which the model chooses to plan first. It only ever takes rights away, so nobody is asked. */
export const createEnterPlanModeTool = () =>
  defineTool<Input, null>({
    name: 'EnterPlanMode',
    seldom: true,
    description: DESCRIPTION,
    input: Input,
    validateInput: async (_, env) =>
      env.agent.mode.get() === 'plan' ? 'Plan mode is on already.' : null,
    needs: ownNeeds('EnterPlanMode'),
    title: () => ({ verb: 'Plan first', target: '' }),
    // biome-ignore lint/correctness/useYield: turning a mode on is one step
    execute: async function* (_, context) {
      if (context.askUser === null || context.agent.mode.get() === 'dontAsk') {
        return { ok: false, message: NOBODY };
      }
      context.agent.mode.set('plan');
      return { ok: true, output: null };
    },
    toModel: () => [
      {
        type: 'text',
        text: 'Plan mode is on. Only read and search now; present the plan with ExitPlanMode when you know enough.',
      },
    ],
    view: () => ({
      kind: 'generic',
      title: 'Plan mode is on',
      detail: 'Lathe reads and searches only, until you approve a plan.',
    }),
  });
