import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FULL_PLUGIN, MARKETPLACE, putAll } from '../engine/plugins/support';
import { AppPage } from './support/app-page';
import { faults } from './support/faults';
import { expect, startLathe, test } from './support/lathe';

test.use({ serveWords: ['--demo'] });
test.slow();

test('--plugin-dir brings the plugin of a folder into the windows of one run', async ({
  page,
  home,
}) => {
  const folder = join(home, 'own');
  putAll(folder, FULL_PLUGIN);
  const lathe = await startLathe(home, ['--demo', '--plugin-dir', folder]);
  try {
    const app = new AppPage(page);
    await app.openDemo(await lathe.link());
    await app.send('/hooks');
    const settings = page.getByRole('dialog', { name: 'Settings' });
    await expect(settings).toContainText('plugin house');
    await page.keyboard.press('Escape');
    await app.composer.fill('/house:gr');
    await expect(page.getByRole('option', { name: /house:greet/ })).toBeVisible();
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
