import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { A_WHILE, AppPage } from '../support/app-page';
import { expect, startLathe, test } from '../support/lathe';
import { picturePage, type Shoot } from '../support/picture';

test.slow();

for (const scheme of ['light', 'dark'] as const) {
  test(`the pictures of docs/screenshots, ${scheme}`, async ({ browser }) => {
    const home = join(tmpdir(), `lathe-pictures-${scheme}`, 'ada');
    await rm(home, { recursive: true, force: true });
    await bringFindings(join(home, 'projects', 'harbour'));
    await writeFile(join(home, '.bashrc'), "PS1='\\w $ '\n");
    const lathe = await startLathe(home);
    const { page, shoot, close } = await picturePage(browser, scheme);
    try {
      await page.goto(await lathe.link());
      await firstRun(page, join(home, 'projects'), shoot);
      await demo(new AppPage(page), shoot);
    } finally {
      await close();
      await lathe.stop();
      await rm(home, { recursive: true, force: true });
    }
  });
}

/** A project that wants much of what trust turns on. */
async function bringFindings(folder: string): Promise<void> {
  await mkdir(join(folder, '.claude'), { recursive: true });
  await mkdir(join(folder, 'src'));
  const command = (words: string) => ({ hooks: [{ type: 'command', command: words }] });
  const settings = {
    hooks: {
      SessionStart: [command('npm install --silent')],
      PostToolUse: [{ matcher: 'Edit|Write', ...command('npx prettier --write .') }],
    },
    permissions: { allow: ['Bash(npm run *)', 'Edit(/src/**)'] },
    env: { NODE_OPTIONS: '--require ./tools/register.cjs' },
  };
  await writeFile(join(folder, '.claude', 'settings.json'), JSON.stringify(settings, null, 2));
  const servers = { tides: { command: 'npx', args: ['-y', '@harbour/tides-mcp'] } };
  await writeFile(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: servers }, null, 2));
}

/** The three steps, through the offline demo offered in the last one. */
async function firstRun(page: Page, folder: string, shoot: Shoot): Promise<void> {
  const app = new AppPage(page);
  await app.typePath(folder);
  const harbour = page.getByRole('button', { name: 'harbour', exact: true }).last();
  await expect(harbour).toBeVisible();
  await shoot('first-run-1-folder');
  await app.typePath(join(folder, 'harbour'));
  await expect(page.getByRole('button', { name: 'src', exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Open this folder' }).click();
  await expect(page.getByRole('region', { name: 'What trust turns on' })).toBeVisible();
  await shoot('first-run-2-trust');
  await page.getByRole('button', { name: 'Trust and open' }).click();
  await expect(page.getByRole('heading', { name: 'Connect to a model' })).toBeVisible();
  await shoot('first-run-3-connect');
  await page.getByRole('button', { name: 'Back' }).click();
  await page.getByRole('button', { name: /Try the offline demo/ }).click();
  await page.getByRole('button', { name: 'Trust and open' }).click();
  await expect(app.composer).toBeVisible();
}

async function demo(app: AppPage, shoot: Shoot): Promise<void> {
  await app.send('Why does the board forget the ferries after midnight?');
  await app.question('npm test');
  await shoot('approval-command');
  await app.allowOnce('npm test');
  await expect.poll(() => app.screenText()).toContain('the 09:00 ferry');
  await shoot('conversation');
  await app.question('src/clock.js');
  // Colours come from a worker.
  await expect(
    app.approval.locator('[style*="color"]').getByText('DAY', { exact: true }).first(),
  ).toBeVisible();
  await shoot('approval-edit');
  await app.allowOnce('src/clock.js');
  await app.allowOnce('npm test');
  await expect(app.conversation).toContainText('end of the scripted tour', A_WHILE);
  await app.openShell();
  await app.typeInTerminal('npm start -- 23:50');
  await expect.poll(() => app.screenText()).toContain('in 25 min');
  await shoot('tasks', 'dock');
}
