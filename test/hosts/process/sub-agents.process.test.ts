import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Transcript } from '../../../src/shared/transcript';
import { type ScriptedApi, startScriptedApi } from '../../support/scripted-api';
import { hold, reply, toolUse } from '../../support/scripted-api-replies';
import { lathe, makeWorkspace, processesOf, type Run, type Workspace } from './lathe';
import { openWindow, type Window } from './window';

let workspace: Workspace;
let api: ScriptedApi;
let runs: Run[] = [];
let windows: Window[] = [];

beforeEach(async () => {
  workspace = await makeWorkspace();
  await mkdir(join(workspace.home, '.claude'));
  const settings = join(workspace.home, '.claude', 'settings.json');
  await writeFile(settings, '{"permissions":{"allow":["Bash"]}}');
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
  await expect.poll(() => processesOf(workspace)).toEqual([]);
  await workspace.remove();
});

/** Serves Lathe, and opens a window on it with the project open. */
async function serve(): Promise<{ run: Run; client: Window['client'] }> {
  const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'sk-test-0123456789' };
  const run = lathe(workspace, ['serve'], env);
  runs.push(run);
  const window = await openWindow(run);
  windows.push(window);
  contentOf(await window.client.projects.open({ path: workspace.project }));
  return { run, client: window.client };
}

function contentOf<T>(
  result:
    | { readonly ok: true; readonly value: T }
    | { readonly ok: false; readonly error: unknown },
): T {
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}

/** Returns a session's transcript as a window that is opened now gets it. */
async function transcriptOf({ session }: Window['client'], id: string): Promise<Transcript> {
  for await (const told of await session.watch({ sessionId: id }))
    if (told.type === 'snapshot') return told.transcript;
  throw new Error('The session ended.');
}

const isMain = (body: { readonly tools?: unknown }) =>
  JSON.stringify(body.tools ?? []).includes('"Agent"');

test('a sub-agent that kill -9 cut is told of whole: its call, its conversation, its costs, its command', async () => {
  const task = { description: 'Build', prompt: 'the task', subagent_type: 'general-purpose' };
  const command = 'echo begun; until [ -e go ]; do sleep 0.05; done; echo over';
  const main = [reply([toolUse('Agent', task, 'a1')]), reply('fine'), reply('I see')];
  api = await startScriptedApi(({ body }) =>
    isMain(body) ? (main.shift() ?? reply('fine')) : reply([toolUse('Bash', { command }, 'b1')]),
  );
  const first = await serve();
  const { id: sessionId } = contentOf(
    await first.client.sessions.create({ project: workspace.project }),
  );
  contentOf(await first.client.session.submit({ sessionId, text: 'go' }));
  const begun = async () => {
    const [agent] = (await transcriptOf(first.client, sessionId)).agents;
    return JSON.stringify(agent?.transcript?.active ?? []);
  };
  await expect.poll(begun).toContain('"tail":"begun');
  const before = await transcriptOf(first.client, sessionId);
  first.run.child.kill('SIGKILL');
  await first.run.finished;

  const second = await serve();
  const now = () => transcriptOf(second.client, sessionId);
  const { agents, costs, running, committed, tasks } = await now();
  expect(running).toBeNull();
  expect(agents).toMatchObject([{ title: 'Build', status: 'cancelled' }]);
  const agentId = agents[0]?.id ?? '';
  expect(costs.total).toEqual(before.costs.total);
  expect(costs.byAgent[agentId]).toEqual(before.costs.byAgent[agentId]);
  expect(committed.find((item) => item.kind === 'call')).toMatchObject({
    status: 'cancelled',
    view: { kind: 'agent', agentId },
  });
  const own = contentOf(await second.client.session.agentTranscript({ sessionId, agentId }));
  expect([own.running, own.active]).toEqual([null, []]);
  expect(own.committed.find((item) => item.kind === 'call')).toMatchObject({
    id: 'b1',
    status: 'cancelled',
  });

  // Its command goes on as the main agent's, which is told how it ends.
  expect(tasks).toMatchObject([{ command, status: 'running', agentId: 'main' }]);
  await writeFile(join(workspace.project, 'go'), '');
  await expect.poll(async () => (await now()).tasks[0]?.endTold).toBe(true);
  expect((await now()).tasks).toMatchObject([{ status: 'completed', result: { code: 0 } }]);
  // It counts as told before the request that tells it leaves.
  const said = () => JSON.stringify(api.requests.map(({ body }) => body.messages).at(-1) ?? []);
  await expect.poll(said).toContain('<task-notification>');
  expect(said().split('<task-notification>')).toHaveLength(2);
});

