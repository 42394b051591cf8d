import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createCallBeats } from '../../../src/main/hosts/headless/call-beats';
import { linesKnownTo } from '../../../src/main/hosts/headless/known-lines';
import { faultLine } from '../../../src/main/hosts/headless/result-line';
import { createLineMapper } from '../../../src/main/hosts/headless/stream-json';
import type { AgentEvent } from '../../../src/shared/agent-event';
import { NO_COSTS } from '../../../src/shared/facts';
import { fault } from '../../../src/shared/result';
import { memoryClock } from '../../support/memory-clock';
import { startScriptedApi } from '../../support/scripted-api';
import { reply, thinking, toolUse } from '../../support/scripted-api-replies';
import { lathe, linesOf, makeWorkspace, nothingLeft } from '../process/lathe';
import { installed, WANTED } from '../process/npm-clients';
import { refusedByTypes } from './refused-by-types';

const require = createRequire(import.meta.url);

const USAGE = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 };
const text = (content: string) => [{ type: 'text' as const, text: content }];
const settledCall = (over: object = {}): AgentEvent => ({
  ...{ type: 'call_settled', callId: 'c1', tool: 'Bash', durationMs: 4, view: null },
  ...{ title: { verb: 'Bash', target: 'ls' }, status: 'done', content: text('a'), isError: false },
  ...over,
});
const task = {
  ...{
    id: 'b1',
    type: 'local_bash',
    kind: 'Command',
    sessionId: 's',
    agentId: 'main',
    callId: 'c1',
  },
  ...{ title: 'make', command: 'make', isBackgrounded: true, startedAt: 1, endedAt: 2 },
  ...{ outputFile: '/o', outputBytes: 0, outputLines: 0, lastLine: '', endTold: false },
};
const hook = { id: 'h', event: 'Stop' as const, subject: '', run: 'true' };
const block = (value: object): AgentEvent =>
  ({ type: 'block_finished', messageId: 'm', model: 'opus', index: 0, block: value }) as AgentEvent;

