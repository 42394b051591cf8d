import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { type RecordedRequest, type Script, startScriptedApi } from '../../support/scripted-api';
import {
  drop,
  error,
  errorEvent,
  hang,
  type Reply,
  reply,
  stall,
  toolUse,
  toolUseJson,
  truncated,
} from '../../support/scripted-api-replies';
import { converse, type Played, play, type Scene, type Turn } from './faulty-runs';
import { lathe, linesOf, makeWorkspace } from './lathe';

/** Keeps a silent line from costing much real time. */
const IMPATIENT = { LATHE_STREAM_IDLE_MS: '3500' };
/** Long enough for an answer to arrive on a machine in use. */
const PATIENT = { LATHE_STREAM_IDLE_MS: '10000' };

const REPEATED = /Bash was called with the same input 5 times in a row/;

const NO_NAME = 'a name that DNS does not know';

/** Every fault that ends a run: the requests it took, and the line. */
const GIVEN_UP: readonly [string, Scene, number, RegExp][] = [
  ['401', { script: () => error(401) }, 2, /refused the key \(401\)\. Check the key/],
  ['403', { script: [error(403)] }, 1, /does not allow this \(403\)/],
  ['404', { script: () => error(404) }, 2, /no Messages API at this address \(404\)/],
  ['413 that nothing helps', { script: () => error(413) }, 2, /too large .*\(413\).* is kept/],
  [
    'a spent account',
    { script: () => error(429, 'You have reached your specified API usage limits.') },
    1,
    /spending limit .*usage limits\. The conversation is kept/,
  ],
  [
    'an overload that stays',
    { script: () => error(529), env: { CLAUDE_CODE_MAX_RETRIES: '1' } },
    2,
    /is overloaded \(529\)\. The conversation is kept/,
  ],
  [
    'silence, whatever is asked',
    { script: () => hang(), env: { ...IMPATIENT, CLAUDE_CODE_MAX_RETRIES: '0' } },
    2,
    /sent nothing for \d+ s\. The conversation is kept/,
  ],
  [
    'a prompt too long, twice',
    { script: () => error(400, 'prompt is too long: 250000 tokens > 200000 maximum') },
    2,
    /conversation is too long .* is kept/,
  ],
  [
    'an image too large',
    { script: [error(400, 'messages.0.content.1: image exceeds 5 MB maximum')] },
    1,
    /image in the conversation cannot be used/,
  ],
  [
    'the output limit, again and again',
    { script: () => reply('as much as fits', { stopReason: 'max_tokens' }) },
    5,
    /output limit again and again .* What came is kept/,
  ],
  [
    'the same call again and again',
    { script: () => reply([toolUse('Bash', { command: 'echo again' })]) },
    5,
    REPEATED,
  ],
  [
    'no address',
    { script: [], env: { ANTHROPIC_BASE_URL: 'foo' } },
    0,
    /"foo" is no address of a Messages API\. Set the base URL/,
  ],
  [
    'an address of another kind',
    { script: [], env: { ANTHROPIC_BASE_URL: 'ftp://files.example' } },
    0,
    /"ftp:\/\/files\.example" is no address/,
  ],
  [
    'a key of two lines',
    { script: [], env: { ANTHROPIC_API_KEY: 'two\nlines' } },
    0,
    /key .* holds characters that no key has/,
  ],
  [
    'a custom header that cannot be sent',
    { script: [], env: { ANTHROPIC_CUSTOM_HEADERS: 'x-team: snow ☃ man' } },
    0,
    /cannot be sent: a header .*ANTHROPIC_CUSTOM_HEADERS/,
  ],
  [
    NO_NAME,
    {
      script: [],
      env: { ANTHROPIC_BASE_URL: 'http://lathe.invalid', CLAUDE_CODE_MAX_RETRIES: '0' },
    },
    0,
    /lathe\.invalid cannot be reached: its name/,
  ],
];

const FORMATS = ['stream-json', 'text', 'json'] as const;

/** What settings tell of an address before the run says the same. */
const UNUSABLE =
  /^Warning: the environment: ANTHROPIC_BASE_URL is ".*", so no request can be sent: .*\n/;

