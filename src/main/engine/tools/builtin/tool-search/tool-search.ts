import { z } from 'zod';
import { TOOL_SEARCH } from '../../catalogue';
import type { ToolContext, ToolSummary } from '../../environment';
import { ownNeeds } from '../../needs';
import { NO_ACCESS } from '../../resource-access';
import { defineTool } from '../../tool';

const DEFAULT_RESULTS = 5;
const MAX_RESULTS = 20;
/** Time a search without a result waits for servers that are still connecting. Milliseconds. */
export const PENDING_WAIT_MS = 10_000;
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

interface Output {
  readonly found: readonly ToolSummary[];
  /** Sources that may bring more tools yet. */
  readonly pending: readonly string[];
}

/** Creates the tool that finds deferred tools (docs/spec.md H5). */
export const createToolSearchTool = () =>
  defineTool<Input, Output>({
    name: TOOL_SEARCH,
    description: DESCRIPTION,
    input: Input,
    access: async () => NO_ACCESS,
    needs: ownNeeds(TOOL_SEARCH),
    title: ({ query = '' }) => ({ verb: 'Find tools', target: query }),
    // biome-ignore lint/correctness/useYield: looking through a list is one step
    execute: async function* ({ query, max_results = DEFAULT_RESULTS }, context) {
      const { deferredTools } = context.agent;
      let found = deferredTools.search(query, max_results);
      if (found.length === 0 && deferredTools.pending().length > 0) {
        await nonePending(context);
        found = deferredTools.search(query, max_results);
      }
      return { ok: true, output: { found, pending: deferredTools.pending() } };
    },
    toModel: (output) => [{ type: 'text', text: report(output) }],
    view: ({ query }, { found }) => ({
      kind: 'generic',
      title: `${found.length} found for ${query}`,
      detail: found.map(({ name }) => name).join('\n'),
    }),
  });

/** Waits until nothing is pending, but no longer than {@link PENDING_WAIT_MS} and only until the call is stopped. */
async function nonePending({ services, agent, signal }: ToolContext): Promise<void> {
  const { deferredTools } = agent;
  const over = new AbortController();
  const stop = AbortSignal.any([signal, over.signal]);
  const unlisten = deferredTools.onChange(() => {
    if (deferredTools.pending().length === 0) over.abort();
  });
  await services.clock.sleep(PENDING_WAIT_MS, stop);
  unlisten();
}

function report({ found, pending }: Output): string {
  const lines = found.map(
    ({ name, description }) => `- ${name}: ${description.slice(0, MAX_DESCRIPTION_CHARS)}`,
  );
  const waiting = pending.length === 0 ? [] : [`Still connecting: ${pending.join(', ')}.`];
  return found.length === 0
    ? ['No tool fits. Try other words.', ...waiting].join('\n')
    : ['You can call these from now on:', ...lines, ...waiting].join('\n');
}
