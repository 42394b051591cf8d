import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { accessibilityFaults } from '../support/accessibility';
import { hold, type Reply, reply, toolUse } from '../support/scripted-api-replies';
import { A_WHILE, type AppPage } from './support/app-page';
import { expect, test } from './support/lathe';
import { gate, lastTold, played } from './support/scripted-app';

test.slow();

const write = (file: string, content: string) =>
  toolUse('Write', { file_path: file, content: `${content}\n` });

/** Waits for a dialog under its name that takes answers, and looks whether everybody can use it. */
async function ready({ approval }: AppPage, page: Page, name: string): Promise<void> {
  await expect(approval).toHaveAccessibleName(name, A_WHILE);
  await expect(approval).toHaveAttribute('data-armed', 'true');
  await expect(approval).toBeFocused();
  expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
}

test('edits of one response are one dialog: one is denied alone, the others are allowed together or by a rule, a refusal with words reaches every call, and what is still streaming joins it', async ({
  page,
  lathe,
}) => {
  const more = gate();
  const change = (from: string, to: string) =>
    toolUse('Edit', { file_path: 'ships.txt', old_string: from, new_string: to });
  const script: readonly Reply[] = [
    reply([
      write('ships/vega.txt', 'Vega'),
      write('ships/rigel.txt', 'Rigel'),
      write('.husky/pre-commit', 'true'),
      toolUse('Bash', { command: 'make release' }),
    ]),
    reply('Two ships.'),
    reply([write('fleet/vega.txt', 'Vega'), write('fleet/rigel.txt', 'Rigel')]),
    reply([write('fleet/deneb.txt', 'Deneb'), write('tugs.txt', '1'), write('logs.txt', '2')]),
    reply('Understood.'),
    reply([toolUse('Read', { file_path: 'ships.txt' })]),
    reply([
      change('one', 'two'),
      hold(more.opened),
      change('two', 'three'),
      write('tugs.txt', '1'),
    ]),
    reply('Counted.'),
  ];
  await played({ page, lathe }, script, async (app, api, folder) => {
    await test.step('one is denied alone, the others are allowed together', async () => {
      await app.send('register the ships');
      await ready(app, page, 'Create 3 files');
      const files = app.approval.getByRole('list', { name: 'Files' });
      await expect(files.getByRole('listitem')).toHaveCount(3);
      await expect(files).toContainText('protected');
      await expect(app.approval).not.toContainText('make release');
      const usual = page.viewportSize();
      await page.setViewportSize({ width: 390, height: 850 });
      for (const answer of [/^(Show the rest|Allow once)/, /^Deny( Esc)?$/])
        await expect(app.approval.getByRole('button', { name: answer })).toBeInViewport({
          ratio: 1,
        });
      if (usual) await page.setViewportSize(usual);
      await page.keyboard.press('ArrowUp');
      await expect(app.approval.getByRole('status')).toContainText('3 of 3 files');
      await page.keyboard.press('Delete');
      await ready(app, page, 'Create 2 files');
      await expect(files).not.toContainText('husky');
      await page.keyboard.press('Enter');

      await ready(app, page, 'Run a command');
      await page.keyboard.press('Escape');
      await expect(app.conversation).toContainText('Two ships.', A_WHILE);
      expect(await readFile(join(folder, 'ships/vega.txt'), 'utf8')).toBe('Vega\n');
      expect(await readFile(join(folder, 'ships/rigel.txt'), 'utf8')).toBe('Rigel\n');
      await expect(readFile(join(folder, '.husky/pre-commit'))).rejects.toThrow('ENOENT');
      expect(lastTold(api).match(/The user denied this call/g)).toHaveLength(2);
    });

    await test.step('a rule of one dialog holds for all of it and for what comes; a refusal with words reaches every call', async () => {
      await app.newSession();
      await app.send('register the ships');
      await ready(app, page, 'Create 2 files');
      await page.keyboard.press('Shift+Enter');
      await expect(app.approval.getByLabel('From now on, do not ask for')).toHaveValue(
        'Edit(/fleet/**)',
      );
      await expect(app.approval.getByLabel('This session')).toBeChecked();
      await page.keyboard.press('Enter');
      await ready(app, page, 'Create 2 files');
      await expect(app.approval).toContainText('tugs.txt');
      await expect(app.approval).not.toContainText('deneb');
      await page.keyboard.press('Tab');
      await page.keyboard.type('One list is enough');
      await page.keyboard.press('Enter');
      await expect(app.conversation).toContainText('Understood.', A_WHILE);
      expect(lastTold(api).match(/One list is enough/g)).toHaveLength(2);
      expect(await readFile(join(folder, 'fleet/deneb.txt'), 'utf8')).toBe('Deneb\n');
      await expect(page.getByText('has been answered already')).toHaveCount(0);
    });

    await test.step('what is still streaming joins the dialog that is open; edits of one file are asked in their order', async () => {
      await app.newSession();
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, 'ships.txt'), 'one\n');
      await app.send('count them');
      await ready(app, page, 'Edit a file');
      more.open();
      // The second change of the file waits for the first; the other file does not.
      await ready(app, page, 'Edit 2 files');
      await expect(app.approval).toContainText('tugs.txt');
      await expect(app.approval).not.toContainText('three');
      await page.keyboard.press('Enter');
      await ready(app, page, 'Edit a file');
      await expect(app.approval).toContainText('three');
      await page.keyboard.press('Enter');
      await expect(app.conversation).toContainText('Counted.', A_WHILE);
      expect(await readFile(join(folder, 'ships.txt'), 'utf8')).toBe('three\n');
      expect(await readFile(join(folder, 'tugs.txt'), 'utf8')).toBe('1\n');
    });
  });
});
