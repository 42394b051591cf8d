import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { A_WHILE, AppPage } from './support/app-page';
import { expect, test } from './support/lathe';

test.use({ serveWords: ['--demo'] });
test.slow();

test('a hook of the person blocks an edit, and the conversation says so', async ({
  page,
  lathe,
}) => {
  const hooks = {
    PreToolUse: [
      {
        matcher: 'Edit',
        hooks: [{ type: 'command', command: 'echo "No edits today." >&2; exit 2' }],
      },
    ],
  };
  await mkdir(join(lathe.home, '.claude'), { recursive: true });
  await writeFile(join(lathe.home, '.claude', 'settings.json'), JSON.stringify({ hooks }));
  const app = new AppPage(page);
  await app.openDemo(await lathe.link());
  await app.send('go');
  await app.allowOnce('npm test');
  const row = app.conversation.getByRole('button', { name: /Hook PreToolUse \(Edit\)/ });
  await expect(row).toContainText('blocked: No edits today.', A_WHILE);
  await row.click();
  await expect(app.conversation).toContainText('exit code 2');
});
