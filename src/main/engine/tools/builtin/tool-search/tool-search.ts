import { z } from 'zod';
import { ownNeeds } from '../../needs';
import { NO_ACCESS } from '../../resource-access';
import { defineTool } from '../../tool';
import { type FoundTool, TOOL_SEARCH } from '../../tool-shelf';

const DEFAULT_RESULTS = 5;
const MAX_RESULTS = 20;
/** Enough of a description to choose by; the whole one comes with the tool. */
const MAX_DESCRIPTION_CHARS = 300;

const Input = z.strictObject({
  query: z
    .string()
    .trim()
    .min(1)
    .max(500)
    .describe('Words for what you want to do, or "select:NameA,NameB" when you know the names.'),
  max_results: z.int().min(1).max(MAX_RESULTS).optional(),
});
type Input = z.infer<typeof Input>;

const DESCRIPTION = `Finds tools that are there but not listed, for example those of connected servers. What it finds you can call from your next answer on.`;

/** The tool that finds deferred tools (SPEC H5). */
export const createToolSearchTool = () =>
  defineTool<Input, readonly FoundTool[]>({
    name: TOOL_SEARCH,
    description: DESCRIPTION,
    input: Input,
    access: async () => NO_ACCESS,
    needs: ownNeeds(TOOL_SEARCH),
    title: ({ query = '' }) => ({ verb: 'Find tools', target: query }),
    // biome-ignore lint/correctness/useYield: looking through a list is one step
    execute: async function* ({ query, max_results = DEFAULT_RESULTS }, { shelf }) {
      return { ok: true, output: shelf.find(query, max_results) };
    },
    toModel: (found) => [{ type: 'text', text: report(found) }],
    view: ({ query }, found) => ({
      kind: 'generic',
      title: `${found.length} found for ${query}`,
      detail: found.map(({ name }) => name).join('\n'),
    }),
  });

function report(found: readonly FoundTool[]): string {
  if (found.length === 0) return 'No tool fits. Try other words.';
  const lines = found.map(
    ({ name, description }) => `- ${name}: ${description.slice(0, MAX_DESCRIPTION_CHARS)}`,
  );
  return ['You can call these from now on:', ...lines].join('\n');
}
