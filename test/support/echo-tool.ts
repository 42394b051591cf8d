import { z } from 'zod';
import { ownNeeds } from '../../src/main/engine/tools/needs';
import { NO_ACCESS } from '../../src/main/engine/tools/resource-access';
import { defineTool } from '../../src/main/engine/tools/tool';

/** How a call of the tool `Echo` behaves. */
export interface Echoed {
  readonly text: string;
  /** Repeats the text. Default 1. */
  readonly times?: number | undefined;
  /** Waits until a call with this text has ended. */
  readonly after?: string | undefined;
}

/** Creates a tool `Echo` that gives back a text, as often as it is told, and in the order it is told. */
export function createEchoTool() {
  const ended = new Map<string, PromiseWithResolvers<void>>();
  const endOf = (text: string): PromiseWithResolvers<void> => {
    const known = ended.get(text) ?? Promise.withResolvers<void>();
    ended.set(text, known);
    return known;
  };
  return defineTool<Echoed, string>({
    name: 'Echo',
    description: 'Gives a text back.',
    input: z.strictObject({
      text: z.string(),
      times: z.number().optional(),
      after: z.string().optional(),
    }),
    access: async () => NO_ACCESS,
    needs: ownNeeds('Echo'),
    title: ({ text = '' }) => ({ verb: 'Echo', target: text.slice(0, 20) }),
    // biome-ignore lint/correctness/useYield: one step
    execute: async function* ({ text, times = 1, after }) {
      if (after !== undefined) await endOf(after).promise;
      endOf(text).resolve();
      return { ok: true, output: text.repeat(times) };
    },
    toModel: (text) => [{ type: 'text', text }],
    view: () => ({ kind: 'generic', title: 'Echo', detail: '' }),
  });
}
