import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startScriptedApi } from '../../support/scripted-api';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { A_WHILE, type AppPage } from '../support/app-page';
import { expect, startLathe, test } from '../support/lathe';
import { picturePage, type Shoot } from '../support/picture';
import { KEY, openScripted } from '../support/scripted-app';

test.slow();

const PAST = [
  'npm run test -- --run register',
  'git push origin main',
  'npm run test -- --run berths',
  'git push --force origin main',
  'npm run build',
  'curl -s https://tides.example/today',
  'npm run test -- --run ferries',
];
const OWN = `{
  "permissions": {
    "deny": ["Bash(curl * | sh)", "Read(~/.ssh/**)", "Read(./secrets/**"],
    "ask": ["Bash(git push --force:*)"],
    "allow": ["WebFetch(domain:docs.example.com)"]
  }
}
`;
const SHARED = {
  permissions: {
    allow: ['Bash(npm run build)', 'Bash(git log:*)', 'Edit(/src/**)'],
    deny: ['Edit(/generated/**)'],
  },
};

for (const scheme of ['light', 'dark'] as const) {
  test(`the pictures of rules, ${scheme}`, async ({ browser }) => {
    const home = join(tmpdir(), `lathe-rules-${scheme}`, 'ada');
    await rm(home, { recursive: true, force: true });
    const folder = join(home, 'projects', 'harbour', '.claude');
    await mkdir(folder, { recursive: true });
    await mkdir(join(home, '.claude'));
    await writeFile(join(home, '.claude', 'settings.json'), OWN);
    await writeFile(join(folder, '..', 'package.json'), '{"scripts": {"build": "true"}}');
    await writeFile(join(folder, 'settings.json'), JSON.stringify(SHARED, null, 2));
    const calls = PAST.map((command) => toolUse('Bash', { command }));
    const next = toolUse('Bash', { command: 'npm run test -- --run tugs' });
    const api = await startScriptedApi([reply(calls), reply([next]), reply('Done.')], {
      apiKey: KEY,
    });
    const lathe = await startLathe(home);
    const { page, shoot, close } = await picturePage(browser, scheme);
    try {
      const app = await openScripted(page, { ...lathe, home }, api);
      await question(app, shoot);
      await settings(app, shoot);
    } finally {
      await close();
      await api.close();
      await lathe.stop();
      await rm(home, { recursive: true, force: true });
    }
  });
}

/** A rule that is harmless, one that is not, and the calls behind it. */
async function question(app: AppPage, shoot: Shoot): Promise<void> {
  const { page } = app;
  await app.send('Run the tests and publish it');
  // The build is allowed by a rule of the project.
  for (const command of PAST.filter((line) => line !== 'npm run build')) await app.deny(command);
  await app.question('--run tugs');
  await page.keyboard.press('Shift+Enter');
  const replay = app.approval.getByRole('region', { name: 'What this rule would have changed' });
  const field = app.approval.getByLabel('From now on, do not ask for');
  await field.fill('Bash(npm run test:*)');
  await expect(replay).toContainText('would no longer ask');
  await shoot('rule-replay');
  await field.fill('Bash(git push:*)');
  await expect(replay).toContainText('deserve');
  await replay.getByRole('button', { name: 'Show calls' }).click();
  await shoot('rule-replay-calls');
  await field.press('Escape');
  await page.keyboard.press('Escape');
  await expect(app.conversation).toContainText('Done.', A_WHILE);
}

/** Every rule with its place; a denial that is being written. */
async function settings({ page }: AppPage, shoot: Shoot): Promise<void> {
  await page.keyboard.press('Control+,');
  const dialog = page.getByRole('dialog', { name: 'Settings' });
  await dialog.getByRole('tab', { name: 'Permissions' }).click();
  await expect(dialog.getByRole('region', { name: 'Denied' })).toBeVisible();
  await shoot('settings-permissions');
  await dialog.getByRole('button', { name: 'Add a rule…' }).click();
  const form = dialog.getByRole('form', { name: 'Add a rule' });
  await form.getByRole('radio', { name: 'Deny' }).click();
  await form.getByLabel('Rule', { exact: true }).fill('Bash(git push:*)');
  await expect(form).toContainText('would be denied');
  await shoot('settings-add-rule');
}