describe.concurrent('a run that gives up', () => {
  const tells = (format: (typeof FORMATS)[number], run: Played, requests: number, line: RegExp) => {
    expect(run).toMatchObject({ code: 1, refusals: [] });
    expect(run.requests).toHaveLength(requests);
    expect(`${run.stdout}${run.stderr}`).not.toContain('sk-test-0123456789');
    // Only this one is no failure of the API.
    const isOurs = line === REPEATED;
    const stderr = run.stderr.replace(UNUSABLE, '');
    expect(stderr === run.stderr).toBe(!run.stdout.includes(' is no address'));
    if (format === 'text') {
      const told = stderr.trimEnd().split('\n').toReversed();
      const last = isOurs ? told.shift() : run.stdout.trimEnd();
      const [more = ''] = told;
      if (isOurs) expect(run.stdout).toBe('');
      expect(last).toMatch(line);
      if (more !== '') expect(more).toMatch(/trying again in|in one piece instead/);
      return last;
    }
    const last = linesOf(run.stdout).at(-1)?.['result'];
    expect(linesOf(run.stdout).at(-1)).toMatchObject({
      type: 'result',
      subtype: isOurs ? 'error_during_execution' : 'success',
      is_error: true,
      result: expect.stringMatching(line),
    });
    expect(stderr).toBe('');
    return last;
  };

  // That each is told alike in every format is shown without processes, in test/engine/faults.
  const asked = GIVEN_UP.filter(([name, , requests]) => requests > 0 || name === NO_NAME);
  test.each(asked)('%s', async (name, scene, requests, line) => {
    const at = asked.findIndex(([other]) => other === name);
    const format = FORMATS[at % FORMATS.length] ?? 'text';
    tells(format, await play({ ...scene, format }), requests, line);
  });

  // What comes before any request, and one that comes after.
  test.each(
    GIVEN_UP.filter(([name]) => name === '403' || !asked.some(([other]) => other === name)),
  )('%s, in the same words in every format', async (_, scene, requests, line) => {
    const told = await Promise.all(
      FORMATS.map(async (format) =>
        tells(format, await play({ ...scene, format }), requests, line),
      ),
    );
    expect(new Set(told).size).toBe(1);
  });
});

const FINE = reply('fine');
const WHOLE = (request: RecordedRequest, broken: Reply): Reply =>
  request.body.stream === true ? broken : FINE;

/** Every fault that a run gets over, by sessions: how the requests went out, streamed (s) or whole (w). */
const MENDED: readonly (readonly (readonly [string, Script, string])[])[] = [
  [
    ['408', [error(408), FINE], 'ss'],
    ['409', [error(409), FINE], 'ss'],
    ['500', [error(500), FINE], 'ss'],
    ['502', [error(502, '<html>Bad gateway</html>'), FINE], 'ss'],
  ],
  [
    ['529', [error(529), FINE], 'ss'],
    ['429', [error(429), FINE], 'ss'],
    ['a reset before the headers', [drop(), FINE], 'ss'],
    ['413, by a summary', [error(413), reply('a summary'), FINE], 'sss'],
  ],
  [
    ['an answer cut in a text', [truncated(reply('a text to cut'), 4), FINE], 'sw'],
    [
      'an answer cut in a tool input',
      [truncated(reply([toolUse('Bash', { command: 'echo never' })]), 5), FINE],
      'sw',
    ],
    ['an error in a stream', [errorEvent(reply('a text to cut'), 4), FINE], 'ss'],
  ],
];

