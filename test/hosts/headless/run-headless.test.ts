import { PassThrough, Readable, Writable } from 'node:stream';
import { expect, test, vi } from 'vitest';
import type { HeadlessOptions, HeadlessSession } from '../../../src/main/app/headless-session';
import type { HeadlessCommand } from '../../../src/main/hosts/common/command-line/command';
import { EXIT } from '../../../src/main/hosts/headless/exit-code';
import type { HeadlessParts } from '../../../src/main/hosts/headless/in-session';
import { linesKnownTo } from '../../../src/main/hosts/headless/known-lines';
import { createOutput } from '../../../src/main/hosts/headless/output';
import { runHeadless } from '../../../src/main/hosts/headless/run-headless';
import type { AgentEvent } from '../../../src/shared/agent-event';
import { err, fault, ok, type Result } from '../../../src/shared/result';
import type { EndReason } from '../../../src/shared/turn';
import { IDLE_SESSION } from '../../support/headless-session';
import { memoryClock } from '../../support/memory-clock';

const OPTIONS: HeadlessOptions = {
  folder: '/p',
  trust: false,
  fork: false,
  allowedTools: [],
  disallowedTools: [],
  addDirectories: [],
};
const COMMAND: HeadlessCommand = {
  kind: 'headless',
  prompt: 'hi',
  outputFormat: 'text',
  inputFormat: 'text',
  verbose: false,
  partialMessages: false,
  debug: false,
  options: OPTIONS,
};

const ended = (terminal: EndReason, text: string): AgentEvent => ({
  type: 'query_finished',
  queryId: 'q',
  terminal,
  text,
  turns: 1,
  usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
  costUsd: 0,
  durationMs: 1,
  apiMs: 1,
  denials: [],
  stopReason: 'end_turn',
});

interface Scene {
  readonly session?: (prompt: string, interrupted: Promise<void>) => AsyncGenerator<AgentEvent>;
  readonly opened?: Result<HeadlessSession>;
  readonly stdin?: Readable;
  readonly problems?: HeadlessSession['problems'];
  readonly deferred?: boolean;
  readonly out?: Writable;
  readonly known?: HeadlessParts['known'];
  readonly keySource?: string;
  readonly suggestTitle?: HeadlessSession['suggestTitle'];
  /** What closing the session says is lost. */
  readonly lost?: string;
}

/** A run with a session that answers as told; `code` resolves with the exit code. */
function play(command: Partial<HeadlessCommand>, scene: Scene = {}) {
  const out: string[] = [];
  const errors: string[] = [];
  const prompts: string[] = [];
  const changes: object[] = [];
  const ending = new AbortController();
  let closed = 0;
  let interrupt = () => {};
  const interrupted = new Promise<void>((resolve) => {
    interrupt = resolve;
  });
  const answer =
    scene.session ??
    async function* (prompt) {
      yield ended('completed', `You said: ${prompt}`);
    };
  const session: HeadlessSession = {
    ...IDLE_SESSION,
    ...(scene.keySource === undefined ? {} : { apiKeySource: scene.keySource }),
    ...(scene.suggestTitle === undefined ? {} : { suggestTitle: scene.suggestTitle }),
    tools: () => ['Bash', 'Read'],
    problems: scene.problems ?? [],
    interrupt,
    configure: async (change) => {
      changes.push(change);
      return ok({});
    },
    commands: () => [{ name: 'compact', description: 'Summarise', argumentHint: '' }],
    agents: () => [{ name: 'Explore', description: 'Looks around' }],
    deferred: () => scene.deferred ?? false,
    async *submit(prompt) {
      prompts.push(typeof prompt === 'string' ? prompt : JSON.stringify(prompt ?? ''));
      let seq = 0;
      for await (const event of answer(typeof prompt === 'string' ? prompt : '', interrupted)) {
        seq += 1;
        yield { sessionId: 'ses', agentId: 'main', epoch: 'e', seq, at: 0, event };
      }
    },
    async close() {
      closed += 1;
      return scene.lost ?? null;
    },
  };
  const stream =
    scene.out ??
    new Writable({
      write(chunk, _, done) {
        out.push(String(chunk));
        done();
      },
    });
  const code = runHeadless(
    { ...COMMAND, ...command },
    {
      out: createOutput(stream, () => ending.abort(EXIT.error)),
      input: { stream: scene.stdin ?? Readable.from([]), isTerminal: scene.stdin === undefined },
      open: async () => scene.opened ?? ok(session),
      ending: ending.signal,
      complain: (line) => errors.push(line),
      version: '1.2.3',
      uuid: () => 'u',
      clock: memoryClock(),
      known: scene.known ?? ((line) => line),
    },
  );
  return {
    code,
    ending,
    prompts,
    changes,
    errors,
    text: () => out.join(''),
    lines: () =>
      out
        .join('')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    closed: () => closed,
  };
}

test('text: the answer alone on standard output', async () => {
  const run = play({});
  expect(await run.code).toBe(EXIT.success);
  expect(run.text()).toBe('You said: hi\n');
  expect(run.errors).toEqual([]);
  expect(run.closed()).toBe(1);
});

