import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dayOf } from '../../../src/main/engine/cost/day-sums';
import { startScriptedApi } from '../../support/scripted-api';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { expect, startLathe, test } from '../support/lathe';
import { picturePage } from '../support/picture';
import { KEY, openScripted, writeFiles } from '../support/scripted-app';

test.slow();

const DAY_MS = 24 * 60 * 60 * 1000;
const usage = { input_tokens: 4_000, cache_read_input_tokens: 90_000, output_tokens: 60_000 };

/** The files of a month of work, the newest day yesterday. */
const month = (now: number): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: 28 }, (_, i) => [
      `.lathe/spending/${dayOf(now - (i + 2) * DAY_MS)}.json`,
      JSON.stringify({ usd: i % 7 > 4 ? 0.4 : 2 + ((i * 37) % 11) }),
    ]),
  );

/** Returns what sessions elsewhere spent today. */
const today = (now: number): Record<string, string> => ({
  [`.lathe/spending/${dayOf(now)}.ndjson`]: [
    {
      agent: 'main',
      use: 'answers',
      usd: 1.84,
      session: 'b7d0a1c2-4e',
      project: '/home/ann/lights',
    },
    {
      agent: 'Explore',
      use: 'answers',
      usd: 0.61,
      session: 'b7d0a1c2-4e',
      project: '/home/ann/lights',
    },
    {
      agent: 'main',
      use: 'WebFetch',
      usd: 0.07,
      session: '0c44e9f1-9a',
      project: '/home/ann/tides',
    },
  ]
    .map((spent) => ({
      ...{ at: now - 60_000, model: 'claude-haiku-4-5', ...spent },
      usage: { inputTokens: 9_000, outputTokens: 4_000, cacheReadTokens: 0, cacheWriteTokens: 0 },
    }))
    .map((line) => `${JSON.stringify(line)}\n`)
    .join(''),
});

for (const scheme of ['light', 'dark'] as const) {
  test(`the pictures of money, ${scheme}`, async ({ browser }) => {
    const home = join(tmpdir(), `lathe-money-${scheme}`, 'ada');
    await rm(home, { recursive: true, force: true });
    await mkdir(home, { recursive: true });
    const now = Date.now();
    await writeFiles(home, {
      ...month(now),
      ...today(now),
      '.claude/settings.json': JSON.stringify({ maxDailyBudgetUsd: 3 }),
    });
    const api = await startScriptedApi(
      [
        reply([toolUse('Glob', { pattern: '**/*.ts' })], { usage }),
        reply('Three lists.', { usage }),
      ],
      { apiKey: KEY },
    );
    const lathe = await startLathe(home);
    const { page, shoot, close } = await picturePage(browser, scheme);
    try {
      const app = await openScripted(page, lathe, api);
      await app.send('Where are the ships named?');
      await expect(app.conversation).toContainText('the limit of a day is');
      await shoot('day-limit');
      await app.composer.fill('/cost');
      await app.composer.press('Enter');
      await expect(page.getByRole('dialog', { name: 'Costs' })).toContainText('over the limit');
      await shoot('costs');
    } finally {
      await close();
      await lathe.stop();
      await api.close();
    }
  });
}
