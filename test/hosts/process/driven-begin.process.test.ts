import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ScriptedApi, startScriptedApi } from '../../support/scripted-api';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { lathe, linesOf, makeWorkspace, nothingLeft, type Workspace } from './lathe';

let workspace: Workspace;
let api: ScriptedApi;
const setUp = async () => {
  workspace = await makeWorkspace();
};
const tearDown = async () => {
  await nothingLeft(workspace);
  await api.close();
  await workspace.remove();
};

const GUARD = { hooks: { PreToolUse: [{ hookCallbackIds: ['deny'] }] } };
const PROMPT = { type: 'user', message: { role: 'user', content: 'write it' } };
const begin = (request: object, request_id: unknown = 'begin') => ({
  type: 'control_request',
  request_id,
  request: { subtype: 'initialize', ...request },
});

type Answer = (request: Record<string, unknown>) => unknown;

/**
 * A run in a mode that asks nothing, whose model writes a file once for each prompt. `answer` gives the `response` of an answer
 * to each question of Lathe, or several, or null for none.
 */
async function drive(answer: Answer, more: readonly string[] = [], file = () => 'a.txt') {
  api = await startScriptedApi(({ body }) =>
    reply(
      JSON.stringify(body.messages.at(-1)).includes('tool_result')
        ? 'done'
        : [toolUse('Write', { file_path: file(), content: 'written' })],
    ),
  );
  const format = ['--output-format', 'stream-json', '--input-format', 'stream-json', '--verbose'];
  const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'sk-test-0123456789' };
  const mode = more.includes('stdio') ? [] : ['--permission-mode', 'acceptEdits'];
  const run = lathe(workspace, [...format, ...mode, ...more], env);
  const send = (line: unknown) =>
    run.child.stdin.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
  let rest = '';
  let answered = () => {};
  run.child.stdout.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const { type, request, request_id } of lines
      .filter(Boolean)
      .map((one) => JSON.parse(one))) {
      if (type === 'result') answered();
      if (type !== 'control_request') continue;
      for (const given of [answer(request)].flat(1)) {
        if (given === HANG_UP) run.child.stdin.end();
        else send({ type: 'control_response', response: { request_id, ...Object(given) } });
      }
    }
  });
  return {
    send,
    /** Sends a prompt, and waits until it is answered or the run is over. */
    ask: async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      answered = resolve;
      send(PROMPT);
      await Promise.race([promise, run.finished]);
    },
    /** Hangs up, and tells what became of the run. */
    end: async () => {
      run.child.stdin.end();
      const { code, stdout, stderr } = await run.finished;
      return { code, stderr, lines: linesOf(stdout), ...(await state()) };
    },
    /** The same of a program that does not hang up by itself. */
    over: async () => {
      const { code, stdout, stderr } = await run.finished;
      return { code, stderr, lines: linesOf(stdout), ...(await state()) };
    },
    printed: run.printed,
  };
}
const HANG_UP = Symbol('hangs up');
const textOf = (name: string) => readFile(join(workspace.project, name), 'utf8').catch(() => null);
const state = async () => ({
  written: await textOf('a.txt'),
  requests: api.requests.length,
});
const success = (response: unknown) => ({ subtype: 'success', response });
const silent: Answer = () => [];

const deny = { hookEventName: 'PreToolUse', permissionDecision: 'deny' };
type Rows = readonly (readonly [string, unknown])[];
/** Answers of programs to the call of a hook. */
const OF_HOOKS: Rows = [
  ['throws', { subtype: 'error', error: 'broken' }],
  ['gives words', success('deny')],
  ['gives a list', success([{ hookSpecificOutput: deny }])],
  ['gives a number', success(0)],
  ['has a decision that nobody knows', success({ decision: 'deny' })],
  [
    'has a permission that nobody knows',
    success({ hookSpecificOutput: { ...deny, permissionDecision: 'DENY' } }),
  ],
  ['gives words in the place of its own part', success({ hookSpecificOutput: 'deny' })],
  ['gives no kind of answer that there is', { subtype: 'maybe', response: {} }],
  ['denies, and allows in a second answer', [success({ hookSpecificOutput: deny }), success({})]],
];
/** Answers of programs that are asked about a call. */
const OF_QUESTIONS: Rows = [
  ['throws', { subtype: 'error', error: 'broken' }],
  ['gives words', success('allow')],
  ['gives nothing', success(undefined)],
  ['allows with an input that is none', success({ behavior: 'allow', updatedInput: 'a.txt' })],
  ['allows with changes that are none', success({ behavior: 'allow', updatedPermissions: [1] })],
  [
    'denies, and allows in a second answer',
    [success({ behavior: 'deny', message: 'no' }), success({ behavior: 'allow' })],
  ],
];
const ALLOWS = 'lets the call run';

