import { z } from 'zod';
import { ownNeeds } from '../../../../src/main/engine/tools/needs';
import { defineTool } from '../../../../src/main/engine/tools/tool';
import { toyWork } from './toy-task';

/** Creates a tool that says something, and starts background work when it is told to. */
export const toyTool = (name = 'Toy') =>
  defineTool<{ text: string; work?: boolean | undefined }, string>({
    name,
    description: 'Says what it is given.',
    input: z.strictObject({ text: z.string(), work: z.boolean().optional() }),
    needs: ownNeeds(name),
    title: ({ text = '' }) => ({ verb: name, target: text }),
    // biome-ignore lint/correctness/useYield: one step
    execute: async function* ({ text, work }, { agent }) {
      if (work) {
        await agent.tasks.start(toyWork, text, { title: 'Toy work', background: true }).running;
      }
      return { ok: true, output: `${name} says ${text}` };
    },
    toModel: (output) => [{ type: 'text', text: output }],
    view: (_, detail) => ({ kind: 'generic', title: name, detail }),
  });
