import { z } from 'zod';
import { ownNeeds } from '../../needs';
import { defineTool } from '../../tool';

const Input = z.strictObject({
  report: z.string().min(1).max(4_000).describe('It stands on its own: what you saw, and where.'),
});
type Input = z.infer<typeof Input>;

/** The name that an observer's tool has. */
export const OBSERVER_REPORT = 'ObserverReport';

/** Creates the tool by which one observer reports. `tell` passes a report on; false: it has told enough. */
export const createObserverReportTool = (tell: (report: string) => boolean) =>
  defineTool<Input, string>({
    name: OBSERVER_REPORT,
    description: 'Tells the agent that gave the task you observe what it should know now.',
    input: Input,
    needs: ownNeeds(OBSERVER_REPORT),
    title: ({ report = '' }) => ({ verb: 'Report', target: report }),
    // biome-ignore lint/correctness/useYield: a report is one step
    execute: async function* ({ report }) {
      return tell(report)
        ? { ok: true, output: 'It is told.' }
        : { ok: false, message: 'You have reported enough; end your answer.' };
    },
    toModel: (text) => [{ type: 'text', text }],
    view: ({ report }) => ({ kind: 'generic', title: 'Report', detail: report }),
  });
