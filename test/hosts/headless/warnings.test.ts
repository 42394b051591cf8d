import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { HeadlessSession } from '../../../src/main/app/headless-session';
import { createOutput } from '../../../src/main/hosts/headless/output';
import { runHeadless } from '../../../src/main/hosts/headless/run-headless';
import type { AgentEvent } from '../../../src/shared/agent-event';
import { NO_USAGE } from '../../../src/shared/facts';
import { ok } from '../../../src/shared/result';
import type { SettingsProblem } from '../../../src/shared/settings';
import { IDLE_SESSION } from '../../support/headless-session';
import { memoryClock } from '../../support/memory-clock';

const END: AgentEvent = {
  ...{ type: 'query_finished', queryId: 'q', text: 'Hi.', turns: 1, usage: NO_USAGE, costUsd: 0 },
  ...{ terminal: 'completed', durationMs: 1, apiMs: 0, denials: [], stopReason: null },
};
const LOST = '3 kB of this conversation is lost: disk full';

const problem = (line: number): SettingsProblem => ({
  ...{ file: '/p/s.json', line, message: 'Not JSON', level: 'error' },
});

/** Runs one prompt; gives the result, and what went to standard error. */
async function run(
  { outputFormat, verbose }: { outputFormat: 'json' | 'stream-json'; verbose: boolean },
  problems: readonly SettingsProblem[],
) {
  const errors: string[] = [];
  const out = new PassThrough();
  const session: HeadlessSession = {
    ...{ ...IDLE_SESSION, problems, close: async () => LOST },
    async *submit() {
      yield { sessionId: 'ses', agentId: 'main', epoch: 'e', seq: 1, at: 0, event: END };
    },
  };
  await runHeadless(
    {
      ...{ kind: 'headless', prompt: 'hi', inputFormat: 'text', outputFormat, verbose },
      ...{ partialMessages: false, debug: false, promptTool: 'mcp__nobody__ask' },
      options: {
        ...{ folder: '/p', trust: false, fork: false },
        ...{ allowedTools: [], disallowedTools: [], addDirectories: [] },
      },
    },
    {
      out: createOutput(out, () => {}),
      input: { stream: Readable.from([]), isTerminal: true },
      open: async () => ok(session),
      ending: new AbortController().signal,
      complain: (line) => errors.push(line),
      ...{ version: '1', uuid: () => 'u', clock: memoryClock(), known: (line) => line },
    },
  );
  const lines = (await text(out.end())).trim().split('\n');
  const result = lines
    .flatMap((line) => JSON.parse(line))
    .find(({ type }: { type: string }) => type === 'result');
  return { warnings: result.warnings as readonly string[], errors };
}

test.each([
  ['json', false, [LOST]],
  ['json', true, [LOST]],
  // Its result is out before the session closes.
  ['stream-json', false, []],
] as const)(
  '%s, verbose %s: a result lists what text output says beside it',
  async (outputFormat, verbose, atEnd) => {
    const doubt = expect.stringMatching(/^--permission-prompt-tool mcp__nobody__ask: /);
    const { warnings, errors } = await run({ outputFormat, verbose }, [problem(3)]);
    expect(warnings).toEqual(['/p/s.json, line 3: Not JSON', doubt, ...atEnd]);
    expect(errors).toEqual([
      'Error: /p/s.json, line 3: Not JSON',
      expect.stringMatching(/^Warning: --permission-prompt-tool mcp__nobody__ask: /),
      `Error: ${LOST}`,
    ]);
  },
);

test('of very many warnings a result lists the first, and how many more there are', async () => {
  const many = Array.from({ length: 52 }, (_, at) => problem(at + 1));
  const { warnings } = await run({ outputFormat: 'stream-json', verbose: false }, many);
  expect(warnings).toHaveLength(51);
  expect(warnings.at(-1)).toBe('There are 3 more warnings.');
});
