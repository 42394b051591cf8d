import { expect, it } from 'vitest';
import type { HeadlessCommand } from '../../../src/main/hosts/common/command-line/command';
import { createPrinter, type PrinterParts } from '../../../src/main/hosts/headless/printer';
import { type AgentEvent, MAIN_AGENT } from '../../../src/shared/agent-event';
import { NO_USAGE } from '../../../src/shared/facts';
import type { HookReport } from '../../../src/shared/hooks';

const said = (messageId: string, text: string): AgentEvent => ({
  ...{ type: 'block_finished', messageId, model: 'x', index: 0 },
  block: { type: 'text', text },
});

const ended = (text: string): AgentEvent => ({
  ...{ type: 'query_finished', queryId: 'q', text, turns: 1, usage: NO_USAGE, costUsd: 0 },
  ...{ terminal: 'completed', durationMs: 1, apiMs: 0, denials: [], stopReason: null },
});

/** Prints events as text; what went to standard output, and to standard error. */
async function printed(...events: readonly AgentEvent[]) {
  const [out, complaints]: [string[], string[]] = [[], []];
  const parts = {
    out: { text: async (text: string) => void out.push(text) },
    complain: (text: string) => void complaints.push(text),
  } as unknown as PrinterParts;
  const printer = createPrinter({ outputFormat: 'text' } as HeadlessCommand, parts);
  for (const event of events) await printer.event(event, MAIN_AGENT);
  return [out, complaints];
}

it('prints what hooks have shown of an answer that went on in another message', async () => {
  const events = [
    ...[{ type: 'query_started', queryId: 'q' } as const, said('a', 'The secret is lo')],
    { type: 'text_replaced', messageId: 'a', index: 0, text: 'The ****** is lo' } as const,
    said('b', 'ng.'),
  ];
  expect(await printed(...events, ended('The secret is long.'))).toEqual([
    ['The ****** is long.\n'],
    [],
  ]);
});

it('tells once of a hook that fails again and again in one message', async () => {
  const report: HookReport = {
    ...({ id: 'h', event: 'MessageDisplay', outcome: 'failed' } as const),
    ...{ subject: '', run: 'x', file: 'f', note: 'exit code 1', exitCode: 1, durationMs: 1 },
    ...{ stdout: '', stderr: '' },
  };
  const again = { ...report, knownToFail: true };
  expect(
    await printed({ type: 'hook_settled', report }, { type: 'hook_settled', report: again }),
  ).toEqual([[], ['Hook MessageDisplay failed: exit code 1 (x)']]);
});
