import type { Locator } from '@playwright/test';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { see } from '../../support/chromium';
import { type OpenScreen, openScreen } from '../../support/fake-host/open-screen';

let screen: OpenScreen;
beforeAll(async () => {
  screen = await openScreen();
});
afterAll(() => screen?.close());

const TITLES = {
  hebrew: 'תיקון ההפניה בכניסה למערכת ובדיקת כל הקישורים הישנים',
  english: 'Fix the redirect at the login and look at all of the older links',
};

/** Tells whether the first character of a text is in view within its box. */
const showsBeginning = (text: Locator): Promise<boolean> =>
  text.evaluate((element) => {
    const range = document.createRange();
    const [node] = element.childNodes;
    if (node === undefined) return false;
    range.setStart(node, 0);
    range.setEnd(node, 1);
    const [at, box] = [range.getBoundingClientRect(), element.getBoundingClientRect()];
    return at.left >= box.left - 1 && at.right <= box.right + 1;
  });

test.each(Object.entries(TITLES))(
  'a long %s title shows its beginning in the list and over the conversation',
  async (_, title) => {
    const page = await screen.open('busy');
    const engine = screen.host.engine();
    engine.setApp({ sessions: engine.app().sessions.map((one) => ({ ...one, title })) });
    const row = page.getByRole('navigation', { name: 'Sessions' }).getByTitle(title).last();
    await see(row).toBeVisible();
    expect(await showsBeginning(row)).toBe(true);
    // The menu takes no part of a letter away.
    await row.hover();
    const menu = page.getByRole('button', { name: `More for ${title}` }).last();
    await see(menu).toBeVisible();
    const [shown, over] = [await row.boundingBox(), await menu.boundingBox()];
    expect((shown?.x ?? 0) + (shown?.width ?? 0)).toBeLessThanOrEqual(over?.x ?? 0);
    await page.mouse.move(0, 0);
    engine.emit('s1', { type: 'title_changed', title });
    await page.setViewportSize({ width: 420, height: 800 });
    const heading = page.getByRole('heading', { name: title }).getByRole('button');
    await see(heading).toBeVisible();
    expect(await showsBeginning(heading)).toBe(true);
    expect(screen.errors).toEqual([]);
  },
);
