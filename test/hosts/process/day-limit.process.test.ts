import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ScriptedApi, startScriptedApi } from '../../support/scripted-api';
import { reply } from '../../support/scripted-api-replies';
import { type Finished, lathe, makeWorkspace, type Workspace } from './lathe';

let workspace: Workspace;
let api: ScriptedApi;
/** An answer that costs more than a dollar, whichever model gives it. */
const usage = { input_tokens: 0, output_tokens: 1_000_000 };

beforeEach(async () => {
  workspace = await makeWorkspace();
  api = await startScriptedApi(() => reply('Done.', { usage }));
});
afterEach(async () => {
  await api.close();
  await workspace.remove();
});

function ask(...words: readonly string[]): Promise<Finished> {
  const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'sk-test-0123456789' };
  const run = lathe(workspace, ['-p', 'go', '--output-format', 'json', ...words], env);
  run.child.stdin.end();
  return run.finished;
}

/** Returns what the limit of a day said to a run: nothing when it answered. */
const stopOf = ({ stdout }: Finished) => /limit of a day is \$[\d.]+/.exec(stdout)?.[0] ?? null;

test('the limit of a day stops runs without a window, by a flag or by settings, whoever spent the money', async () => {
  expect(stopOf(await ask())).toBeNull();
  // What an earlier process spent counts.
  const flagged = await ask('--settings', '{"maxDailyBudgetUsd": 1.5}');
  expect(stopOf(flagged)).toBe('limit of a day is $1.50');
  expect(flagged.code).not.toBe(0);
  expect(stopOf(await ask('--max-daily-budget-usd', '1.25'))).toBe('limit of a day is $1.25');
  await mkdir(join(workspace.home, '.claude'));
  const settings = join(workspace.home, '.claude', 'settings.json');
  await writeFile(settings, '{"maxDailyBudgetUsd": 1}');
  expect(stopOf(await ask())).toBe('limit of a day is $1.00');
  // A flag does not raise what settings allow.
  const raised = await ask('--max-daily-budget-usd', '50');
  expect(stopOf(raised)).toBe('limit of a day is $1.00');
  expect(api.requests).toHaveLength(1);
});
