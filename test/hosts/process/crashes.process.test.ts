import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sessionPaths } from '../../../src/main/engine/sessions/paths';
import type { RecordedRequest } from '../../support/scripted-api';
import { type ScriptedApi, startScriptedApi } from '../../support/scripted-api';
import { type Reply, reply, text, toolUse } from '../../support/scripted-api-replies';
import { lathe, makeWorkspace, processesOf, type Run, type Workspace } from './lathe';
import { prepare } from './task-runs';

/** `LATHE_CRASHES` kills more often, `LATHE_CRASH_SEED` elsewhere: to look for more than to guard what is known. */
const KILLS = Number(process.env['LATHE_CRASHES'] ?? 10);
const SEED = Number(process.env['LATHE_CRASH_SEED'] ?? 7);

vi.setConfig({ testTimeout: Math.max(180_000, KILLS * 15_000) });

let workspace: Workspace;
let api: ScriptedApi;
let runs: Run[] = [];
/** Called with each request before it is answered. */
let onRequest: () => void = () => {};

beforeEach(async () => {
  workspace = await makeWorkspace();
  await prepare(workspace);
  api = await startScriptedApi((request, number) => {
    onRequest();
    return answerTo(request, number);
  });
});
afterEach(async () => {
  onRequest = () => {};
  for (const { child, finished } of runs) {
    child.kill('SIGTERM');
    await finished;
  }
  runs = [];
  await api.close();
  expect(api.refusals, `seed ${SEED}`).toEqual([]);
  await expect.poll(() => processesOf(workspace), { timeout: 30_000 }).toEqual([]);
  await workspace.remove();
});

/** Random numbers from 0 to 1 that a seed repeats (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Works as the main agent and as a sub-agent: a command, a sub-agent, a command, an answer. */
function answerTo({ body }: RecordedRequest, number: number): Reply {
  const messages = body.messages.map((message) => JSON.stringify(message));
  const last = messages.at(-1) ?? '';
  if (/<summary>/.test(last)) return reply('<summary>Numbers were counted.</summary>');
  const start = messages.findLastIndex(
    (one, at) => body.messages[at]?.role === 'user' && /count the numbers|SUBWORK/.test(one),
  );
  const results = messages.slice(start).join('').split('"tool_result"').length - 1;
  const run = toolUse('Bash', { command: `echo run-${number} >> ran.txt` }, `toolu_c${number}`);
  const pace = { pieceChars: 6, paceMs: 4 };
  if (messages[start]?.includes('SUBWORK') === true) {
    return results === 0 ? reply([text('Counting.'), run], pace) : reply('Three.', pace);
  }
  if (results === 1) {
    const input = { description: 'Count', prompt: 'SUBWORK', subagent_type: 'general-purpose' };
    return reply([toolUse('Agent', input, `toolu_c${number}`)], pace);
  }
  return results < 3 ? reply([text('First this.'), run], pace) : reply('All counted.', pace);
}

function start(words: readonly string[]): Run {
  const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'sk-test-0123456789' };
  const run = lathe(workspace, words, env);
  // Nobody writes to it.
  run.child.stdin.end();
  runs.push(run);
  return run;
}

/** Kills a run a moment after one of its next requests; resolves when it is dead, however it came to that. */
async function killSoon(run: Run, random: () => number): Promise<void> {
  let left = 1 + Math.floor(random() * 6);
  const after = Math.floor(random() * 60);
  onRequest = () => {
    left -= 1;
    if (left === 0) void pause(after).then(() => run.child.kill('SIGKILL'));
  };
  await run.finished;
  onRequest = () => {};
}

/** Checks that nothing settled is lost and that no command ran twice. */
function checkKept(sessionId: string): void {
  const { file, folder } = sessionPaths(workspace.latheHome, workspace.project, sessionId);
  const agents = join(folder, 'agents');
  const logs = [file, ...namesIn(agents).map((name) => join(agents, name))].filter(
    (path) => path.endsWith('.jsonl') && existsSync(path),
  );
  const whole = logs.map((path) => readFileSync(path, 'utf8')).join('\n');
  for (const path of logs) {
    const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
    for (const line of lines) if (line !== '') JSON.parse(line);
  }
  const told = api.requests.flatMap(({ body }) => [
    ...JSON.stringify(body.messages).matchAll(/"tool_use_id":"(toolu_c\d+)"/g),
  ]);
  for (const id of new Set(told.map(([, found]) => found))) expect(whole).toContain(id);
  const ran = join(workspace.project, 'ran.txt');
  const lines = existsSync(ran) ? readFileSync(ran, 'utf8').trim().split('\n') : [];
  expect(new Set(lines).size, `seed ${SEED}: ${lines.join(' ')}`).toBe(lines.length);
}

const namesIn = (folder: string): readonly string[] =>
  existsSync(folder) ? readdirSync(folder) : [];

test(`a headless session outlives kill -9 wherever it comes (seed ${SEED})`, async () => {
  const random = randomFrom(SEED);
  const sessionId = randomUUID();
  const { file } = sessionPaths(workspace.latheHome, workspace.project, sessionId);
  const asked = (prompt: string) =>
    start([
      '-p',
      prompt,
      ...(existsSync(file) ? ['--resume', sessionId] : ['--session-id', sessionId]),
    ]);
  for (let kill = 0; kill < KILLS; kill += 1) {
    await killSoon(asked(random() < 0.2 ? '/compact' : 'count the numbers'), random);
    checkKept(sessionId);
  }
  const { code, stdout, stderr } = await asked('count the numbers').finished;
  expect([code, stdout.trim()], `seed ${SEED}: ${stderr}`).toEqual([0, 'All counted.']);
  checkKept(sessionId);
});
