import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Script, startScriptedApi } from '../../support/scripted-api';
import { hold, reply, text, toolUse } from '../../support/scripted-api-replies';
import { AppPage } from '../support/app-page';
import { expect, startLathe, test } from '../support/lathe';
import { picturePage } from '../support/picture';

test.slow();

const KEY = 'sk-test-agents';

const explore = (description: string, prompt: string) =>
  toolUse('Agent', { description, prompt, subagent_type: 'Explore' });

/** Two sub-agents look around side by side; the second one goes on until the test lets it end. */
function script(released: Promise<void>): Script {
  const asked: Record<string, number> = {};
  return (request) => {
    const said = JSON.stringify(request.body.messages);
    const who = ['berth plan', 'tide table'].find(
      (task) => said.includes(`Find the ${task}`) && !said.includes('both lists'),
    );
    const turn = (asked[who ?? 'main'] ?? -1) + 1;
    asked[who ?? 'main'] = turn;
    if (who === undefined) {
      return turn === 0
        ? reply([
            text('I’ll have both looked up at the same time.'),
            explore('Where berths are kept', 'Find the berth plan and say where it is kept.'),
            explore('Where tides are kept', 'Find the tide table and say where it is kept.'),
          ])
        : reply('Berths are kept in `berths.json`, tides in `tides.csv`.');
    }
    if (turn === 0) return reply([toolUse('Glob', { pattern: '*' })]);
    return who === 'berth plan'
      ? reply('The berth plan is `berths.json`: one entry for each quay.')
      : reply([text('The tide table is `tides.csv`, '), hold(released), text('an hour a line.')]);
  };
}

for (const scheme of ['light', 'dark'] as const) {
  test(`the pictures of sub-agents, ${scheme}`, async ({ browser }) => {
    const home = join(tmpdir(), `lathe-agents-${scheme}`, 'ada');
    await rm(home, { recursive: true, force: true });
    const folder = join(home, 'projects', 'harbour');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'berths.json'), '{}\n');
    await writeFile(join(folder, 'tides.csv'), 'hour,level\n');
    const released = Promise.withResolvers<void>();
    const api = await startScriptedApi(script(released.promise), { apiKey: KEY });
    const lathe = await startLathe(home);
    const { page, shoot, close } = await picturePage(browser, scheme);
    try {
      const app = new AppPage(page);
      await app.openFolder(await lathe.link(), folder);
      await app.connect(KEY, api.url);
      await expect(app.composer).toBeVisible();
      await app.send('Where do we keep both lists: the berths and the tides?');
      const berths = app.conversation
        .getByRole('button', { name: 'Where berths are kept' })
        .first();
      const tides = app.conversation.getByRole('button', { name: 'Where tides are kept' }).first();
      await expect(berths).toContainText('1 call');
      await expect(tides).toBeVisible();
      await shoot('agents-running');
      await page.getByRole('tab', { name: /^Agents/ }).click();
      await expect(page.getByRole('list', { name: 'Agents' })).toContainText('The tide table is');
      await shoot('agents-tree', 'dock');
      const tree = page.getByRole('list', { name: 'Agents' });
      await tree.getByTitle('Where tides are kept', { exact: true }).click();
      await expect(
        page.getByRole('region', { name: 'Transcript of Where tides are kept' }),
      ).toContainText('The tide table is');
      await shoot('agents-beside', 'dock');
      await page.getByRole('tab', { name: /^Tasks/ }).click();
      await tides.click();
      const card = app.conversation.getByLabel('Conversation of Where tides are kept');
      await expect(card).toContainText('The tide table is');
      await berths.click();
      await shoot('agents-open');
      released.resolve();
      await expect(card).toContainText('an hour a line');
      await expect(app.conversation).toContainText('tides in tides.csv');
      expect(api.refusals).toEqual([]);
    } finally {
      released.resolve();
      await close();
      await api.close();
      await lathe.stop();
      await rm(home, { recursive: true, force: true });
    }
  });
}
