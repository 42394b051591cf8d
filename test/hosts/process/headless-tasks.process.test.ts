import { glob, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTerminalClient } from '../../../src/main/terminal/client/terminal-client';
import { SCROLLBACK_LINES } from '../../../src/shared/terminal';
import { type ScriptedApi, startScriptedApi } from '../../support/scripted-api';
import { hang, reply, toolUse } from '../../support/scripted-api-replies';
import { TestPane } from '../../support/terminal-pane';
import { isAlive } from '../../terminal/support';
import { lathe, linesOf, makeWorkspace, processesOf, type Run, type Workspace } from './lathe';
import {
  contentOf,
  counting,
  FAST_LINES,
  finished,
  killMinusNine,
  linesIn,
  numbered,
  numberIn,
  prepare,
  STUBBORN,
  untilTasks,
} from './task-runs';
import { openWindow, type Window } from './window';

let workspace: Workspace;
let api: ScriptedApi;
let runs: Run[] = [];
let windows: Window[] = [];

beforeEach(async () => {
  workspace = await makeWorkspace();
  await prepare(workspace);
});
afterEach(async () => {
  for (const window of windows) window.close();
  for (const { child, finished } of runs) {
    child.kill('SIGTERM');
    await finished;
  }
  runs = [];
  windows = [];
  await api.close();
  expect(api.refusals).toEqual([]);
  // The terminal host goes by itself, and a busy machine takes its time.
  await expect.poll(() => processesOf(workspace)).toEqual([]);
  await workspace.remove();
});

/** Serves Lathe, and opens a window on it with the project open. */
async function serve(): Promise<{ run: Run; client: Window['client'] }> {
  const run = start(['serve']);
  const window = await openWindow(run);
  windows.push(window);
  contentOf(await window.client.projects.open({ path: workspace.project }));
  return { run, client: window.client };
}

function start(words: readonly string[], through: readonly string[] = []): Run {
  const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'sk-test-0123456789' };
  const run = lathe(workspace, words, env, through);
  runs.push(run);
  return run;
}

const timesTold = (part: string) =>
  JSON.stringify(api.requests.at(-1)?.body.messages).split(part).length - 1;

/** Starts a headless run whose output is read line by line. */
const asked = (...words: string[]) =>
  start(['-p', ...words, '--output-format', 'stream-json', '--verbose']);

async function sessionOfKilled({ finished: over }: Run): Promise<string> {
  const { stdout } = await over;
  return String(linesOf(stdout.slice(0, stdout.lastIndexOf('\n')))[0]?.['session_id']);
}

const callsFor = (names: readonly string[]) =>
  reply(
    names.map((name) =>
      toolUse('Bash', { command: counting(name), run_in_background: true, description: name }),
    ),
  );

test('tasks that outlive kill -9 of a headless run are owned by the next one: running, whole, and told of once', async () => {
  const names = ['one', 'two', 'three'];
  let wait = false;
  api = await startScriptedApi((_request, number) => {
    if (number === 0) return callsFor(names);
    if (number === 1) return hang();
    // The second run first stays until its tasks have ended.
    if (!wait) return reply(`answer ${number}`);
    wait = false;
    return reply([toolUse('Bash', { command: 'until [ -e over ]; do sleep 0.05; done' })]);
  });
  const first = asked('count', '--trust');
  await expect.poll(() => api.requests.length).toBe(2);
  await killMinusNine(first);
  const sessionId = await sessionOfKilled(first);
  const client = createTerminalClient({
    runFolder: join(workspace.latheHome, 'run'),
    launch: { execPath: 'false', args: [], version: '' },
  });
  const running = async () =>
    (await client.list()).filter(({ endedAt }) => endedAt === undefined).map(({ title }) => title);
  expect((await running()).sort()).toEqual([...names].sort());
  const infos = await client.list();

  wait = true;
  const second = asked('and now?', '--resume', sessionId);
  second.child.stdin.end();
  await expect.poll(() => api.requests.length).toBe(3);
  expect(timesTold('These tasks still run in the background')).toBe(1);
  for (const name of names) {
    const pane = await TestPane.open(client, infos.find(({ title }) => title === name)?.id ?? '');
    await pane.untilText(`${name} ${FAST_LINES + 50}\n`);
    const lines = (await pane.text()).split('\n');
    expect(lines).toEqual(numbered(name, lines.length, numberIn(lines[0] ?? '')));
    expect(lines.length).toBeGreaterThanOrEqual(SCROLLBACK_LINES);
    pane.close();
  }
  for (const name of ['one', 'two']) await writeFile(join(workspace.project, name), '');
  await expect.poll(running).toEqual(['three']);
  await client.close({ keepTerminals: true });
  await writeFile(join(workspace.project, 'over'), '');
  expect(await second.finished).toMatchObject({ code: 0 });
  // What it took up has ended with it.
  await expect.poll(() => processesOf(workspace)).toEqual([]);
  const ids = infos.map(({ taskId = '' }) => taskId);
  const outputs: string[] = [];
  const under = join(workspace.latheHome, 'projects');
  for await (const file of glob('**/tasks/*.output', { cwd: under })) outputs.push(file);
  for (const { title, taskId } of infos) {
    const file = outputs.find((one) => one.endsWith(`${taskId}.output`)) ?? '';
    const lines = await linesIn(join(under, file));
    if (title !== 'three') expect(lines.pop()).toBe(`END ${lines.length}`);
    // Its shell may see its program end first, and says so among the last lines before it ends itself.
    else if (lines.slice(-5).includes('Terminated'))
      lines.splice(lines.lastIndexOf('Terminated'), 1);
    expect(lines).toEqual(numbered(title, lines.length));
  }

  const third = asked('and then?', '--resume', sessionId);
  third.child.stdin.end();
  expect(await third.finished).toMatchObject({ code: 0 });
  for (const id of ids) expect(timesTold(`<task-id>${id}</task-id>`)).toBe(1);
});

