import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { accessibilityFaults } from '../support/accessibility';
import { startScriptedApi } from '../support/scripted-api';
import { reply, toolUse } from '../support/scripted-api-replies';
import { expect, test } from './support/lathe';
import { KEY, openScripted as open } from './support/scripted-app';

test.slow();

test('a line that a monitor sees wakes a session that was done', async ({ page, lathe }) => {
  const watch = {
    command: 'until [ -e go ]; do sleep 0.1; done; echo noise; echo NEWS of the day; sleep 60',
    description: 'news',
    pattern: 'NEWS',
  };
  const api = await startScriptedApi(
    [reply([toolUse('Monitor', watch)]), reply('I watch.'), reply('I saw it.')],
    { apiKey: KEY },
  );
  try {
    const app = await open(page, lathe, api);
    await app.send('tell me the news');
    await expect(app.conversation).toContainText('I watch.');
    await expect(app.tasks).toContainText('news');
    expect(api.requests).toHaveLength(2);

    await writeFile(join(lathe.home, 'projects', 'harbour', 'go'), '');
    await expect(app.conversation).toContainText('I saw it.');
    // What woke it stands before its answer.
    await expect(app.conversation).toContainText(
      /Monitor "news" saw: NEWS of the day.*I saw it\./s,
    );
    const told = JSON.stringify(api.requests[2]?.body);
    expect(told).toContain('<lines>\\nNEWS of the day\\n</lines>');
    expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
    await page.screenshot({ path: test.info().outputPath('monitor.png') });
  } finally {
    await api.close();
  }
});