/** One of each kind of event that has a line. */
const EVENTS: readonly AgentEvent[] = [
  { type: 'message_started', messageId: 'm', model: 'opus' },
  { type: 'block_started', messageId: 'm', index: 0, kind: 'text' },
  { type: 'block_delta', messageId: 'm', index: 0, text: 'hi' },
  block({ type: 'text', text: 'hi' }),
  block({ type: 'thinking', thinking: 'hm', signature: 'sig' }),
  block({ type: 'tool_use', id: 'c1', name: 'Bash', input: { command: 'ls' } }),
  {
    ...{ type: 'message_finished', messageId: 'm', model: 'opus', stopReason: 'tool_use' },
    ...{ usage: USAGE, costUsd: 0.1 },
  },
  settledCall(),
  settledCall({ status: 'denied', isError: true, content: text('No rule allows it.') }),
  {
    ...{ type: 'retry_waiting', attempt: 2, maxAttempts: 3, delayMs: 5, reason: 'busy' },
    ...{ error: 'overloaded', status: 529 },
  },
  { type: 'compaction_started', trigger: 'auto', tokensBefore: 9 },
  {
    ...{ type: 'compacted', id: 'k', trigger: 'manual', summary: 's', removed: [] },
    ...{ tokensBefore: 9, tokensAfter: 3 },
  },
  {
    ...{ type: 'compaction_ended', trigger: 'auto', outcome: 'compacted' },
    ...{ tokensBefore: 9, tokensAfter: 3 },
  },
  {
    ...{ type: 'compaction_ended', trigger: 'auto', outcome: 'failed', why: 'It did not fit.' },
    ...{ tokensBefore: 9, tokensAfter: 9 },
  },
  { type: 'notice', level: 'warning', code: 'x', text: 'Mind this.' },
  { type: 'notice', level: 'info', code: 'cache_missed', text: 'The prompt cost more.' },
  {
    type: 'plan_limits',
    limits: {
      ...{ status: 'allowed', window: 'five_hour', used: 0.2, resetsAt: 1764554400, windows: {} },
      overage: { status: 'rejected', disabledReason: 'who knows' },
    },
  },
  {
    ...{ type: 'retry_waiting', attempt: 2, maxAttempts: 3, delayMs: 90_000, reason: 'busy' },
    ...{ error: 'rate_limit', status: 429 },
  },
  { type: 'hook_started', hook } as AgentEvent,
  { type: 'hook_progress', hook, stdout: 'a', stderr: '' } as AgentEvent,
  { type: 'elicitation_completed', server: 's', elicitationId: 'e' },
  { type: 'attachment', id: 'a', kind: 'relevant_notes', text: 'x', about: '/notes/a.md' },
  {
    type: 'hook_settled',
    report: {
      ...{ ...hook, stdout: '', stderr: '', exitCode: 0, outcome: 'done', note: '', durationMs: 1 },
    },
  } as unknown as AgentEvent,
  { type: 'task_started', task: { ...task, status: 'running' } },
  { type: 'task_settled', task: { ...task, status: 'failed', note: 'It failed.' } },
  ...(['completed', 'max_turns', 'max_budget', 'model_error', 'aborted_tools'] as const).map(
    (terminal): AgentEvent => ({
      ...{ type: 'query_finished', queryId: 'q', terminal, text: 'Done.', turns: 1 },
      ...{ usage: USAGE, costUsd: 0.1, durationMs: 3, apiMs: 2, stopReason: 'end_turn' },
      denials: [{ tool: 'Bash', toolUseId: 'c1', input: {} }],
      ...(terminal === 'model_error' ? { failure: { error: 'overloaded', status: 529 } } : {}),
    }),
  ),
  ...[
    { turns: 0, terminal: 'completed' as const, stopReason: null },
    { turns: 1, terminal: 'model_error' as const, stopReason: 'refusal' },
  ].map(
    (over): AgentEvent => ({
      ...{ type: 'query_finished', queryId: 'q', text: 'Told.', usage: USAGE, denials: [] },
      ...{ costUsd: 0, durationMs: 3, apiMs: 0, ...over },
    }),
  ),
  { type: 'turn_started', queryId: 'q', turn: 1 },
];

/** A sign of life of a call, as it is sent. */
async function beat(): Promise<readonly Json[]> {
  const clock = memoryClock();
  const sent: Json[] = [];
  const beats = createCallBeats(clock, async (line) => void sent.push(line));
  beats.see({
    type: 'call_changed',
    callId: 'c',
    tool: 'Bash',
    status: 'running',
    startedAt: 0,
  } as AgentEvent);
  await clock.advance(30_000);
  beats.see({ type: 'agent_started', agent: { id: 'a', callId: 'c', type: 'Plan' } } as AgentEvent);
  beats.see(
    {
      ...{ type: 'retry_waiting', attempt: 2, maxAttempts: 3, delayMs: 5, reason: 'busy' },
      ...{ error: 'overloaded', status: 529 },
    },
    'a',
  );
  beats.stop();
  return sent;
}

