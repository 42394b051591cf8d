import { spawn } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTerminalClient } from '../../../src/main/terminal/client/terminal-client';
import { hostPlace } from '../../../src/main/terminal/run-folder';
import type { Task } from '../../../src/shared/task';
import { type Leftover, SCROLLBACK_LINES } from '../../../src/shared/terminal';
import { type Script, type ScriptedApi, startScriptedApi } from '../../support/scripted-api';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { TestPane } from '../../support/terminal-pane';
import { isAlive } from '../../terminal/support';
import { lathe, makeWorkspace, processesOf, type Run, type Workspace } from './lathe';
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

function start(words: readonly string[]): Run {
  const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'sk-test-0123456789' };
  const run = lathe(workspace, words, env);
  runs.push(run);
  return run;
}

/** Every number once, in order, and the end. */
async function expectWhole(task: Task, name: string): Promise<void> {
  const lines = await linesIn(task.outputFile ?? '');
  const end = lines.pop();
  expect(lines).toEqual(numbered(name, lines.length));
  expect(end).toBe(`END ${lines.length}`);
}

/** The pane of a task shows all that a pane can hold: every number once, in order, on to the newest. */
async function expectWholePane({ terminalId = '' }: Task, name: string): Promise<void> {
  const client = createTerminalClient({
    runFolder: join(workspace.latheHome, 'run'),
    launch: { execPath: 'false', args: [], version: '' },
  });
  const pane = await TestPane.open(client, terminalId);
  await pane.untilText(`${name} ${FAST_LINES + 50}\n`);
  const lines = (await pane.text()).split('\n');
  expect(lines).toEqual(numbered(name, lines.length, numberIn(lines[0] ?? '')));
  expect(lines.length).toBeGreaterThanOrEqual(SCROLLBACK_LINES);
  pane.close();
  await client.close({ keepTerminals: true });
}

/** Resolves with the state of the app as soon as it is as wanted. */
async function untilApp(
  { app }: Window['client'],
  holds: (leftovers: readonly Leftover[]) => boolean,
): Promise<readonly Leftover[]> {
  for await (const told of await app.watch()) {
    const leftovers = told.type === 'state' ? told.state.leftovers : undefined;
    if (leftovers !== undefined && holds(leftovers)) return leftovers;
  }
  throw new Error('The app ended.');
}

const timesTold = (part: string) =>
  JSON.stringify(api.requests.at(-1)?.body.messages ?? []).split(part).length - 1;

test('tasks that outlive kill -9 of Lathe are owned again: listed, read, and told of once', async () => {
  const names = ['one', 'two', 'three'];
  const script: Script = (_request, number) => {
    if (number === 0)
      return reply(
        names.map((name) =>
          toolUse('Bash', { command: counting(name), run_in_background: true, description: name }),
        ),
      );
    return reply(`answer ${number}`);
  };
  api = await startScriptedApi(script);
  const first = await serve();
  const { id: sessionId } = contentOf(
    await first.client.sessions.create({ project: workspace.project }),
  );
  const begun = untilTasks(first.client, sessionId, (_, told) => finished(told));
  contentOf(await first.client.session.submit({ sessionId, text: 'count' }));
  const ids = (await begun).map(({ id }) => id).sort();
  expect(ids).toHaveLength(3);
  await killMinusNine(first.run);

  const second = await serve();
  const again = await untilTasks(
    second.client,
    sessionId,
    (tasks) => tasks.length === 3 && tasks.every(({ lastLine }) => lastLine !== ''),
  );
  expect(again.map(({ id, status }) => `${id} ${status}`).sort()).toEqual(
    ids.map((id) => `${id} running`),
  );

  for (const task of again) await expectWholePane(task, task.title);

  // One is stopped from the screen, two end; each wakes the session or goes along with what follows.
  const [stopped] = again.filter(({ title }) => title === 'three');
  const report = await second.client.tasks.stop({ sessionId, taskId: stopped?.id ?? '' });
  expect(contentOf(report).survivors).toEqual([]);
  for (const name of ['one', 'two']) await writeFile(join(workspace.project, name), '');
  const ended = await untilTasks(second.client, sessionId, (tasks) =>
    tasks.every(({ endTold }) => endTold),
  );
  expect(ended.map(({ title, status }) => `${title} ${status}`).sort()).toEqual([
    'one completed',
    'three killed',
    'two completed',
  ]);
  for (const task of ended.filter(({ status }) => status === 'completed'))
    await expectWhole(task, task.title);
  await killMinusNine(second.run);

  const third = await serve();
  const over = untilTasks(third.client, sessionId, (_, told) => finished(told));
  contentOf(await third.client.session.submit({ sessionId, text: 'and now?' }));
  await over;
  for (const id of ids) expect(timesTold(`<task-id>${id}</task-id>`)).toBe(1);
});

