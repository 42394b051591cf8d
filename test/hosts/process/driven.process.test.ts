import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Script, type ScriptedApi, startScriptedApi } from '../../support/scripted-api';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { soon } from '../../support/soon';
import { lathe, linesOf, makeWorkspace, nothingLeft, processesOf, type Workspace } from './lathe';

let workspace: Workspace;
let api: ScriptedApi;
beforeEach(async () => {
  workspace = await makeWorkspace();
});
afterEach(async () => {
  await api.close();
  await workspace.remove();
  // Nobody looks at a list of such sessions.
  expect(api.titleRequests).toEqual([]);
});

/** A run that is driven by lines on its standard input. */
async function drive(script: Script, through: readonly string[] = []) {
  api = await startScriptedApi(script);
  const format = ['--output-format', 'stream-json', '--input-format', 'stream-json', '--verbose'];
  const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'sk-test-0123456789' };
  const words = [...format, '--trust', '--allowedTools', 'Bash'];
  const run = lathe(workspace, words, env, through);
  const write = (line: object) => run.child.stdin.write(`${JSON.stringify(line)}\n`);
  return {
    ...run,
    say: (content: unknown) => write({ type: 'user', message: { role: 'user', content } }),
    ask: async (request_id: string, request: object) => {
      write({ type: 'control_request', request_id, request });
      await run.printed(`"request_id":"${request_id}"`);
    },
  };
}

const answers = (lines: readonly Record<string, unknown>[]) =>
  lines.flatMap(({ type, response }) => (type === 'control_response' ? [response] : []));
const PIXEL = {
  type: 'image',
  source: {
    type: 'base64',
    media_type: 'image/png',
    data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  },
};

test('an interrupt stops the query and not the session, and leaves no process', async () => {
  const run = await drive([reply([toolUse('Bash', { command: 'sleep 600' })]), reply('and on')]);
  run.say('begin');
  // The block of the call is printed before the answer is whole: an interrupt in between would end the answer alone.
  await soon(() => expect(processesOf(workspace).join()).toContain('sleep 600'));
  await run.ask('stop-1', { subtype: 'interrupt' });
  await run.printed('"aborted_tools"');
  run.say('go on');
  await run.printed('and on');
  run.child.stdin.end();
  const { code, stdout } = await run.finished;
  const lines = linesOf(stdout);
  // The last prompt was answered.
  expect(code).toBe(0);
  expect(answers(lines)).toEqual([
    { subtype: 'success', request_id: 'stop-1', response: { still_queued: [] } },
  ]);
  expect(lines.filter(({ type }) => type === 'result')).toMatchObject([
    { subtype: 'error_during_execution', terminal_reason: 'aborted_tools' },
    { subtype: 'success', result: 'and on' },
  ]);
  expect(api.refusals).toEqual([]);
  await nothingLeft(workspace);
});

/** A program that drives what it is given the words of. */
const PROGRAM = `
const [program, ...args] = process.argv.slice(1);
const child = require('node:child_process').spawn(program, args);
process.stdin.pipe(child.stdin);
child.stdout.pipe(process.stdout);`;

test('a run whose program is killed ends, and holds its session no longer', async () => {
  const script = [reply([toolUse('Bash', { command: 'sleep 600' })])];
  const run = await drive(script, [process.execPath, '-e', PROGRAM, '--']);
  run.say('begin');
  await soon(() => expect(processesOf(workspace).join()).toContain('sleep 600'));
  run.child.kill('SIGKILL');
  await nothingLeft(workspace);
});

test('the driver may begin before any prompt, change model and mode, and show pictures', async () => {
  const run = await drive(() => reply('seen'));
  await run.ask('a', { subtype: 'initialize' });
  await run.ask('b', { subtype: 'initialize', hooks: { Stop: [] } });
  await run.ask('c', { subtype: 'set_model', model: 'haiku' });
  await run.ask('d', { subtype: 'set_permission_mode', mode: 'plan' });
  await run.ask('e', { subtype: 'set_permission_mode', mode: 'reckless' });
  await run.ask('f', { subtype: 'rewind' });
  run.child.stdin.write('{"type":"keep_alive"}\n');
  run.say([{ type: 'text', text: 'what is this?' }, PIXEL]);
  run.child.stdin.end();
  const { code, stdout, stderr } = await run.finished;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(answers(linesOf(stdout))).toMatchObject([
    {
      subtype: 'success',
      response: {
        commands: expect.arrayContaining([expect.objectContaining({ name: 'compact' })]),
      },
    },
    { subtype: 'success' },
    { subtype: 'success' },
    { subtype: 'success' },
    { subtype: 'error', error: expect.stringMatching(/"mode" must be one of default, /) },
    { subtype: 'error', error: expect.stringMatching(/does not know .*"rewind"/) },
  ]);
  const [request] = api.requests;
  expect(request?.body.model).toContain('haiku');
  expect(JSON.stringify(request?.body.messages)).toMatch(/plan mode/i);
  expect(JSON.stringify(request?.body.messages)).toContain(PIXEL.source.data);
});

test.each<[string, object]>([
  ['an event that Lathe does not have', { hooks: { BeforeLunch: [{ hookCallbackIds: ['h'] }] } }],
  [
    'a matcher that fits nothing',
    { hooks: { PreToolUse: [{ matcher: '(', hookCallbackIds: ['h'] }] } },
  ],
])('a beginning with %s is refused, and nothing runs', async (_, request) => {
  const run = await drive([reply('never')]);
  await run.ask('a', { subtype: 'initialize', ...request });
  run.say('go on all the same');
  const { code, stdout, stderr } = await run.finished;
  expect(code).toBe(1);
  expect(answers(linesOf(stdout))).toMatchObject([
    { subtype: 'error', error_code: 'not_honoured' },
  ]);
  expect(stderr).toContain('initialize cannot be carried out');
  expect(api.requests).toEqual([]);
});

test('hooks that come after the first prompt end the session: they would have been skipped', async () => {
  const run = await drive(() => reply('first'));
  run.say('begin');
  await run.printed('"result"');
  const hooks = { PreToolUse: [{ matcher: 'Bash', hookCallbackIds: ['deny'] }] };
  await run.ask('late', { subtype: 'initialize', hooks });
  run.say('go on all the same');
  const { code, stdout } = await run.finished;
  expect(code).toBe(1);
  expect(answers(linesOf(stdout))).toMatchObject([
    { subtype: 'error', error_code: 'late_initialize' },
  ]);
  expect(api.requests).toHaveLength(1);
});
