import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FULL_PLUGIN, MARKETPLACE, putAll } from '../engine/plugins/support';
import { AppPage } from './support/app-page';
import { faults } from './support/faults';
import { expect, startLathe, test } from './support/lathe';

test.use({ serveWords: ['--demo'] });
test.slow();

test('--plugin-dir brings plugins of folders into the windows of one run, and values that they ask for are given and taken back in the settings', async ({
  page,
  home,
}) => {
  const [own, mail] = [join(home, 'own'), join(home, 'mail')];
  putAll(own, FULL_PLUGIN);
  putAll(mail, {
    '.claude-plugin/plugin.json': {
      name: 'mail',
      userConfig: {
        host: { description: 'Where the mail is', required: true },
        port: { description: 'Its port', type: 'number', default: 993, max: 65535 },
        key: { description: 'How to get in', sensitive: true },
      },
    },
    'commands/look.md': 'Look at the mail',
  });
  const file = join(home, '.claude', 'settings.json');
  const kept = async () => JSON.parse(await readFile(file, 'utf8')).pluginConfigs?.mail?.options;
  const lathe = await startLathe(home, ['--demo', '--plugin-dir', own, '--plugin-dir', mail]);
  try {
    const app = new AppPage(page);
    await app.openDemo(await lathe.link());
    const settings = page.getByRole('dialog', { name: 'Settings' });
    const pluginOf = (name: RegExp) =>
      settings
        .getByRole('list', { name: 'Plugins' })
        .getByRole('listitem')
        .filter({ has: page.getByRole('button', { name }) })
        .first();
    await test.step('the plugin of a folder is there in all its parts', async () => {
      await app.send('/hooks');
      await expect(settings).toContainText('plugin house');
      await settings.getByRole('tab', { name: 'Plugins' }).click();
      const plugin = pluginOf(/house/);
      await plugin.getByRole('button', { name: /house/ }).click();
      await expect(plugin).toContainText('--plugin-dir, in this run');
      await expect(plugin.getByRole('button', { name: /Remove|Turn off/ })).toHaveCount(0);
      await expect(plugin).toContainText('stonels --stdio');
      await settings.getByRole('tab', { name: 'Tool servers' }).click();
      const languages = settings.getByRole('list', { name: 'Language servers' });
      await expect(languages).toContainText('house:stonenot startedFor .stone');
      await languages.getByRole('button', { name: /house:stone/ }).click();
      await expect(languages).toContainText('It starts with the first file that it is for.');
      expect.soft(await faults(page, '[role="dialog"]')).toEqual([]);
      await page.keyboard.press('Escape');
      await app.composer.fill('/house:gr');
      await expect(page.getByRole('option', { name: /house:greet/ })).toBeVisible();
    });

    await test.step('values are given and taken back', async () => {
      await app.composer.fill('');
      await app.send('/plugins');
      const plugin = pluginOf(/mail/);
      await plugin.getByRole('button', { name: /mail/ }).click();
      await expect(plugin).toContainText('It has to have a value.');
      await plugin.getByLabel('host', { exact: true }).fill('mail.example');
      await plugin.getByRole('button', { name: 'Save host' }).click();
      await expect(plugin.getByRole('button', { name: 'Clear host' })).toBeVisible();
      await expect(plugin).not.toContainText('It has to have a value.');
      await plugin.getByLabel('key', { exact: true }).fill('swordfish');
      await plugin.getByRole('button', { name: 'Save key' }).click();
      await expect(plugin.getByLabel('key', { exact: true })).toHaveAttribute(
        'placeholder',
        'kept, not shown',
      );
      await expect(plugin.getByLabel('key', { exact: true })).toHaveValue('');
      await plugin.getByLabel('port', { exact: true }).fill('99999');
      await plugin.getByRole('button', { name: 'Save port' }).click();
      await expect(page.getByText('a number of at most 65535 is expected')).toBeVisible();
      expect(await kept()).toEqual({ host: 'mail.example', key: 'swordfish' });
      expect.soft(await faults(page, '[role="dialog"]')).toEqual([]);
      await plugin.getByRole('button', { name: 'Clear key' }).click();
      await expect(plugin.getByRole('button', { name: 'Clear key' })).toHaveCount(0);
      expect(await kept()).toEqual({ host: 'mail.example' });
    });
  } finally {
    await lathe.stop();
  }
});

test('a plugin is looked at, installed, turned off and removed in the settings', async ({
  page,
  lathe,
}) => {
  const town = join(lathe.home, 'town');
  putAll(town, MARKETPLACE);
  const app = new AppPage(page);
  await app.openDemo(await lathe.link());
  await app.send('/plugins');
  const settings = page.getByRole('dialog', { name: 'Settings' });
  await settings.getByLabel('Add a marketplace').fill(town);
  await settings.getByRole('button', { name: 'Add', exact: true }).click();
  const plugin = settings.getByRole('list', { name: 'Plugins' }).getByRole('listitem').first();
  await expect(plugin).toBeVisible();
  // Nothing can be pressed while it looks; then the keyboard is where it was.
  const updates = settings.getByRole('button', { name: 'Look for updates of town' });
  await updates.press('Enter');
  await expect(updates).toBeEnabled();
  await expect(updates).toBeFocused();
  await plugin.getByRole('button', { name: /house/ }).click();
  await expect(plugin).toContainText('scripts/hello.sh');
  await expect(plugin).toContainText('plugin_house_cellar');
  await expect(plugin).toContainText('/house:greet');
  expect.soft(await faults(page, '[role="dialog"]')).toEqual([]);
  await plugin.getByRole('button', { name: 'Install and use' }).click();
  await expect(plugin.getByRole('button', { name: 'Turn off' })).toBeVisible();
  const file = join(lathe.home, '.claude', 'settings.json');
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
    enabledPlugins: { 'house@town': true },
  });
  await settings.getByRole('tab', { name: /Hooks/ }).click();
  await expect(settings).toContainText('plugin house');
  await settings.getByRole('tab', { name: 'Plugins' }).click();
  await plugin.getByRole('button', { name: /house/ }).click();
  await plugin.getByRole('button', { name: 'Turn off' }).click();
  await expect(plugin.getByRole('button', { name: 'Turn on' })).toBeVisible();
  await plugin.getByRole('button', { name: 'Remove', exact: true }).click();
  await expect(plugin.getByRole('button', { name: 'Install and use' })).toBeVisible();
});
