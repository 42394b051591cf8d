import { join } from 'node:path';
import { afterEach, test as anywhere, beforeEach, expect } from 'vitest';
import { type ScriptedApi, startScriptedApi } from '../../support/scripted-api';
import { type Reply, reply, toolUse } from '../../support/scripted-api-replies';
import { soon } from '../../support/soon';
import {
  linesOf,
  makeWorkspace,
  nothingLeft,
  processesOf,
  startProgram,
  type Workspace,
} from './lathe';

const LAUNCHER = join(import.meta.dirname, '..', '..', '..', 'bin', 'lathe.mjs');
/** Makes a Node say that it is one on which Lathe does not run; what it starts is not told so. */
const OLDER = "data:text/javascript,Object.defineProperty(process,'version',{value:'v20.11.0'})";
const SLEEPS = [toolUse('Bash', { command: 'echo up; sleep 301' })];
/** Only there does a Node come along. */
const test = anywhere.runIf(process.platform === 'linux' && process.arch === 'x64');

let workspace: Workspace;
let api: ScriptedApi | undefined;
beforeEach(async () => {
  workspace = await makeWorkspace();
});
afterEach(async () => {
  await api?.close();
  await workspace.remove();
});

/** Starts the launcher on a Node that is too old. */
async function launch(
  script: readonly Reply[],
  words: readonly string[],
  through: readonly string[] = [],
) {
  api = await startScriptedApi(script);
  const program = [...through, process.execPath, '--import', OLDER, LAUNCHER, ...words];
  return startProgram(workspace, program, {
    ANTHROPIC_BASE_URL: api.url,
    ANTHROPIC_API_KEY: 'sk-test-0123456789',
  });
}

/** A program that drives what it starts through pipes of its own, and gives it one prompt. */
const PROGRAM = `
const [program, ...words] = process.argv.slice(1);
const { stdin } = require('node:child_process').spawn(program, words, { stdio: ['pipe', 'pipe', 'inherit'] });
stdin.write(JSON.stringify({ type: 'user', message: { role: 'user', content: 'go' } }) + '\\n');
`;

const sleeping = () => soon(() => expect(processesOf(workspace).join()).toMatch(/(^|,)sleep 301/));
const WORKS = ['-p', 'go', '--permission-mode', 'bypassPermissions'];

test('an older Node reads what is piped in, and goes on with the session of another run', async () => {
  const first = await launch([reply('Hello.')], ['-p', 'first', '--output-format', 'json']);
  first.child.stdin.end('from the pipe');
  const { code, stdout, stderr } = await first.finished;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const [result] = linesOf(stdout);
  expect(result).toMatchObject({ result: 'Hello.' });
  expect(JSON.stringify(api?.requests.at(-1)?.body)).toContain('from the pipe');
  await api?.close();

  const second = await launch(
    [reply('Again.')],
    ['-p', 'second', '--resume', `${result?.['session_id']}`],
  );
  second.child.stdin.end();
  expect(await second.finished).toMatchObject({ code: 0, stdout: 'Again.\n', stderr: '' });
  expect(JSON.stringify(api?.requests.at(-1)?.body)).toContain('from the pipe');
});

test('an older Node ends with the code of what it ran', async () => {
  const { child, finished } = await launch([], ['--no-such-flag']);
  child.stdin.end();
  expect(await finished).toMatchObject({ code: 2, stdout: '' });
});

test.each([
  ['SIGHUP', 129],
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  '%s ends a run on an older Node with %d and leaves no process',
  async (signal, code) => {
    const { child, finished } = await launch([reply(SLEEPS), reply('never')], WORKS);
    child.stdin.end();
    await sleeping();
    child.kill(signal);
    expect((await finished).code).toBe(code);
    await nothingLeft(workspace);
  },
);

test('kill -9 of an older Node ends what it ran', async () => {
  const { child } = await launch([reply(SLEEPS), reply('never')], WORKS);
  child.stdin.end();
  await sleeping();
  child.kill('SIGKILL');
  await nothingLeft(workspace);
});

test('a driven run on an older Node ends when its program is killed', async () => {
  const flags = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
  const words = [...flags, '--permission-mode', 'bypassPermissions'];
  const script = [reply(SLEEPS), reply('never')];
  const { child } = await launch(script, words, [process.execPath, '-e', PROGRAM, '--']);
  await sleeping();
  child.kill('SIGKILL');
  await nothingLeft(workspace);
});