test('a headless run ends what its background tasks left behind, and leaves an app’s terminals alone', async () => {
  api = await startScriptedApi((request, number) => {
    if (number === 0)
      return reply([toolUse('Bash', { command: counting('app'), run_in_background: true })]);
    if (!JSON.stringify(request.body.messages).includes('leave something')) return reply('fine');
    return JSON.stringify(request.body.messages).includes('tool_result')
      ? reply('done')
      : reply([
          toolUse('Bash', { command: 'bash leave.sh', run_in_background: true }),
          toolUse('Bash', { command: 'until [ -s pids ]; do sleep 0.05; done' }),
        ]);
  });
  const leave = `setsid bash -c '${STUBBORN}' & until [ -s pids ]; do sleep 0.05; done`;
  await writeFile(join(workspace.project, 'leave.sh'), leave);
  const app = await serve();
  const { id: sessionId } = contentOf(
    await app.client.sessions.create({ project: workspace.project }),
  );
  const begun = untilTasks(app.client, sessionId, (_, told) => finished(told));
  contentOf(await app.client.session.submit({ sessionId, text: 'count' }));
  await begun;
  const run = start(['-p', 'leave something', '--trust']);
  run.child.stdin.end();
  expect(await run.finished).toMatchObject({ code: 0 });
  const pids = (await readFile(join(workspace.project, 'pids'), 'utf8')).trim().split('\n');
  expect(pids.map((pid) => isAlive(Number(pid)))).toEqual([false]);
  const tasks = await untilTasks(app.client, sessionId, (all) => all.length === 1);
  expect(tasks.map(({ status }) => status)).toEqual(['running']);
});

test('a task goes on when its log cannot grow any more; what is there is whole, and that something is missing is told', async () => {
  const command = 'seq -f "number %.0f" 100000; touch over';
  let told = '';
  api = await startScriptedApi((request, number) => {
    told = JSON.stringify(request.body.messages);
    if (number === 0)
      return reply([toolUse('Bash', { command, run_in_background: true, description: 'long' })]);
    const id = /as task (\w+)/.exec(told)?.[1];
    return number === 1 ? reply([toolUse('TaskOutput', { task_id: id })]) : reply('fine');
  });
  // As many kilobytes may be in any one file.
  const run = start(
    ['-p', 'count', '--trust'],
    ['/bin/bash', '-c', 'ulimit -f 300; exec "$@"', ''],
  );
  run.child.stdin.end();
  expect(await run.finished).toMatchObject({ code: 0 });
  expect(await readdir(workspace.project)).toContain('over');
  expect(told).toContain(
    'is completed, exit code 0. Part of the output was not saved: its file would be larger than the system allows.',
  );
  let text = '';
  for await (const log of glob(join(workspace.latheHome, '**/*.output')))
    text += await readFile(log, 'utf8');
  expect(Buffer.byteLength(text)).toBe(300 * 1024);
  const all = numbered('number', 100_000).join('\r\n');
  expect(all.startsWith(text)).toBe(true);
});

test('a foreground command of a headless run ends with kill -9, and the next run is told of that', async () => {
  api = await startScriptedApi((_request, number) =>
    number === 0
      ? reply([toolUse('Bash', { command: 'touch begun; sleep 600', description: 'slow' })])
      : reply('fine'),
  );
  const first = asked('wait', '--trust');
  await expect.poll(() => readdir(workspace.project)).toContain('begun');
  await killMinusNine(first);
  await expect.poll(() => processesOf(workspace)).toEqual([]);
  const again = asked('and now?', '--resume', await sessionOfKilled(first));
  again.child.stdin.end();
  expect(await again.finished).toMatchObject({ code: 0 });
  expect(timesTold('Lathe stopped while this ran')).toBe(1);
});
