import type { Page } from '@playwright/test';
import { accessibilityFaults } from '../support/accessibility';
import { error, hold, reply, text, toolUse } from '../support/scripted-api-replies';
import { AppPage } from './support/app-page';
import { expect, test } from './support/lathe';
import { gate, played, writeFiles } from './support/scripted-app';

test.slow();

const DIALOG = '[role="dialog"]';

/** Sizes of the page besides the usual one: a narrow window, and 200 % zoom, which halves what there is. CSS pixels. */
const NARROW = { width: 800, height: 800 };
const ZOOMED = { width: 640, height: 400 };

/**
 * Returns what is wrong with `within` in both themes and at all sizes, best practices too; waits until nothing moves on
 * the page.
 */
async function faults(page: Page, within: string): Promise<readonly string[]> {
  const usual = page.viewportSize();
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  const found = [...(await accessibilityFaults(page, { within }))];
  for (const size of [ZOOMED, NARROW]) {
    await page.setViewportSize(size);
    // The page follows its size with the next frames.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (wide > 0) found.push(`at ${size.width} the page is ${wide} px too wide`);
    if (size === NARROW) await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    const look = size === NARROW ? { contrastOnly: true } : { withoutContrast: true };
    const some = await accessibilityFaults(page, { within, ...look });
    found.push(...some.map((fault) => `at ${size.width}: ${fault}`));
  }
  if (usual) await page.setViewportSize(usual);
  const moving = () =>
    page.evaluate(() =>
      document
        .getAnimations()
        .filter(({ playState }) => playState === 'running')
        .map((one) => ('animationName' in one ? String(one.animationName) : 'transition')),
    );
  await expect.poll(moving).toEqual([]);
  return found;
}

test('nothing serious or moderate is wrong with any state, and nothing moves for who asked for that', async ({
  page,
  lathe,
}) => {
  const running = gate();
  const script = [
    reply([
      'A [link](https://example.com), `src/auth.ts` and\n\n```ts\nconst a = 1;\n```\n\n',
      '| a | b |\n|---|---|\n| 1 | 2 |\n',
      toolUse('Bash', { command: 'sleep 600', run_in_background: true }),
    ]),
    reply('It runs.'),
    reply([text('Looking.'), hold(running.opened), text('Seen.')]),
    error(400, 'no credit'),
  ];
  await played({ page, lathe }, script, async (app, _api, folder) => {
    await writeFiles(folder, { 'src/auth.ts': 'export const a = 1;\n' });
    const check = async (state: string, within = 'body') =>
      expect.soft(await faults(page, within), state).toEqual([]);
    await check('empty');
    await app.send('begin');
    await expect(app.conversation).toContainText('It runs.');
    await check('conversation and tasks');
    const dialogs = [
      ['Control+k', 'palette'],
      ['Control+p', 'finder'],
      ['Control+/', 'key help'],
      ['Control+Shift+M', 'models'],
      ['Control+r', 'prompts'],
      ['Control+o', 'folder'],
    ] as const;
    for (const [keys, state] of dialogs) {
      await app.composer.focus();
      await page.keyboard.press(keys);
      await expect(page.getByRole('dialog')).toBeVisible();
      await check(state, DIALOG);
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toBeHidden();
    }
    await app.conversation.getByRole('button', { name: 'src/auth.ts' }).click();
    await expect(page.getByRole('dialog', { name: 'src/auth.ts' })).toBeVisible();
    await check('viewer', DIALOG);
    await page.keyboard.press('Escape');

    await app.composer.focus();
    await page.keyboard.press('Control+,');
    const tabs = page.getByRole('tablist', { name: 'Settings' }).getByRole('tab');
    await expect(tabs).toHaveCount(12);
    for (const one of await tabs.all()) {
      await one.click();
      await check(`settings: ${await one.innerText()}`, DIALOG);
    }
    // Where the system chooses the colours, what is chosen has a frame.
    await page.emulateMedia({ forcedColors: 'active' });
    const outline = (of: typeof tabs) => of.evaluate((e) => getComputedStyle(e).outlineStyle);
    expect(await outline(tabs.last())).toBe('solid');
    expect(await outline(tabs.nth(1))).toBe('none');
    await page.emulateMedia({ forcedColors: 'none' });
    await page.keyboard.press('Escape');

    await app.composer.focus();
    await page.keyboard.press('Control+`');
    await expect(page.locator('.xterm-helper-textarea').last()).toBeFocused();
    await page.keyboard.press('Control+Shift+O');
    await expect(app.terminals.locator('.xterm')).toHaveCount(2);
    await check('split terminals');
    await page.keyboard.press('Control+Shift+F');
    await page.keyboard.type('beg');
    await check('session search');
    await app.send('look');
    await expect(app.conversation).toContainText('Looking.');
    await app.send('wait');
    await expect(page.getByRole('list', { name: 'Queued prompts' })).toContainText('wait');
    await check('running, with a queue');
    running.open();
    await expect(app.conversation).toContainText('no credit');
    await check('error card');
    const goOn = lathe.freeze();
    try {
      await expect(page.getByText(/What you send waits here/)).toBeVisible();
      await check('disconnected');
    } finally {
      goOn();
    }
  });
});

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme, reducedMotion: 'reduce', serveWords: ['--demo'] });

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
