import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startScriptedApi } from '../support/scripted-api';
import { reply, toolUse } from '../support/scripted-api-replies';
import { AppPage } from './support/app-page';
import { expect, startLathe, test } from './support/lathe';
import { KEY, lastTold } from './support/scripted-app';

test('a Lathe that no terminal started is connected by the key in the start-up files of the login shell', async ({
  home,
  page,
}) => {
  const api = await startScriptedApi(
    [
      reply(toolUse('Bash', { command: 'echo "$FROM_PROFILE,$ANTHROPIC_API_KEY,"' })),
      reply('Ready.'),
    ],
    { apiKey: KEY },
  );
  const folder = join(home, 'projects', 'harbour');
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(home, '.bash_profile'),
    `export ANTHROPIC_API_KEY=${KEY} ANTHROPIC_BASE_URL=${api.url} FROM_PROFILE=tide\n`,
  );
  const lathe = await startLathe(home, [], { TERM: '' });
  try {
    const app = new AppPage(page);
    await page.goto(await lathe.link());
    await app.typePath(folder);
    await page.getByRole('button', { name: 'Open this folder' }).click();
    await page.getByRole('button', { name: 'Trust and open' }).click();
    await app.send('go');
    await expect(app.conversation).toContainText('Ready.');
    // Commands get what it sets too, but never the key.
    expect(lastTold(api)).toContain('tide,,');
  } finally {
    await lathe.stop();
    await api.close();
  }
});