test('a foreground command that outlives kill -9 of Lathe goes on as a background task', async () => {
  api = await startScriptedApi((_request, number) =>
    number === 0
      ? reply([toolUse('Bash', { command: counting('slow'), description: 'slow' })])
      : reply('fine'),
  );
  const first = await serve();
  const { id: sessionId } = contentOf(
    await first.client.sessions.create({ project: workspace.project }),
  );
  const running = untilTasks(
    first.client,
    sessionId,
    (_, told) =>
      told.type === 'event' &&
      told.stamped.event.type === 'call_changed' &&
      told.stamped.event.view?.kind === 'shell' &&
      told.stamped.event.view.tail !== '',
  );
  contentOf(await first.client.session.submit({ sessionId, text: 'count' }));
  expect(await running).toEqual([]);
  await killMinusNine(first.run);

  const second = await serve();
  const [task] = await untilTasks(second.client, sessionId, (tasks) => tasks.length === 1);
  expect(task).toMatchObject({ title: 'slow', status: 'running', isBackgrounded: true });
  const answered = untilTasks(second.client, sessionId, (_, told) => finished(told));
  contentOf(await second.client.session.submit({ sessionId, text: 'and now?' }));
  await answered;
  expect(timesTold('These tasks still run in the background')).toBe(1);
  expect(timesTold('Lathe stopped while this ran')).toBe(1);
  const ended = untilTasks(second.client, sessionId, ([one]) => one?.endTold === true);
  await writeFile(join(workspace.project, 'slow'), '');
  const [end] = await ended;
  expect(end).toMatchObject({ status: 'completed', result: { code: 0 } });
  if (end) await expectWhole(end, 'slow');
});

/** Prints a line that nobody wants and one that is news, at once and whenever a file comes. */
const NEWSPAPER = `for page in first missed later; do
until [ $page = first ] || [ -e $page ]; do sleep 0.1; done
echo "noise of $page"; echo "NEWS of $page"; touch printed-$page; done; sleep 600`;

test('a monitor that outlives kill -9 of Lathe goes on with its pattern: what it missed is told once, and what comes', async () => {
  const watch = {
    command: 'bash newspaper.sh',
    description: 'news',
    pattern: '^NEWS',
    persistent: true,
  };
  api = await startScriptedApi((_request, number) =>
    number === 0 ? reply([toolUse('Monitor', watch)]) : reply(`answer ${number}`),
  );
  await writeFile(join(workspace.project, 'newspaper.sh'), NEWSPAPER);
  const first = await serve();
  const { id: sessionId } = contentOf(
    await first.client.sessions.create({ project: workspace.project }),
  );
  contentOf(await first.client.session.submit({ sessionId, text: 'tell me the news' }));
  await expect.poll(() => timesTold('NEWS of first')).toBe(1);
  await killMinusNine(first.run);

  await writeFile(join(workspace.project, 'missed'), '');
  await expect.poll(() => readdir(workspace.project)).toContain('printed-missed');
  const second = await serve();
  const [task] = await untilTasks(second.client, sessionId, (tasks) => tasks.length === 1);
  expect(task).toMatchObject({ type: 'monitor', title: 'news', status: 'running' });
  await expect.poll(() => timesTold('NEWS of missed')).toBe(1);
  await writeFile(join(workspace.project, 'later'), '');
  await expect.poll(() => timesTold('NEWS of later')).toBe(1);
  await killMinusNine(second.run);

  const third = await serve();
  const answered = untilTasks(third.client, sessionId, (_, told) => finished(told));
  contentOf(await third.client.session.submit({ sessionId, text: 'and now?' }));
  await answered;
  for (const page of ['first', 'missed', 'later']) expect(timesTold(`NEWS of ${page}`)).toBe(1);
  expect(timesTold('noise of')).toBe(0);
  expect(
    contentOf(await third.client.tasks.stop({ sessionId, taskId: task?.id ?? '' })),
  ).toMatchObject({ survivors: [] });
});

