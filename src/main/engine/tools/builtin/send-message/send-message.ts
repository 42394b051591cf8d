import { z } from 'zod';
import type { ToolView } from '../../../../../shared/tool-call';
import type { ToolEnvironment } from '../../environment';
import { ownNeeds } from '../../needs';
import { defineTool } from '../../tool';
import { agentView, letGoOn } from '../support/follow-agent';

const Input = z.strictObject({
  to: z
    .string()
    .min(1)
    .describe('Its name, its id, the id of its task, or the description it began with.'),
  message: z.string().min(1),
});
type Input = z.infer<typeof Input>;

const DESCRIPTION =
  'Sends a message to a sub-agent that you started. One at work gets it between two steps. One that has ended takes up its work again in the background, with all it knew.';

interface Output {
  readonly view: ToolView;
  readonly text: string;
}

/** Creates the tool that writes to sub-agents. */
export const createSendMessageTool = () =>
  defineTool<Input, Output>({
    name: 'SendMessage',
    seldom: true,
    description: DESCRIPTION,
    input: Input,
    needs: ownNeeds('SendMessage'),
    title: ({ to = '' }, env) => ({ verb: 'Message to', target: subAgent(to, env)?.title ?? to }),
    // biome-ignore lint/correctness/useYield: a message is one step
    execute: async function* ({ to, message }, context) {
      const { agents } = context.agent;
      const known = subAgent(to, context);
      if (agents === null || known === null) {
        return { ok: false, message: `You started no sub-agent "${to}".` };
      }
      const { agentId, title, work } = known;
      if (work?.message(message).ok) {
        const text = `The sub-agent "${title}" is at work and gets the message with its next step.`;
        return { ok: true, output: { text, view: agentView(work) } };
      }
      // It may just be ending.
      await work?.ended;
      if (agents.isFull()) return { ok: false, message: FULL };
      const { callId, signal } = context;
      const resumed = await agents.resume({ callId, agentId, prompt: message }, signal);
      if (!resumed.ok) return { ok: false, message: resumed.error };
      const task = await letGoOn(resumed.value, context);
      const output = { text: task.text, view: agentView(resumed.value, task.taskId) };
      return task.ok ? { ok: true, output } : { ok: false, message: task.text, output };
    },
    toModel: ({ text }) => [{ type: 'text', text }],
    view: (_, { view }) => view,
  });

/** Finds a sub-agent by its id, its task or its title. */
const subAgent = (to: string, env: Pick<ToolEnvironment, 'agent'> | undefined) =>
  env?.agent.agents?.find(env.agent.tasks.get(to)?.subAgentId ?? to) ?? null;

const FULL = 'Five sub-agents work already. Wait until one ends, then send it again.';
