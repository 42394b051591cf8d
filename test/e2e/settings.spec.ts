import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { accessibilityFaults } from '../support/accessibility';
import { TINY_IMAGES } from '../support/images';
import { reply } from '../support/scripted-api-replies';
import { expect, test } from './support/lathe';
import { lastTold, played } from './support/scripted-app';

test.slow();
test.use({ reducedMotion: 'reduce' });

test('settings hold at once in every window, say what goes before them, and keys can be changed', async ({
  page,
  lathe,
  context,
}) => {
  const claude = join(lathe.home, '.claude');
  await played({ page, lathe }, [], async (app, _api, folder) => {
    const other = await context.newPage();
    await other.goto(page.url());
    await expect(other.getByRole('textbox', { name: 'Message to Lathe' })).toBeVisible();
    await mkdir(join(folder, '.claude'));
    await writeFile(join(folder, '.claude/settings.local.json'), '{"maxTurns": 7}');
    await app.composer.focus();
    await page.keyboard.press('Control+,');
    const settings = page.getByRole('dialog', { name: 'Settings' });
    const tab = (name: string) => settings.getByRole('tab', { name: new RegExp(`^${name}`) });

    await settings.getByRole('button', { name: /^Code size/ }).click();
    await page.getByRole('menuitemradio', { name: '18 px' }).click();
    const codeSize = () =>
      other.evaluate(() => document.documentElement.style.getPropertyValue('--code-size'));
    await expect.poll(codeSize).toBe('18px');

    await tab('Models').click();
    await settings.getByRole('button', { name: /^Effort/ }).click();
    await page.getByRole('menuitemradio', { name: 'Low' }).click();
    const saved = async () => readFile(join(claude, 'settings.json'), 'utf8').catch(() => '');
    await expect.poll(saved).toContain('"effortLevel": "low"');
    await settings.getByRole('textbox', { name: 'Turns' }).fill('30');
    await page.keyboard.press('Enter');
    await expect.poll(saved).toContain('"maxTurns": 30');
    await expect(settings).toContainText(/another file goes before your choice: 7.*local\.json/);

    await tab('Keys').click();
    await settings.getByRole('button', { name: 'Add a key for Go to a file…' }).press('Enter');
    await page.keyboard.press('k');
    await expect(settings).toContainText('A key that types a character needs');
    expect.soft(await accessibilityFaults(page, { within: '[role="dialog"]' })).toEqual([]);
    await page.keyboard.press('Control+k');
    await expect(settings.getByRole('alert')).toContainText('Ctrl+K belongs to “Command palette”');
    await page.keyboard.press('Enter');
    const row = settings.getByRole('row', { name: /^Go to a file…/ });
    await expect(row).toContainText('CtrlK');
    const file = join(claude, 'keybindings.json');
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
      bindings: [{ context: 'Lathe', bindings: { 'mod+k': 'files' } }],
    });
    // The first one may close the hint of the button that has the focus.
    await expect(async () => {
      await page.keyboard.press('Escape');
      await expect(settings).toBeHidden({ timeout: 5_000 });
    }).toPass();
    await other.bringToFront();
    await other.keyboard.press('Control+k');
    await expect(other.getByRole('dialog', { name: 'Find a file' })).toBeVisible();
    await other.close();
    await page.bringToFront();

    // By hand: what is wrong is named by its line, and the rest counts at once.
    await writeFile(
      file,
      '{"bindings": [{"context": "Lathe", "bindings": {\n  "ctrl+y": "palete",\n  "ctrl+u": "keys"\n}}]}',
    );
    await expect(page.getByText(/keybindings\.json:2: ctrl\+y: there is no command/)).toBeVisible();
    await app.composer.focus();
    await page.keyboard.press('Control+u');
    await expect(page.getByRole('dialog', { name: 'Keys' })).toBeVisible();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await expect(settings.getByRole('region', { name: 'Problems with your keys' })).toContainText(
      '“palette” may be meant',
    );
    await settings.getByRole('button', { name: 'Reset all' }).click();
    await expect(row).toContainText('CtrlP');
    await page.keyboard.press('Escape');
  });
});