test.each(['text', 'json', 'stream-json'] as const)(
  '%s: what could not be saved when the session closed goes to standard error',
  async (outputFormat) => {
    const run = play({ outputFormat }, { lost: '3 kB of this conversation is lost: disk full' });
    expect(await run.code).toBe(EXIT.success);
    expect(run.errors).toEqual(['Error: 3 kB of this conversation is lost: disk full']);
  },
);

test('text: what went wrong goes to standard error', async () => {
  const run = play(
    {},
    {
      async *session() {
        yield { type: 'retry_waiting', attempt: 1, maxAttempts: 10, delayMs: 900, reason: 'Busy' };
        yield { type: 'notice', level: 'warning', code: 'x', text: 'Careful.', fix: 'Look.' };
        yield { type: 'notice', level: 'info', code: 'y', text: 'By the way' };
        yield ended('stop_hook_prevented', 'A hook stopped this.');
      },
      problems: [{ file: '/p/s.json', line: 3, message: 'Not JSON', level: 'error' }],
    },
  );
  expect(await run.code).toBe(EXIT.error);
  expect(run.text()).toBe('');
  expect(run.errors).toEqual([
    'Error: /p/s.json, line 3: Not JSON',
    'Busy; trying again in 1 s (1 of 10).',
    'Careful. Look.',
    'A hook stopped this.',
  ]);
});

test.each(['text', 'json', 'stream-json'] as const)(
  '%s: a failure of the API stands where the answer would, and is an error',
  async (outputFormat) => {
    const end = ended('model_error', 'The request is wrong.');
    const failure = { error: 'invalid_request', status: 400 };
    const run = play(
      { outputFormat },
      {
        async *session() {
          yield { ...end, failure } as AgentEvent;
        },
      },
    );
    expect(await run.code).toBe(EXIT.error);
    expect(run.errors).toEqual([]);
    if (outputFormat === 'text') return expect(run.text()).toBe('The request is wrong.\n');
    expect(run.lines().at(-1)).toMatchObject({
      ...{ type: 'result', subtype: 'success', is_error: true, api_error_status: 400 },
      result: 'The request is wrong.',
    });
    if (outputFormat === 'json') return;
    expect(run.lines().at(-2)).toMatchObject({
      ...{ type: 'assistant', error: 'invalid_request' },
      message: { content: [{ type: 'text', text: 'The request is wrong.' }] },
    });
  },
);

test('json: one result; with --verbose every line as one array', async () => {
  const short = play({ outputFormat: 'json' });
  await short.code;
  expect(short.lines()).toHaveLength(1);
  expect(short.lines()[0]).toMatchObject({ type: 'result', subtype: 'success' });
  const long = play({ outputFormat: 'json', verbose: true });
  await long.code;
  const [all] = long.lines();
  expect(all.map((line: { type: string }) => line.type)).toEqual(['system', 'result']);
});

test('stream-json: init first, result last', async () => {
  const run = play({ outputFormat: 'stream-json' });
  expect(await run.code).toBe(EXIT.success);
  expect(run.lines()[0]).toEqual({
    type: 'system',
    subtype: 'init',
    cwd: '/p',
    session_id: 'ses',
    tools: ['Bash', 'Read'],
    mcp_servers: [],
    model: 'opus',
    permissionMode: 'default',
    apiKeySource: 'ANTHROPIC_API_KEY',
    slash_commands: ['compact'],
    agents: ['Explore'],
    output_style: 'default',
    skills: [],
    plugins: [],
    capabilities: [
      'interrupt_cancel_queued_v1',
      'interrupt_receipt_v1',
      'mcp_read_resource_v1',
      'reload_plugins_refuse_if_busy_v1',
    ],
    claude_code_version: expect.stringMatching(/^2\./),
    lathe_version: '1.2.3',
    uuid: 'u',
  });
  expect(run.lines().at(-1)).toMatchObject({ type: 'result', result: 'You said: hi' });
});

test.each([
  ['apiKeyHelper', 'apiKeyHelper'],
  ['stored key', '/login managed key'],
  ['ANTHROPIC_AUTH_TOKEN', 'none'],
  ['Amazon Bedrock', 'none'],
])('stream-json: a key from %s is told as programs know it', async (keySource, told) => {
  const run = play({ outputFormat: 'stream-json' }, { keySource });
  await run.code;
  expect(run.lines()[0]).toMatchObject({ subtype: 'init', apiKeySource: told });
});

test('stream-json: a line is printed as its reader knows it, or not at all', async () => {
  const known = (line: object) => ('subtype' in line && line.subtype === 'init' ? null : { a: 1 });
  const run = play({ outputFormat: 'stream-json' }, { known });
  await run.code;
  expect(run.lines()).toEqual([{ a: 1 }]);
});

