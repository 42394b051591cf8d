import { z } from 'zod';
import { BUILT_IN_AGENTS } from '../../../src/main/engine/agents/definitions';
import { createAgentTool } from '../../../src/main/engine/tools/builtin/agent/agent';
import { createAskUserQuestionTool } from '../../../src/main/engine/tools/builtin/ask-user-question/ask-user-question';
import { createBashTool } from '../../../src/main/engine/tools/builtin/bash/bash';
import { createTaskOutputTool } from '../../../src/main/engine/tools/builtin/task-output/task-output';
import { ownNeeds } from '../../../src/main/engine/tools/needs';
import { defineTool } from '../../../src/main/engine/tools/tool';
import type { Stamped } from '../../../src/shared/agent-event';
import { createEchoTool } from '../../support/echo-tool';
import { type Reply, reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession, type TestSessionOptions } from '../../support/session';
import { type FakeTerminals, fakeTerminals } from '../tasks/fake-terminals';

/** The input of a call that starts a sub-agent. */
export const TASK = { description: 'Watch', prompt: 'the task', subagent_type: 'general-purpose' };

/** Returns a call that starts a sub-agent. */
export const agentCall = (type = 'general-purpose', id?: string) =>
  toolUse('Agent', { ...TASK, subagent_type: type }, id);

/** Returns a call that repeats a word. */
export const echo = (text: string, id?: string) => toolUse('Echo', { text, times: 1 }, id);

/** Tells whether a request is the main agent's, which alone is offered the Agent tool. */
export const isMain = (body: { readonly tools?: unknown }): boolean =>
  JSON.stringify(body.tools ?? []).includes('"Agent"');

/** A session in which the main agent gets its answers from one list, and its sub-agents theirs from another. */
export async function openWithAgents(
  main: readonly Reply[],
  agents: readonly Reply[],
  more: TestSessionOptions = {},
): Promise<{ readonly t: TestSession; readonly terminals: FakeTerminals }> {
  const terminals = fakeTerminals();
  const left = { main: [...main], agents: [...agents] };
  const t = await openTestSession(
    ({ body }) => (isMain(body) ? left.main : left.agents).shift() ?? reply('the end'),
    {
      tools: [
        createBashTool(),
        createTaskOutputTool(),
        createEchoTool(),
        createAskUserQuestionTool(),
        createAgentTool(BUILT_IN_AGENTS),
      ],
      terminals,
      ...more,
    },
  );
  return { t, terminals };
}

/** Runs one query to its end and returns all that happened. */
export async function stampedRun(t: TestSession, prompt: string): Promise<readonly Stamped[]> {
  const all: Stamped[] = [];
  for await (const stamped of t.session.submit(prompt)) all.push(stamped);
  return all;
}

/** Creates a tool whose call ends when something has happened. */
export const waitTool = (until: Promise<void>) =>
  defineTool<Record<string, never>, string>({
    name: 'Wait',
    description: 'Waits.',
    input: z.strictObject({}),
    needs: ownNeeds('Wait'),
    title: () => ({ verb: 'Wait', target: '' }),
    // biome-ignore lint/correctness/useYield: one step
    execute: async function* () {
      await until;
      return { ok: true, output: 'over' };
    },
    toModel: (output) => [{ type: 'text', text: output }],
    view: () => ({ kind: 'generic', title: 'Wait', detail: '' }),
  });
