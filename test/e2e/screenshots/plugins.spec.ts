import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FULL_PLUGIN, putAll } from '../../engine/plugins/support';
import { AppPage } from '../support/app-page';
import { expect, startLathe, test } from '../support/lathe';
import { picturePage } from '../support/picture';

test.slow();

/** A marketplace with a plugin of every kind of thing, one that is installed already, and a broken one. */
const TEAM: Readonly<Record<string, unknown>> = {
  '.claude-plugin/marketplace.json': {
    name: 'team',
    owner: { name: 'Ada' },
    plugins: ['house', 'release', 'notes'].map((name) => ({ name, source: `./${name}` })),
  },
  ...Object.fromEntries(
    Object.entries(FULL_PLUGIN).map(([name, content]) => [`house/${name}`, content]),
  ),
  'release/.claude-plugin/plugin.json': {
    name: 'release',
    version: '0.4.0',
    description: 'Makes releases of a package, with notes',
  },
  'release/commands/cut.md': '---\ndescription: Cuts a release\n---\nCut a release.',
  'notes/.claude-plugin/plugin.json': '{\n  "name": "my notes"\n}',
};

for (const scheme of ['light', 'dark'] as const) {
  test(`the pictures of plugins, ${scheme}`, async ({ browser }) => {
    const home = join(tmpdir(), `lathe-plugged-${scheme}`, 'ada');
    await rm(home, { recursive: true, force: true });
    putAll(join(home, 'team-plugins'), TEAM);
    const lathe = await startLathe(home, ['--demo']);
    const { page, shoot, close } = await picturePage(browser, scheme);
    try {
      const app = new AppPage(page);
      await app.openDemo(await lathe.link());
      await app.send('/plugins');
      const settings = page.getByRole('dialog', { name: 'Settings' });
      await settings.getByLabel('Add a marketplace').fill('~/team-plugins');
      await settings.getByRole('button', { name: 'Add', exact: true }).click();
      const plugins = settings.getByRole('list', { name: 'Plugins' }).locator('> li');
      await plugins
        .nth(1)
        .getByRole('button', { name: /release/ })
        .click();
      await plugins.nth(1).getByRole('button', { name: 'Install and use' }).click();
      await expect(plugins.nth(1).getByRole('button', { name: 'Turn off' })).toBeVisible();
      await plugins
        .nth(1)
        .getByRole('button', { name: /release/ })
        .click();
      await shoot('settings-plugins');
      await plugins.nth(0).getByRole('button', { name: /house/ }).click();
      await expect(plugins.nth(0)).toContainText('scripts/hello.sh');
      await shoot('settings-plugin-open');
    } finally {
      await close();
      await lathe.stop();
      await rm(home, { recursive: true, force: true });
    }
  });
}