test('a session that is resumed while its terminal host is silent keeps its task, and owns it when the host wakes', async () => {
  api = await startScriptedApi((_request, number) =>
    number === 0
      ? reply([toolUse('Bash', { command: counting('one'), run_in_background: true })])
      : reply(`answer ${number}`),
  );
  const first = await serve();
  const { id: sessionId } = contentOf(
    await first.client.sessions.create({ project: workspace.project }),
  );
  const begun = untilTasks(first.client, sessionId, (_, told) => finished(told));
  contentOf(await first.client.session.submit({ sessionId, text: 'count' }));
  const [task] = await begun;
  const { record } = hostPlace(join(workspace.latheHome, 'run'));
  const { pid } = JSON.parse(await readFile(record, 'utf8'));
  process.kill(pid, 'SIGSTOP');
  try {
    await killMinusNine(first.run);
    const second = await serve();
    const answered = untilTasks(second.client, sessionId, (_, told) => finished(told));
    contentOf(await second.client.session.submit({ sessionId, text: 'and now?' }));
    expect(await answered).toMatchObject([{ id: task?.id, status: 'running' }]);
    expect(timesTold('does not answer')).toBe(1);
    process.kill(pid, 'SIGCONT');
    await untilTasks(second.client, sessionId, ([one]) => Boolean(one?.lastLine));
    await writeFile(join(workspace.project, 'one'), '');
    const [end] = await untilTasks(second.client, sessionId, ([one]) => one?.endTold === true);
    expect(end).toMatchObject({ status: 'completed', result: { code: 0 } });
    if (end) await expectWhole(end, 'one');
    await expect.poll(() => timesTold(`<task-id>${task?.id}</task-id>`)).toBe(1);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
});

/** Three children that outlive everything: one of them without any trace of Lathe in its environment. */
const THREE = [
  `setsid bash -c '${STUBBORN}' &`,
  `(setsid bash -c '${STUBBORN}' &) &`,
  `setsid env -i bash -c '${STUBBORN}' &`,
  'until [ -e go ]; do sleep 0.1; done',
].join('\n');

/** Serves Lathe, has it start what outlives it, and kills it with its terminal host. Gives the pids of the three. */
async function leaveThree(): Promise<readonly number[]> {
  api = await startScriptedApi((_request, number) =>
    number === 0
      ? reply([toolUse('Bash', { command: 'bash three.sh', run_in_background: true })])
      : reply('fine'),
  );
  await writeFile(join(workspace.project, 'three.sh'), THREE);
  const { run, client } = await serve();
  const { id: sessionId } = contentOf(await client.sessions.create({ project: workspace.project }));
  contentOf(await client.session.submit({ sessionId, text: 'start three' }));
  const pidsNow = async () => {
    const text = await readFile(join(workspace.project, 'pids'), 'utf8').catch(() => '');
    return text.split('\n').filter(Boolean).map(Number);
  };
  await expect.poll(async () => (await pidsNow()).length).toBe(3);
  const pids = await pidsNow();
  // The one without a trace is known once it was seen.
  const runFolder = join(workspace.latheHome, 'run');
  const ledgers = async () => {
    const names = (await readdir(runFolder)).filter((name) => name.endsWith('.jsonl'));
    return Promise.all(names.map((name) => readFile(join(runFolder, name), 'utf8')));
  };
  await expect.poll(async () => (await ledgers()).join()).toMatch(/"members"/);
  const record = JSON.parse(await readFile(hostPlace(runFolder).record, 'utf8'));
  await killMinusNine(run);
  process.kill(record.pid, 'SIGKILL');
  await expect.poll(() => isAlive(record.pid)).toBe(false);
  expect(pids.map(isAlive)).toEqual([true, true, true]);
  return pids;
}

test('processes that a killed Lathe and terminal host left are offered at the next start, and end when that is wished', async () => {
  const pids = await leaveThree();
  const foreign = spawn('bash', ['-c', STUBBORN], { cwd: workspace.home, detached: true });
  try {
    const { client } = await serve();
    const left = await untilApp(client, () => true);
    expect(left).toHaveLength(1);
    expect(left[0]?.command).toBe('bash three.sh');
    const offered = left.flatMap(({ processes }) => processes.map(({ pid }) => pid));
    expect(offered).toEqual(expect.arrayContaining([...pids]));
    expect(offered).not.toContain(foreign.pid);
    const report = await client.terminals.endLeftovers({ ids: left.map(({ id }) => id) });
    expect(contentOf(report).survivors).toEqual([]);
    expect(pids.map(isAlive)).toEqual([false, false, false]);
    expect(await untilApp(client, (now) => now.length === 0)).toEqual([]);
    expect(isAlive(foreign.pid ?? 0)).toBe(true);
  } finally {
    foreign.kill('SIGKILL');
  }
});

test('processes that a killed Lathe left end when the next one quits', async () => {
  const pids = await leaveThree();
  const { run, client } = await serve();
  await untilApp(client, (left) => left.length === 1);
  run.child.kill('SIGTERM');
  const { stdout } = await run.finished;
  expect(stdout).toMatch(/this ends .*\d+ processes of an earlier run/);
  expect(pids.map(isAlive)).toEqual([false, false, false]);
});
