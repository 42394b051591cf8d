import { z } from 'zod';
import { ok } from '../../../../../shared/result';
import type { ToolView } from '../../../../../shared/tool-call';
import type { AgentDefinition } from '../../../agents/definitions';
import { EffortSetting } from '../../../settings/schema';
import { textIn } from '../../needs';
import { NO_ACCESS } from '../../resource-access';
import { defineTool } from '../../tool';
import { agentView, FULL, followAgent, letGoOn } from '../support/follow-agent';

const DESCRIPTION = `Starts a sub-agent that reports to you. It sees nothing of this conversation: its prompt must hold goal, known facts, paths, and what to report. Several in one message run side by side. Use one for work whose output you need not keep, or that can run beside other work; do small things yourself.`;

const DEFAULT_AGENT = 'general-purpose';

const Input = z.strictObject({
  description: z.string().min(1).max(200).describe('The task in three to five words.'),
  prompt: z.string().min(1).describe('The task.'),
  subagent_type: z.string().default(DEFAULT_AGENT),
  model: z.string().optional().describe('Another model than usual: sonnet, opus, haiku.'),
  run_in_background: z
    .boolean()
    .optional()
    .describe('Go on without waiting; you are told its report when it ends.'),
  name: z.string().trim().min(1).max(64).optional().describe('A name to send it messages by.'),
  effort: EffortSetting.optional().describe('Only where the user or instructions ask for one.'),
  isolation: z
    .literal('worktree')
    .optional()
    .describe('It works in a git worktree of its own, which stays if it changed something.'),
});
type Input = z.infer<typeof Input>;

interface Output {
  readonly view: ToolView;
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
      if (agents === null) return TOO_DEEP;
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
    execute: async function* (input, context) {
      const { agents } = context.agent;
      if (agents === null) return { ok: false, message: TOO_DEEP };
      const { description, prompt, subagent_type, name, model, effort, isolation } = input;
      const kind = agents.kinds().find(({ name }) => name === subagent_type);
      const background =
        agents.mayGoOn && (input.run_in_background === true || kind?.background === true);
      if (background && agents.isFull()) return { ok: false, message: FULL };
      const started = await agents.start(
        {
          ...{ callId: context.callId, type: subagent_type, title: description, prompt },
          ...(name === undefined ? {} : { name }),
          ...(model === undefined ? {} : { model }),
          ...(effort === undefined ? {} : { effort }),
          ...(isolation === undefined ? {} : { isolated: true }),
          ...(background ? { background } : {}),
        },
        context.signal,
      );
      if (!started.ok) return { ok: false, message: started.error };
      const work = started.value;
      const end = background ? { kind: 'background' as const } : yield* followAgent(work, context);
      if (end.kind === 'ended') {
        const output = { text: end.text, view: agentView(work) };
        return end.ok ? { ok: true, output } : { ok: false, message: end.text, output };
      }
      const task = await letGoOn(work, context);
      const output = { text: task.text, view: agentView(work, task.taskId) };
      return task.ok ? { ok: true, output } : { ok: false, message: task.text, output };
    },
    toModel: ({ text }) => [{ type: 'text', text }],
    view: (_, { view }) => view,
  });

const TOO_DEEP = 'A sub-agent cannot start sub-agents.';