describe.concurrent('a run that gets over it', () => {
  const expectMended = ({ lines, requests }: Omit<Turn, 'at'>, asked: string) => {
    expect(lines.at(-1)).toMatchObject({ subtype: 'success', result: 'fine' });
    expect(requests.map(({ body }) => (body.stream ? 's' : 'w')).join('')).toBe(asked);
    expect(JSON.stringify(lines)).not.toContain('echo never');
  };

  for (const faults of MENDED) {
    let session: ReturnType<typeof converse> | null = null;
    test.each(faults)('%s', async (name, _, asked) => {
      session ??= converse(faults.map(([, script]) => script));
      const { turns, ...run } = await session;
      expect(run).toEqual({ code: 0, stderr: '', refusals: [] });
      const turn = turns[faults.findIndex(([other]) => other === name)];
      expectMended(turn ?? { lines: [], requests: [] }, asked);
    });
  }

  test.each<[string, Script]>([
    ['silence from the beginning', (request) => WHOLE(request, hang())],
    ['silence in a stream', (request) => WHOLE(request, stall(reply('a text'), 4))],
  ])('%s', async (_, script) => {
    const run = await play({ script, env: PATIENT });
    expect(run).toMatchObject({ code: 0, stderr: '', refusals: [] });
    expectMended({ lines: linesOf(run.stdout), requests: run.requests }, 'sw');
  });

  test('retry-after is honoured, as seconds and as a date', async () => {
    const seconds = [error(429, 'slow', { 'retry-after': '1' }), FINE];
    const date = (request: RecordedRequest, number: number): Reply =>
      number > 0 || request.body.stream !== true
        ? FINE
        : error(429, 'slow', { 'retry-after': new Date(Date.now() + 5000).toUTCString() });
    const { code, turns } = await converse([seconds, date]);
    expect(code).toBe(0);
    for (const { lines, at } of turns) {
      const waited = lines.find(({ subtype }) => subtype === 'api_retry');
      const [first = 0, second = 0] = at;
      expect(second - first).toBeGreaterThanOrEqual(Number(waited?.['retry_delay_ms']));
      expect(waited?.['retry_delay_ms']).toBeGreaterThan(0);
    }
    const [first = 0, second = 0] = turns[0]?.at ?? [];
    expect(second - first).toBeGreaterThanOrEqual(1000);
  });

  test('a fallback model takes over after three overloads', async () => {
    const run = await play({
      script: ({ body }) => (body.model.includes('haiku') ? FINE : error(529)),
      words: ['--settings', '{"fallbackModel":"sonnet"}', '--fallback-model', 'haiku'],
    });
    expect(run.code).toBe(0);
    expect(run.requests).toHaveLength(4);
    const notices = linesOf(run.stdout).filter(({ subtype }) => subtype === 'informational');
    expect(notices).toMatchObject([{ code: 'model_fallback' }]);
    const retries = linesOf(run.stdout).filter(({ subtype }) => subtype === 'api_retry');
    expect(retries).toMatchObject([
      { attempt: 1, max_retries: 9, error_status: 529, error: 'overloaded' },
      { attempt: 2, max_retries: 9, error_status: 529, error: 'overloaded' },
    ]);
  });

  test('what was cut short or has the wrong shape never runs, and the model is told', async () => {
    const scripts = [
      reply([toolUseJson('Bash', '{"command":"echo half')]),
      reply([toolUse('Bash', { command: 42 })]),
      reply([toolUseJson('Bash', '["echo list"]')]),
    ].map((broken) => [broken, FINE]);
    const { code, refusals, turns } = await converse(scripts);
    expect({ code, refusals }).toEqual({ code: 0, refusals: [] });
    for (const { requests } of turns) {
      const told = requests[1]?.body.messages.at(-1)?.content;
      expect(told).toMatchObject([{ type: 'tool_result', is_error: true }]);
      expect(JSON.stringify(told)).toContain('tool_use_error');
    }
  });
});

test('everything is printed before the end, however late it is read', async () => {
  const workspace = await makeWorkspace();
  const long = 'x'.repeat(3_000_000);
  const api = await startScriptedApi(() => reply(long, { pieceChars: 10_000 }));
  const run = lathe(workspace, ['-p', 'go', '--output-format', 'stream-json', '--verbose'], {
    ANTHROPIC_BASE_URL: api.url,
    ANTHROPIC_API_KEY: 'k',
  });
  run.child.stdin.end();
  run.child.stdout.pause();
  // More than a pipe holds is on its way: the run cannot end before it is read.
  await once(run.child.stdout, 'readable');
  run.child.stdout.resume();
  const { code, stdout } = await run.finished;
  await api.close();
  await workspace.remove();
  expect(code).toBe(0);
  expect(linesOf(stdout).at(-1)).toMatchObject({ type: 'result', result: long });
});
