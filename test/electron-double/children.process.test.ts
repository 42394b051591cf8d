import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AppPage } from '../e2e/support/app-page';
import { see, startChromium } from '../support/chromium';
import { startScriptedApi } from '../support/scripted-api';
import { reply, toolUse } from '../support/scripted-api-replies';
import { soon } from '../support/soon';
import { createElectronDouble } from './double/electron-double';
import { runBuiltApp } from './double/run-built-app';

const KEY = 'sk-test-double';

test('a packaged app runs its terminals in its own program as plain Node, which no command inherits', async () => {
  const told = 'echo "[$ELECTRON_RUN_AS_NODE|$NODE_OPTIONS|$LATHE_START_NODE_OPTIONS]"';
  const api = await startScriptedApi([reply(toolUse('Bash', { command: told })), reply('Told.')], {
    apiKey: KEY,
  });
  const browser = await startChromium();
  const double = createElectronDouble({
    context: await browser.newContext({ reducedMotion: 'reduce' }),
    packaged: true,
  });
  const app = await runBuiltApp(double, { env: { LATHE_START_NODE_OPTIONS: '--no-deprecation' } });
  try {
    const page = await soon(() => {
      const shown = double.windows[0]?.page;
      if (!shown) throw new Error('No page yet');
      return shown;
    });
    const folder = join(app.latheHome, '..', 'harbour');
    await mkdir(folder);
    double.answers.folder = { canceled: false, filePaths: [folder] };
    const screen = new AppPage(page);
    await page.getByRole('button', { name: 'Choose a folder' }).click();
    await page.getByRole('button', { name: 'Trust and open' }).click();
    await screen.connect(KEY, api.url);
    await screen.send('go');
    await see(screen.conversation).toContainText('Told.');
    expect(JSON.stringify(api.requests.at(-1)?.body.messages)).toContain('[|--no-deprecation|]');
  } finally {
    await app.stop();
    await browser.close();
    await api.close();
  }
});
