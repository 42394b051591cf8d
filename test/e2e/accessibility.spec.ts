import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { AppPage } from './support/app-page';
import { expect, test } from './support/lathe';

test.use({ serveWords: ['--demo'] });
test.slow();

/** What a machine can find wrong with the screen as it stands: names, roles, contrast (WCAG AA). */
async function problems(page: Page): Promise<readonly string[]> {
  const { violations } = await new AxeBuilder({ page })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'])
    .analyze();
  return violations.flatMap((v) => v.nodes.map((n) => `${v.id}: ${n.target.join(' ')}: ${v.help}`));
}

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
      expect.soft(await problems(page)).toEqual([]);
      await page.getByRole('button', { name: /Try the offline demo/ }).click();
      await expect(page.getByRole('button', { name: 'Trust and open' })).toBeVisible();
      expect.soft(await problems(page)).toEqual([]);
      await page.getByRole('button', { name: 'Trust and open' }).click();
      await expect(app.composer).toBeVisible();
      expect.soft(await problems(page)).toEqual([]);
      await app.send('go');
      await app.question('npm test');
      expect.soft(await problems(page)).toEqual([]);
      await app.allowOnce('npm test');
      await app.question('src/clock.js');
      expect.soft(await problems(page)).toEqual([]);
    });
  });
}