/** Declares the tests for the types of one SDK, whose programs start Lathe with `env`. */
function accepts(types: () => string, env: Readonly<Record<string, string>>) {
  const known = linesKnownTo(env);
  it('has a type for every kind of line', async () => {
    const uuid = '00000000-0000-4000-8000-000000000001';
    const costs = { opus: { usage: USAGE, costUsd: 0.1, requests: 1 } };
    const mapper = createLineMapper(
      {
        ...{ sessionId: 'ses', uuid: () => uuid, spent: () => costs },
        ...{ structuredOutput: () => ({ a: 1 }), shownInput: () => null },
      },
      true,
    );
    expect(NO_COSTS.total.costUsd).toBe(0);
    const lines = [
      ...EVENTS.flatMap((event) => mapper.lines(event)),
      { ...faultLine(fault('x', 'It failed.')), uuid, session_id: 'ses' },
      ...(await beat()).map((line) => ({ ...line, uuid, session_id: 'ses' })),
      {
        ...{ type: 'system', subtype: 'control_request_progress', request_id: 'r' },
        ...{ status: 'started', uuid, session_id: 'ses' },
      },
    ];
    expect(kindsOf(lines).length).toBeGreaterThan(15);
    const sent = lines.map(known).filter((line) => line !== null);
    expect(await refusedByTypes(messages(sent), types())).toBe('');
  });

  it('has a type for every line of a run that does much', async () => {
    const workspace = await makeWorkspace();
    const mark = join(workspace.project, 'go');
    const waiting = `until [ -e ${mark} ]; do sleep 0.1; done; echo over`;
    const api = await startScriptedApi([
      reply([
        thinking('Hm.'),
        toolUse('Bash', { command: waiting, run_in_background: true, description: 'waits' }),
        toolUse('Bash', { command: 'echo hi', description: 'says hi' }),
        toolUse('Write', { file_path: join(workspace.project, 'a.txt'), content: 'a' }),
      ]),
      reply([toolUse('Read', { file_path: join(workspace.project, 'a.txt') })]),
      reply('done'),
      reply('It is over.'),
    ]);
    await mkdir(join(workspace.home, '.claude'), { recursive: true });
    const hook = { hooks: [{ type: 'command', command: `touch ${mark}` }] };
    const settings = { hooks: { Stop: [hook] }, permissions: { deny: ['Bash(echo hi)'] } };
    await writeFile(join(workspace.home, '.claude', 'settings.json'), JSON.stringify(settings));
    const flags = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
    const more = ['--include-partial-messages', '--include-hook-events', '--replay-user-messages'];
    const words = [...flags, ...more, '--permission-mode', 'bypassPermissions'];
    const { child, finished, printed } = lathe(workspace, words, {
      ANTHROPIC_BASE_URL: api.url,
      ANTHROPIC_API_KEY: 'sk-test-0123456789',
      CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: '1',
      ...env,
    });
    try {
      const message = { role: 'user', content: 'go' };
      child.stdin.write(`${JSON.stringify({ type: 'user', message, parent_tool_use_id: null })}\n`);
      await printed('It is over.');
      child.stdin.end();
      const { stdout } = await finished;
      const lines: readonly Json[] = linesOf(stdout);
      const expected = PRINTED.filter(([type, subtype]) => known({ type, subtype }) !== null);
      expect(kindsOf(lines)).toEqual(
        expect.arrayContaining(expected.map((kind) => kind.join(' '))),
      );
      expect(await refusedByTypes(messages(lines), types())).toBe('');
    } finally {
      await api.close();
      await nothingLeft(workspace);
      await workspace.remove();
    }
  });
}

/** Kinds of lines that the run prints, where they are known. */
const PRINTED = [
  ['system', 'init'],
  ['system', 'session_state_changed'],
  ['system', 'background_tasks_changed'],
  ['system', 'hook_started'],
  ['system', 'hook_response'],
  ['system', 'permission_denied'],
  ['system', 'task_notification'],
  ['stream_event', ''],
  ['assistant', ''],
  ['user', ''],
  ['result', 'success'],
] as const;

const kindsOf = (lines: readonly Json[]): readonly string[] => [
  ...new Set(lines.map(({ type, subtype = '' }) => `${type} ${subtype}`)),
];

const SDK = '@anthropic-ai/claude-agent-sdk';

describe('the agent SDK that is installed here', () => {
  accepts(() => join(dirname(require.resolve(SDK)), 'sdk.d.ts'), {});
});

describe.runIf(WANTED).each(['0.1.44', '0.2.97'])('the agent SDK %s', (version) => {
  const npm = installed(`${SDK}@${version}`);
  beforeEach((context) => npm.needed(context));
  accepts(() => npm.path(SDK, 'sdk.d.ts'), {
    CLAUDE_CODE_ENTRYPOINT: 'sdk-ts',
    CLAUDE_AGENT_SDK_VERSION: version,
  });
});

type Json = Readonly<Record<string, unknown>>;

const messages = (lines: readonly Json[]) => lines.map((value) => ({ type: 'SDKMessage', value }));
