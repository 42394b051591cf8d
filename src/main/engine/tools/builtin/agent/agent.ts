import { z } from 'zod';
import { ok } from '../../../../../shared/result';
import type { AgentDefinition } from '../../../agents/definitions';
import type { SubAgentProgress } from '../../environment';
import { textIn } from '../../needs';
import { NO_ACCESS } from '../../resource-access';
import { defineTool } from '../../tool';

const DESCRIPTION = `Starts a sub-agent that works alone and reports to you. It sees nothing of this conversation: its prompt must hold goal, known facts, paths, and what to report. Several in one message run side by side. Use one for work whose output you need not keep, or that can run beside other work; do small things yourself.`;

const DEFAULT_AGENT = 'general-purpose';

const Input = z.strictObject({
  description: z.string().min(1).max(200).describe('The task in three to five words.'),
  prompt: z.string().min(1).describe('The task.'),
  subagent_type: z.string().default(DEFAULT_AGENT),
  model: z.string().optional().describe('Another model than usual: sonnet, opus, haiku.'),
});
type Input = z.infer<typeof Input>;

interface Output {
  readonly progress: SubAgentProgress;
  readonly text: string;
}

/** Creates the tool that starts sub-agents. `definitions`: the kinds that its description names. */
export const createAgentTool = (definitions: readonly AgentDefinition[]) =>
  defineTool<Input, Output>({
    name: 'Agent',
    description: `${DESCRIPTION}\n\nKinds:\n${definitions.map(({ name, description }) => `- ${name}: ${description}`).join('\n')}`,
    input: Input,
    maxTogether: 5,
    access: async () => NO_ACCESS,
    validateInput: async ({ subagent_type }, { agent: { agents } }) => {
      if (agents === null) return 'A sub-agent cannot start sub-agents.';
      if (agents.kinds().some(({ name }) => name === subagent_type)) return null;
      const known = agents
        .kinds()
        .map(({ name }) => name)
        .join(', ');
      return `There is no sub-agent "${subagent_type}". Kinds: ${known}.`;
    },
    // Starting one changes nothing: each of its calls is decided by itself.
    needs: async (input) => {
      const specifier = textIn(input, 'subagent_type') ?? DEFAULT_AGENT;
      return ok([{ kind: 'tool', tool: 'Agent', specifier, readOnly: true }]);
    },
    title: ({ subagent_type = 'Agent', description = '' }) => ({
      verb: subagent_type,
      target: description,
    }),
    execute: async function* ({ description, prompt, subagent_type, model }, context) {
      if (context.agent.agents === null) {
        return { ok: false, message: 'A sub-agent cannot start sub-agents.' };
      }
      const run = context.agent.agents.run(
        {
          callId: context.callId,
          type: subagent_type,
          title: description,
          prompt,
          ...(model === undefined ? {} : { model }),
        },
        context.signal,
      );
      let step = await run.next();
      while (!step.done) {
        yield { view: { kind: 'agent', ...step.value } };
        step = await run.next();
      }
      const { ok, text, progress } = step.value;
      const output = { text, progress };
      return ok ? { ok, output } : { ok, message: text, output };
    },
    toModel: ({ text }) => [{ type: 'text', text }],
    view: (_, { progress }) => ({ kind: 'agent', ...progress }),
  });