/** One session in which each answer is given to a prompt of its own, and at last one that allows. */
function session(beginning: object, rows: Rows, allows: unknown, more: readonly string[] = []) {
  const all = [...rows, [ALLOWS, allows] as const];
  const written = new Map<string, string | null>();
  const asked = new Map<string, number>();
  let code: number | null = null;
  beforeAll(async () => {
    await setUp();
    let [now = '', gives]: readonly [string?, unknown?] = [];
    const answer: Answer = () => {
      asked.set(now, (asked.get(now) ?? 0) + 1);
      return gives;
    };
    const run = await drive(answer, more, () => `${now}.txt`);
    run.send(begin(beginning));
    for (const row of all) {
      [now, gives] = row;
      await run.ask();
    }
    ({ code } = await run.end());
    for (const [name] of all) written.set(name, await textOf(`${name}.txt`));
  });
  afterAll(tearDown);
  return { written, asked, code: () => code };
}

describe('of a hook', () => {
  const { written, asked, code } = session(GUARD, OF_HOOKS, success(undefined));

  test.each(OF_HOOKS)('one that %s keeps the file from being written', (name) => {
    expect(asked.get(name)).toBe(1);
    expect(written.get(name)).toBeNull();
  });

  test('one that says nothing lets the call run', () => {
    expect([asked.get(ALLOWS), code()]).toEqual([1, 0]);
    expect(written.get(ALLOWS)).toBe('written');
  });
});

describe('of a program that is asked', () => {
  const stdio = ['--permission-prompt-tool', 'stdio'];
  const { written, asked } = session({}, OF_QUESTIONS, success({ behavior: 'allow' }), stdio);

  test.each(OF_QUESTIONS)('one that %s allows nothing', (name) => {
    expect(asked.get(name)).toBe(1);
    expect(written.get(name)).toBeNull();
  });

  test('one that allows is believed', () => expect(written.get(ALLOWS)).toBe('written'));
});

describe('of a run of its own', () => {
  beforeEach(setUp);
  afterEach(tearDown);

  test.each<[string, unknown]>([
    ['has a number for its id', begin(GUARD, 7)],
    ['has no id', { type: 'control_request', request: { subtype: 'initialize', ...GUARD } }],
    ['does not say what it asks for', { type: 'control_request', request_id: 'a', request: GUARD }],
    ['is no JSON', JSON.stringify(begin(GUARD)).slice(0, -1)],
    ['is longer than a line may be', begin({ ...GUARD, title: 'x'.repeat(17 * 1024 * 1024) })],
  ])('a beginning that %s ends the run before anything runs', async (_, line) => {
    const run = await drive(silent);
    run.send(line);
    run.send(PROMPT);
    expect(await run.end()).toMatchObject({ code: 1, written: null, requests: 0 });
  });

  test('a program that is to begin, and hangs up before it does, has no prompt answered', async () => {
    const run = await drive(silent, ['--await-initialize']);
    run.send(PROMPT);
    expect(await run.end()).toMatchObject({ code: 1, written: null, requests: 0 });
  });

  test('a beginning that is sent again and restricts tools of a server more ends the run', async () => {
    const run = await drive(() => success({ mcp_response: { jsonrpc: '2.0', id: 0, result: {} } }));
    run.send(begin({ sdkMcpServers: ['calc'] }));
    await run.printed('"request_id":"begin"');
    const tools = [{ name: 'add', permission_policy: 'always_deny' }];
    run.send(begin({ sdkMcpServers: ['calc'], sdkMcpServerConfigs: { calc: { tools } } }, 'again'));
    run.send(PROMPT);
    const { code, lines, written } = await run.over();
    expect({ code, written }).toEqual({ code: 1, written: null });
    expect(lines).toContainEqual(
      expect.objectContaining({
        response: expect.objectContaining({ request_id: 'again', error_code: 'late_initialize' }),
      }),
    );
  });

  test.each<[string, object, readonly string[]]>([
    ['hook', GUARD, []],
    ['question', {}, ['--permission-prompt-tool', 'stdio']],
  ])('a program that hangs up at a %s has no file written', async (_, beginning, more) => {
    const run = await drive(() => HANG_UP, more);
    run.send(begin(beginning));
    run.send(PROMPT);
    await run.printed('"type":"result"');
    expect(await run.end()).toMatchObject({ written: null });
  });

  test('a request that cannot be read is refused by its id, and the run goes on', async () => {
    const run = await drive(silent);
    run.send(begin({}));
    run.send({ type: 'control_request', request_id: 'odd', request: {} });
    await run.printed('"request_id":"odd"');
    run.send(PROMPT);
    await run.printed('"type":"result"');
    expect(await run.end()).toMatchObject({ code: 0, written: 'written' });
  });
});
