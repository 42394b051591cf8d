import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startScriptedApi } from '../support/scripted-api';
import { reply } from '../support/scripted-api-replies';
import { expect, test } from './support/lathe';
import { KEY, openScripted } from './support/scripted-app';

test.slow();

test('the status bar shows what the user’s own command prints, and follows the session', async ({
  page,
  lathe,
}) => {
  await mkdir(join(lathe.home, '.claude'), { recursive: true });
  const command = `sed 's/.*"id":"\\([^"]*\\)".*"used_percentage":\\([0-9]*\\).*/\\1 at \\2 %/'`;
  await writeFile(
    join(lathe.home, '.claude', 'settings.json'),
    JSON.stringify({ statusLine: { type: 'command', command } }),
  );
  const usage = { input_tokens: 300_000, output_tokens: 10 };
  const api = await startScriptedApi([reply('Hello.', { usage })], { apiKey: KEY });
  try {
    const app = await openScripted(page, lathe, api);
    await app.send('hello');
    await expect(app.conversation).toContainText('Hello.');
    const bar = page.getByRole('contentinfo', { name: 'Status' });
    await expect(bar).toContainText('claude-opus-5-5 at 30 %');
  } finally {
    await api.close();
  }
});