test('stream-json: a notice whose line its reader does not know is told on standard error', async () => {
  const session = async function* (): AsyncGenerator<AgentEvent> {
    const fix = 'Look at it.';
    yield { type: 'notice', level: 'warning', code: 'call_cut', text: 'A call was cut.', fix };
    yield { type: 'notice', level: 'info', code: 'fallback', text: 'Another model answers.' };
    yield { type: 'notice', level: 'info', code: 'cache_missed', text: 'It cost more.' };
    yield ended('completed', 'Done.');
  };
  const older = linesKnownTo({
    CLAUDE_CODE_ENTRYPOINT: 'sdk-ts',
    CLAUDE_AGENT_SDK_VERSION: '0.2.104',
  });
  const told = ['A call was cut. Look at it.', 'Another model answers.', 'It cost more.'];
  for (const [known, complaints] of [
    [older, told],
    [linesKnownTo({}), []],
  ] as const) {
    const run = play({ outputFormat: 'stream-json' }, { session, known });
    await run.code;
    expect(run.errors).toEqual(complaints);
    const notices = run
      .lines()
      .filter(({ subtype }) => subtype === 'informational' || subtype === 'notification');
    expect(notices).toHaveLength(told.length - complaints.length);
  }
});

test('a session that cannot be opened is told in both ways', async () => {
  const opened = err(fault('no_key', 'Lathe has no API key.', 'Set ANTHROPIC_API_KEY.'));
  const text = play({}, { opened });
  expect(await text.code).toBe(EXIT.error);
  expect(text.errors).toEqual(['Lathe has no API key. Set ANTHROPIC_API_KEY.']);
  const json = play({ outputFormat: 'stream-json' }, { opened });
  expect(await json.code).toBe(EXIT.error);
  expect(json.lines()).toMatchObject([{ type: 'result', is_error: true }]);
});

test('standard input stands for the prompt, or follows it', async () => {
  const alone = play({ prompt: null }, { stdin: Readable.from(['from ', 'pipe ', 'é']) });
  await alone.code;
  const both = play({}, { stdin: Readable.from(['more']) });
  await both.code;
  expect([alone.prompts, both.prompts]).toEqual([['from pipe é'], ['hi\n\nmore']]);
});

test('no prompt at all is a clear error, and nothing is opened', async () => {
  const run = play({ prompt: null }, { stdin: Readable.from([' \n']) });
  expect(await run.code).toBe(EXIT.error);
  expect(run.errors[0]).toMatch(/There is no prompt/);
  expect(run.closed()).toBe(0);
});

test('stream-json input: one query a line, bad lines reported, the rest goes on', async () => {
  const user = (content: unknown) =>
    JSON.stringify({ type: 'user', message: { role: 'user', content } });
  const stdin = Readable.from([
    `${user('one')}\nnot json\n\n${user([{ type: 'text', text: 'two' }])}\n${user('')}`,
  ]);
  const format = { outputFormat: 'stream-json', inputFormat: 'stream-json', prompt: null } as const;
  const run = play(format, { stdin });
  expect(await run.code).toBe(EXIT.error);
  expect(run.prompts).toEqual(['one', 'two']);
  expect(run.errors[0]).toMatch(/Line 2 of standard input/);
  expect(run.lines().filter((line) => line.type === 'result')).toHaveLength(4);
});

test.each([130, 143])(
  'the end asked for by a signal (%d) interrupts, closes, and is the code',
  async (code) => {
    const run = play(
      {},
      {
        async *session(_, interrupted) {
          yield { type: 'turn_started', queryId: 'q', turn: 1 };
          run.ending.abort(code);
          await interrupted;
          yield ended('aborted_streaming', 'Stopped.');
        },
      },
    );
    expect(await run.code).toBe(code);
    expect(run.closed()).toBe(1);
  },
);

test('a title that is long in coming holds up neither the next request nor the end', async () => {
  const stdin = new PassThrough();
  const control = (id: string, request: object) =>
    stdin.write(`${JSON.stringify({ type: 'control_request', request_id: id, request })}\n`);
  const format = { outputFormat: 'stream-json', inputFormat: 'stream-json', prompt: null } as const;
  const run = play(format, { stdin, suggestTitle: () => new Promise(() => {}) });
  stdin.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content: 'one' } })}\n`);
  control('a', { subtype: 'generate_session_title', description: 'tugs' });
  control('b', { subtype: 'interrupt' });
  await vi.waitFor(() => expect(run.text()).toContain('"request_id":"b"'));
  run.ending.abort(143);
  stdin.end();
  expect(await run.code).toBe(143);
  expect(run.text()).not.toContain('"request_id":"a"');
});

test('a signal while standard input is awaited ends at once', async () => {
  const run = play({ prompt: null }, { stdin: new PassThrough() });
  run.ending.abort(143);
  expect(await run.code).toBe(143);
});

test('a reader that goes away ends the run without an error of its own', async () => {
  const out = new Writable({
    write(_chunk, _encoding, done) {
      done(Object.assign(new Error('EPIPE'), { code: 'EPIPE' }));
    },
  });
  const run = play({ outputFormat: 'stream-json' }, { out });
  expect(await run.code).toBe(EXIT.error);
  expect(run.closed()).toBe(1);
});

test('a query that ends without a result is an error, not a silent success', async () => {
  const run = play({}, { async *session() {} });
  expect(await run.code).toBe(EXIT.error);
  expect(run.errors).toEqual(['The query ended without a result.']);
});
