import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { accessibilityFaults } from '../support/accessibility';
import { reply, toolUse } from '../support/scripted-api-replies';
import { A_WHILE } from './support/app-page';
import { expect, test } from './support/lathe';
import { played } from './support/scripted-app';

test.slow();

const bash = (command: string) => reply([toolUse('Bash', { command })]);

test('a draft rule is tried on past calls while it is written; saved, it answers the next call', async ({
  page,
  lathe,
}) => {
  await played(
    { page, lathe },
    [
      bash('touch one.txt'),
      bash('rm -f one.txt'),
      bash('touch two.txt'),
      bash('touch three.txt'),
      reply('All there.'),
    ],
    async (app, _, folder) => {
      await app.send('make files');
      await app.allowOnce('touch one.txt');
      await app.allowOnce('rm -f one.txt');
      const dialog = await app.question('touch two.txt');
      await page.keyboard.press('Shift+Enter');
      const replay = dialog.getByRole('region', { name: 'What this rule would have changed' });
      await expect(replay).toContainText(
        'Of the last 3 calls in this project, 1 would no longer ask.',
      );
      const save = dialog.getByRole('button', { name: 'Save rule and allow' });
      const before = await save.boundingBox();

      const field = dialog.getByLabel('From now on, do not ask for');
      await field.fill('Bash(rm:*)');
      await expect(replay).toContainText('1 of them deserves a look: deletes files for good.');
      expect(await save.boundingBox()).toEqual(before);
      await field.fill('Bash(');
      await expect(replay).toContainText('Once it is a rule');
      await field.fill('Bash(touch:*)');
      await expect(replay).toContainText('2 would no longer ask.');
      await expect(replay).not.toContainText('deserves');
      await expect(replay.getByRole('status')).toHaveAttribute('aria-busy', 'false');

      await field.press('Tab');
      await page.keyboard.press('Tab');
      await expect(replay.getByRole('button', { name: 'Show calls' })).toBeFocused();
      await page.keyboard.press('Enter');
      const rows = replay.getByRole('listitem');
      await expect(rows).toHaveCount(2);
      await expect(rows.first()).toContainText('touch two.txt');
      await expect(rows.first()).toContainText('asked → allowed');
      expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);

      // In a small window the answers scroll; none is cut off.
      const usual = page.viewportSize();
      await page.setViewportSize({ width: 390, height: 600 });
      const cutOff = () => dialog.evaluate((e) => e.scrollHeight - e.clientHeight);
      await expect.poll(cutOff).toBe(0);
      await save.scrollIntoViewIfNeeded();
      await expect(save).toBeInViewport({ ratio: 1 });
      if (usual) await page.setViewportSize(usual);

      // The first press may only show what the small window had hidden.
      await expect(async () => {
        if (await field.isVisible()) await field.press('Enter');
        await expect(app.conversation).toContainText('All there.', { timeout: 3_000 });
      }).toPass(A_WHILE);
      expect(await readFile(join(folder, 'three.txt'), 'utf8')).toBe('');
      expect(await readFile(join(folder, '.claude', 'settings.local.json'), 'utf8')).toContain(
        'Bash(touch:*)',
      );
    },
  );
});

test('rules are added and taken back in the settings, by keyboard, and hold at once', async ({
  page,
  home,
  lathe,
  electron,
}) => {
  const own = join(home, '.claude', 'settings.json');
  await mkdir(join(home, '.claude'));
  const written = `{
  // mine
  "permissions": {
    "deny": [
      "Bash(curl:*)", // never
      "Read(./secrets/**"
    ],
    "allow": ["Bash(make:*)"]
  }
}
`;
  await writeFile(own, written);
  await played(
    { page, lathe },
    [
      bash('touch one.txt'),
      bash('touch two.txt'),
      reply('Half way.'),
      bash('touch three.txt'),
      reply('Done.'),
    ],
    async (app, _, folder) => {
      await app.send('make files');
      await app.deny('touch one.txt');
      await app.question('touch two.txt');
      await page.keyboard.press('Escape');
      await expect(app.conversation).toContainText('Half way.', A_WHILE);
      await page.keyboard.press('Control+,');
      const settings = page.getByRole('dialog', { name: 'Settings' });
      await expect(settings).toBeFocused();
      await settings.getByRole('tab', { name: 'Notifications' }).focus();
      const ofApp = electron === null ? [] : ['Desktop'];
      for (const name of ['Search', ...ofApp, 'Connection', 'Permissions']) {
        await page.keyboard.press('ArrowDown');
        await expect(settings.getByRole('tab', { name })).toBeFocused();
      }
      await expect(settings).toContainText('Mode: Ask before acting');
      const denied = settings.getByRole('region', { name: 'Denied' });
      await expect(denied.getByRole('listitem')).toHaveCount(2);
      await expect(denied).toContainText('~/.claude/settings.json');
      await expect(denied).toContainText('line 5');
      await expect(denied).toContainText('covers every use of Read');
      // The rule itself says it; the list of what could not be used does not repeat it.
      await expect(settings).not.toContainText('could not be used as written');
      expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);

      await settings.getByRole('button', { name: 'Add a rule…' }).press('Enter');
      const form = settings.getByRole('form', { name: 'Add a rule' });
      await expect(form.getByLabel('Rule', { exact: true })).toBeFocused();
      await page.keyboard.type('Bash(touch:*)');
      await expect(form).toContainText(
        'Of the last 2 calls in this project, 2 would no longer ask.',
      );
      expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
      await page.keyboard.press('Enter');
      const allowed = settings.getByRole('region', { name: 'Allowed' });
      await expect(allowed).toContainText('Bash(touch:*)');
      await expect(form).toBeHidden();

      const filter = settings.getByLabel('Filter rules');
      await filter.fill('make');
      await expect(settings.getByRole('listitem')).toHaveCount(1);
      await filter.fill('curl');
      const remove = denied.getByRole('button', { name: /^Remove Bash\(curl:\*\)/ });
      await remove.press('Enter');
      await expect(settings).toContainText('No rule fits the filter');
      const back = settings.getByRole('button', { name: 'Put back' });
      await expect(back).toBeFocused();
      const kept = () => readFile(own, 'utf8');
      await expect.poll(kept).toBe(written.replace('"Bash(curl:*)", // never', '// never'));
      await page.keyboard.press('Enter');
      await expect(denied).toContainText('Bash(curl:*)');
      await expect.poll(kept).toContain('// mine');
      await page.keyboard.press('Escape');

      await app.send('go on');
      await expect(app.conversation).toContainText('Done.', A_WHILE);
      expect(await readFile(join(folder, 'three.txt'), 'utf8')).toBe('');
    },
  );
});