test('terminals can be left, read aloud and mentioned, images of the project are shown, the menu of models says which ones settings refuse, and settings that cannot be loaded are told', async ({
  page,
  lathe,
}) => {
  const claude = join(lathe.home, '.claude');
  await mkdir(claude, { recursive: true });
  await writeFile(join(claude, 'settings.json'), '{"availableModels": ["sonnet"]}');
  const script = [reply('Here: ![the plan](docs/plan.png) and ![far](http://127.0.0.1:9/x.png)')];
  await page.route('**/RareDialogs*', (route) => route.abort());
  await played({ page, lathe }, script, async (app, api, folder) => {
    await test.step('settings that cannot be loaded are told, and open once they can be', async () => {
      const settings = page.getByRole('dialog', { name: 'Settings' });
      await app.composer.focus();
      await page.keyboard.press('Control+,');
      await expect(page.getByText('A part of this page could not be loaded.')).toBeVisible();
      await expect(settings).toBeHidden();
      await page.unroute('**/RareDialogs*');
      await page.reload();
      await app.composer.focus();
      await page.keyboard.press('Control+,');
      await expect(settings).toBeVisible();
      await page.keyboard.press('Escape');
      await expect(settings).toBeHidden();
    });

    await test.step('the menu of models says which ones settings refuse', async () => {
      await page.getByRole('button', { name: /^Model: / }).click();
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^Model: / })
        .click();
      const haiku = page.getByRole('menuitemradio', { name: /Haiku/ });
      await expect(haiku).toBeDisabled();
      await expect(haiku).toContainText('is not in availableModels of');
      await page
        .getByRole('menuitemradio', { name: /Sonnet/ })
        .first()
        .click();
      await expect(page.getByRole('button', { name: /^Model: .*Sonnet/ }).first()).toBeVisible();
      await page.keyboard.press('Escape');
      await app.composer.focus();
      await page.keyboard.press('Control+Shift+M');
      await expect(page.getByRole('option', { name: /Sonnet/ }).first()).toBeVisible();
      await expect(page.getByRole('option', { name: /Haiku/ })).toHaveCount(0);
      await page.keyboard.press('Escape');
      await expect(page.getByRole('option', { name: /Sonnet/ })).toHaveCount(0);
    });

    await test.step('terminals can be left, read aloud and mentioned, and images of the project are shown', async () => {
      await mkdir(join(folder, 'docs'));
      await writeFile(join(folder, 'docs/plan.png'), TINY_IMAGES['image/png']);
      await app.composer.focus();
      await page.keyboard.press('Control+`');
      const keys = page.locator('.xterm-helper-textarea');
      await expect(keys).toBeFocused();
      await page.keyboard.press('Control+`');
      await page.keyboard.press('Control+k');
      await page.keyboard.type('screen reader');
      await page.keyboard.press('Enter');
      await expect(page.getByText('Screen reader text in terminals is on.')).toBeVisible();
      await expect(app.terminals.locator('.xterm-accessibility')).toBeAttached();

      const options = page.getByRole('listbox', { name: 'Files' }).getByRole('option');
      await app.composer.fill('');
      await app.composer.pressSequentially('ask @expl');
      await expect(options).toContainText(['agent:Explore']);
      await page.keyboard.press('Enter');
      await expect(app.composer).toHaveValue('ask @agent:Explore ');
      await app.composer.pressSequentially('about @terminal:');
      await page.keyboard.press('Enter');
      await expect(app.composer).toHaveValue(/about @\S*terminal:.* $/);
      await page.keyboard.press('Enter');
      await expect(app.conversation.getByRole('img', { name: 'the plan' })).toHaveAttribute(
        'src',
        /^data:image\/png;base64,/,
      );
      await expect(app.conversation.getByRole('img')).toHaveCount(1);
      await expect(app.conversation.getByRole('link', { name: 'Image: far' })).toBeVisible();
      // Where a link leads is shown at keyboard focus too.
      await app.conversation.getByRole('link', { name: 'Image: far' }).focus();
      await expect(app.conversation.locator('..')).toContainText('http://127.0.0.1:9/x.png');
      expect(lastTold(api)).toContain('a sub-agent of the kind Explore');
      expect(lastTold(api)).toContain('The user mentioned @terminal:');

      await keys.focus();
      await page.keyboard.type('exit');
      await page.keyboard.press('Enter');
      await expect(app.terminals).toContainText('exited with code 0');
      await keys.focus();
      await page.keyboard.press('Tab');
      await expect(keys).not.toBeFocused();
      await keys.focus();
      await page.keyboard.press('Escape');
      await expect(app.composer).toBeFocused();
    });
  });
});
