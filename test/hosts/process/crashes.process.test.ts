import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sessionPaths } from '../../../src/main/engine/sessions/paths';
import type { RecordedRequest } from '../../support/scripted-api';
import { type ScriptedApi, startScriptedApi } from '../../support/scripted-api';
import { type Reply, reply, text, toolUse } from '../../support/scripted-api-replies';
import { checkKept, KILLS, randomFrom, SEED } from './crash-checks';
import { lathe, makeWorkspace, nothingLeft, type Run, type Workspace } from './lathe';
import { prepare } from './task-runs';

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
  await nothingLeft(workspace);
  await workspace.remove();
});

/** Works as the main agent and as a sub-agent: a command, a sub-agent, a command, an answer. */
function answerTo({ body }: RecordedRequest, number: number): Reply {
  const messages = body.messages.map((message) => JSON.stringify(message));
  const last = messages.at(-1) ?? '';
  if (/Put the summary between/.test(last))
    return reply('<summary>Numbers were counted.</summary>');
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

test(`THREATS 18: a headless session outlives kill -9 wherever it comes (seed ${SEED})`, async () => {
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
    checkKept(workspace, api, sessionId);
  }
  const { code, stdout, stderr } = await asked('count the numbers').finished;
  expect([code, stdout.trim()], `seed ${SEED}: ${stderr}`).toEqual([0, 'All counted.']);
  checkKept(workspace, api, sessionId);
});