test('a run without a window hears sub-agents in the background before it ends', async () => {
  const task = { description: 'Build', prompt: 'the task', run_in_background: true };
  const main = [reply([toolUse('Agent', task)]), reply('begun'), reply('all done')];
  const gate = Promise.withResolvers<void>();
  api = await startScriptedApi(({ body }) => {
    if (!isMain(body)) return reply([hold(gate.promise), { kind: 'text', text: 'built' }]);
    // The sub-agent is done only after the first answer.
    if (main.length === 2) setImmediate(gate.resolve);
    return main.shift() ?? reply('');
  });
  const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'sk-test-0123456789' };
  const run = lathe(workspace, ['-p', 'go', '--max-turns', '3'], env);
  runs.push(run);
  const { stdout } = await run.finished;
  expect(stdout).toBe('begun\nall done\n');
  const last = JSON.stringify(api.requests.findLast(({ body }) => isMain(body))?.body.messages);
  expect(last).toContain('<task-type>local_agent</task-type>');
});

test('a coordinator end to end: six tasks, five at a time, each with a folder and reads of its own, and a check', async () => {
  const numbers = [1, 2, 3, 4, 5, 6];
  const call = (title: string, prompt: string, kind = 'general-purpose') =>
    toolUse('Agent', { description: title, prompt, subagent_type: kind }, title);
  const main = [
    reply(numbers.map((n) => call(`part${n}`, `part number ${n}`))),
    reply([call('check', 'check all parts', 'verify')]),
    reply('All six parts are done and checked.'),
  ];
  const steps = new Map<string, number>();
  const five = Promise.withResolvers<void>();
  const begun: string[] = [];
  const ended: string[] = [];
  let endedBeforeSixth = 0;
  api = await startScriptedApi(({ body }) => {
    const said = JSON.stringify(body.messages);
    if (isMain(body)) return main.shift() ?? reply('');
    const part = /part number (\d)/.exec(said)?.[1];
    if (part === undefined) return reply('I saw all of them.');
    const step = steps.get(part) ?? 0;
    steps.set(part, step + 1);
    if (step === 0) {
      begun.push(part);
      if (begun.length === 5) five.resolve();
      if (begun.length === 6) endedBeforeSixth = ended.length;
      // None of the five goes on before all of them are there.
      return reply([
        hold(five.promise),
        toolUse('Bash', {
          command: `mkdir -p w${part} && cd w${part} && echo own-${part} > own.txt`,
        }),
      ]);
    }
    if (step === 1)
      return reply([
        toolUse('Read', { file_path: join(workspace.project, `w${part}`, 'own.txt') }),
      ]);
    if (step === 2) return reply([toolUse('Bash', { command: 'pwd' })]);
    if (step === 3) {
      // What it read lets it edit, and what another read does not.
      const file_path = join(workspace.project, `w${part}`, 'own.txt');
      return reply([toolUse('Edit', { file_path, old_string: 'own', new_string: 'done' })]);
    }
    ended.push(part);
    return reply(`report ${part}: ${/\/w(\d)/g.exec(said)?.[0]}`);
  });
  const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'sk-test-0123456789' };
  const run = lathe(
    workspace,
    [
      '-p',
      'Do all parts',
      '--coordinator',
      '--output-format',
      'json',
      '--permission-mode',
      'acceptEdits',
    ],
    env,
  );
  runs.push(run);
  run.child.stdin.end();
  const { stdout } = await run.finished;
  const result = JSON.parse(stdout);
  expect(result).toMatchObject({
    subtype: 'success',
    result: 'All six parts are done and checked.',
  });
  // The sixth waited for one of the five to end.
  expect(endedBeforeSixth).toBeGreaterThan(0);
  expect([...begun].toSorted()).toEqual(numbers.map(String));
  expect(ended).toHaveLength(6);
  const mains = api.requests.filter(({ body }) => isMain(body)).map(({ body }) => body);
  expect(JSON.stringify(mains[0]?.system)).toContain('the coordinator of the work');
  const reports = JSON.stringify(mains[1]?.messages);
  for (const n of numbers) expect(reports).toContain(`report ${n}: /w${n}`);
  expect(JSON.stringify(mains[2]?.messages)).toContain('I saw all of them.');
  for (const n of numbers) {
    const file = join(workspace.project, `w${n}`, 'own.txt');
    expect(await readFile(file, 'utf8')).toBe(`done-${n}\n`);
  }
  // Each request costs the same in this script, and all of them add up.
  const requests = mains.length + numbers.length * 5 + 1;
  expect(api.requests).toHaveLength(requests);
  const [costs] = Object.values(result.modelUsage) as { costUSD: number; inputTokens: number }[];
  expect(costs?.inputTokens).toBe(requests * 100);
  expect(result.total_cost_usd).toBeCloseTo(costs?.costUSD ?? 0, 10);
});
