import { accessibilityFaults } from '../support/accessibility';
import { AppPage } from './support/app-page';
import { expect, test } from './support/lathe';

test.use({ serveWords: ['--demo'] });
test.slow();

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme, reducedMotion: 'reduce' });

    test('each screen of the first run and of the work can be used by everyone', async ({
      page,
      lathe,
    }) => {
      const app = new AppPage(page);
      await page.goto(await lathe.link());
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
      await page.getByRole('button', { name: /Try the offline demo/ }).click();
      await expect(page.getByRole('button', { name: 'Trust and open' })).toBeVisible();
      expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
      await page.getByRole('button', { name: 'Trust and open' }).click();
      await expect(app.composer).toBeVisible();
      expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
      await app.send('go');
      await app.question('npm test');
      expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
      await app.allowOnce('npm test');
      await app.question('src/clock.js');
      expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
    });
  });
}
