import { AppPage } from './support/app-page';
import { CLIPBOARD, expect, test } from './support/lathe';

test.use({ serveWords: ['--demo'], ...CLIPBOARD });
test.slow();

test('a terminal is copied as a whole by keys, and what was cleared stays away, also after a reload', async ({
  page,
  lathe,
}) => {
  const app = new AppPage(page);
  await app.openDemo(await lathe.link());
  await app.openShell();
  const screen = page.locator('[data-terminal]').first();
  const keys = page.locator('.xterm-helper-textarea').first();
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  /** Everything the terminal holds, by way of the clipboard. */
  const copied = async () => {
    await page.evaluate(() => navigator.clipboard.writeText(''));
    await screen.click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Select all' }).click();
    const copy = async () => {
      await keys.press('Control+Shift+C');
      return clipboard();
    };
    // A menu that closes takes the focus once more.
    await expect.poll(copy).not.toBe('');
    return clipboard();
  };

  await app.typeInTerminal("seq -f 'row-%g' 300; echo all-$((150 * 2))");
  await expect.poll(() => app.screenText()).toContain('all-300');
  // The menu comes by keyboard, too, and the program behind it hears nothing of the keys.
  for (const key of ['Shift+F10', 'ContextMenu']) {
    await keys.press(key);
    await expect(page.getByRole('menuitem', { name: 'Select all' })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('menu')).toBeHidden();
    await expect(keys).toBeFocused();
  }
  expect(await app.screenText()).not.toContain('21;2~');
  expect(await copied()).toMatch(/row-1\nrow-2\n[\s\S]*row-300\nall-300/);

  await page.getByRole('button', { name: 'Clear the screen' }).first().click();
  await expect.poll(() => app.screenText()).not.toContain('row-');
  await app.typeInTerminal('echo after-$((20 + 2))');
  await expect.poll(() => app.screenText()).toContain('after-22');
  expect(await copied()).not.toContain('row-');

  await page.reload();
  await expect.poll(() => app.screenText()).toContain('after-22');
  const kept = await copied();
  expect(kept).toContain('after-22');
  expect(kept).not.toContain('row-');
});

test('a terminal is at its end in a narrower window, too, where nobody scrolled', async ({
  page,
  lathe,
}) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  const app = new AppPage(page);
  await app.openDemo(await lathe.link());
  await app.openShell();
  await app.typeInTerminal(
    `for i in $(seq 100); do printf 'line-%s-%0110d\\n' $i 0; done; echo "the"-end`,
  );
  await expect.poll(() => app.screenText()).toContain('\nthe-end');
  await page.reload();
  await expect.poll(() => app.screenText()).toContain('\nthe-end');
  await page.setViewportSize({ width: 390, height: 750 });
  // The window puts the dock away first; before that the key would.
  await expect(page.getByRole('button', { name: 'Show the dock' })).toBeVisible();
  await page.keyboard.press('Control+j');
  const isAtEnd = async () => /\nthe-end\n.*[$#]/.test(await app.screenText());
  await expect.poll(isAtEnd).toBe(true);
  // It was there at first, and scrolled up once it was drawn.
  for (let frame = 0; frame < 60; frame += 1)
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(drawn)));
  expect(await isAtEnd()).toBe(true);
});
