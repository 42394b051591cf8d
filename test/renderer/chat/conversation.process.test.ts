import type { Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { see } from '../../support/chromium';
import { type OpenGallery, openGallery } from '../../support/gallery/open';

let gallery: OpenGallery;
beforeAll(async () => {
  gallery = await openGallery();
});
afterAll(() => gallery?.close());

const scroller = (page: Page) => page.getByRole('region', { name: 'Conversation' });
const toEnd = (page: Page) =>
  scroller(page).evaluate((e) => e.scrollHeight - e.clientHeight - e.scrollTop);
/** Returns by how many pixels the conversation scrolls in so many frames. */
const movedInFrames = (page: Page, frames: number) =>
  scroller(page).evaluate(async (e, count) => {
    const before = e.scrollTop;
    for (let i = 0; i < count; i += 1) await new Promise(requestAnimationFrame);
    return Math.abs(e.scrollTop - before);
  }, frames);
const log = (page: Page) => page.locator('[data-log]');
const composer = (page: Page) => page.getByLabel('Message to Lathe');

describe('Conversation', () => {
  it('opens 9 000 rows at the end with few of them in the page', async () => {
    const page = await gallery.open('long');
    await see(page.getByText('Question 3000:')).toBeVisible();
    await see.poll(() => toEnd(page)).toBeLessThan(2);
    expect(await page.locator('article').count()).toBeLessThan(40);
    await scroller(page).focus();
    await page.keyboard.press('Home');
    await see(page.getByText('Question 1:')).toBeVisible();
    await page.getByRole('button', { name: 'To the end' }).click();
    await see(page.getByText('Question 3000:')).toBeVisible();
  });

  it('keeps a listing folded whose row has left the page', async () => {
    const page = await gallery.open('listing');
    const fold = page.getByRole('button', { name: 'Fold code' });
    await fold.click();
    await see(fold).toHaveAttribute('aria-pressed', 'true');
    await scroller(page).focus();
    await page.keyboard.press('Home');
    await see(page.getByText('Question 1:')).toBeVisible();
    await see(fold).toHaveCount(0);
    await page.keyboard.press('End');
    await see(fold).toHaveAttribute('aria-pressed', 'true');
    await page.getByRole('button', { name: 'Show all 60 lines' }).click();
    await see(fold).toHaveAttribute('aria-pressed', 'false');
  });

  it('folds one of several equal listings, and no other once its row has left the page', async () => {
    const page = await gallery.open('sameListings');
    const folds = page.getByRole('button', { name: 'Fold code' });
    await folds.nth(1).click();
    const pressed = () =>
      folds.evaluateAll((all) => all.map((fold) => fold.getAttribute('aria-pressed')));
    await see.poll(pressed).toEqual(['false', 'true', 'false']);
    await scroller(page).focus();
    await page.keyboard.press('Home');
    await see(page.getByText('Question 1:')).toBeVisible();
    await see(folds).toHaveCount(0);
    await page.keyboard.press('End');
    await see.poll(pressed).toEqual(['false', 'true', 'false']);
  });

  it('takes in the earlier rows of a long conversation where nobody sees it', async () => {
    const page = await gallery.open('late');
    const earlier = () => page.evaluate(() => window.dispatchEvent(new Event('earlier')));
    const topOf = (text: string) =>
      page.getByText(text).evaluate((e) => e.getBoundingClientRect().top);
    await see.poll(() => toEnd(page)).toBeLessThan(2);
    const height = await scroller(page).evaluate((e) => e.scrollHeight);
    await scroller(page).hover();
    await page.mouse.wheel(0, -1500);
    await see(page.getByRole('button', { name: 'To the end' })).toBeVisible();
    const inView = () =>
      page
        .getByText(/^Question \d+:/)
        .evaluateAll(
          (all) =>
            all.find((e) => e.getBoundingClientRect().top > 100)?.textContent?.split(':')[0] ?? '',
        );
    await see.poll(inView).toMatch(/^Question 29\d\d$/);
    const asked = `${await inView()}:`;
    const before = await topOf(asked);
    await earlier();
    await see
      .poll(() => scroller(page).evaluate((e) => e.scrollHeight))
      .toBeGreaterThan(height * 10);
    await see.poll(async () => Math.abs((await topOf(asked)) - before)).toBeLessThan(2);
    // None of them is new.
    await page.getByRole('button', { name: 'To the end' }).click();
    await see.poll(() => toEnd(page)).toBeLessThan(2);
    await see(page.getByText('Question 3000:')).toBeVisible();

    const other = await gallery.open('late');
    await see.poll(() => toEnd(other)).toBeLessThan(2);
    await scroller(other).focus();
    await other.keyboard.press('Home');
    await see(other.getByText('Question 2971:')).toBeVisible();
    await other.evaluate(() => window.dispatchEvent(new Event('earlier')));
    await see(other.getByText('Question 1:')).toBeVisible();

    const end = await gallery.open('late');
    await see.poll(() => toEnd(end)).toBeLessThan(2);
    await end.evaluate(() => window.dispatchEvent(new Event('earlier')));
    await see
      .poll(() => scroller(end).evaluate((e) => e.scrollHeight))
      .toBeGreaterThan(height * 10);
    await see.poll(() => toEnd(end)).toBeLessThan(2);
    await see(end.getByText('Question 3000:')).toBeVisible();
  });

  it('follows what streams in, and lets go when the user scrolls up', async () => {
    const page = await gallery.open('stream');
    // Low, so that there is much to scroll.
    await page.setViewportSize({ width: 1280, height: 500 });
    await see(page.getByText('How prices are cached')).toBeVisible();
    // There is something to scroll, and its end is shown.
    await see.poll(() => scroller(page).evaluate((e) => e.scrollTop)).toBeGreaterThan(100);
    await see.poll(() => toEnd(page)).toBeLessThan(2);
    await scroller(page).hover();
    await page.mouse.wheel(0, -400);
    await see(page.getByRole('button', { name: /new|To the end/ })).toBeVisible();
    // The wheel scrolls over several frames, and the rows that come into the page get their sizes then.
    await see.poll(() => movedInFrames(page, 10)).toBe(0);
    const top = await scroller(page).evaluate((e) => e.scrollTop);
    await page.evaluate(() => window.dispatchEvent(new Event('more')));
    await see(page.getByRole('button', { name: '1 new' })).toBeVisible();
    // On a machine in use the wheel's last step, or the size of a row, may come later still: some pixels.
    const moved = (await scroller(page).evaluate((e) => e.scrollTop)) - top;
    expect(Math.abs(moved)).toBeLessThan(20);
    await page.getByRole('button', { name: '1 new' }).click();
    await see.poll(() => toEnd(page)).toBeLessThan(2);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('keeps what is selected when an answer that streams in gets long', async () => {
    const page = await gallery.open('longStream');
    // High, so that no row leaves the page.
    await page.setViewportSize({ width: 1280, height: 6000 });
    const paragraphs = scroller(page).locator('.prose[aria-busy] p');
    await see.poll(() => paragraphs.count()).toBeGreaterThan(4);
    // What is written no longer: the last two may still change.
    const first = await paragraphs.nth(1).elementHandle();
    await first?.evaluate((p) => window.getSelection()?.selectAllChildren(p));
    const selected = () => page.evaluate(() => String(window.getSelection()));
    const before = await selected();
    expect(before.length).toBeGreaterThan(20);
    await see.poll(() => scroller(page).locator('.prose-follows').count()).toBeGreaterThan(0);
    expect(await first?.evaluate((p) => p.isConnected)).toBe(true);
    expect(await selected()).toBe(before);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('opens and closes a call with → and ←, and shows live lines only while closed', async () => {
    const page = await gallery.open('running');
    const row = page.getByRole('button', { name: /^running Bash/ });
    await see(page.locator('[data-live-tail]')).toContainText('auth.test.ts');
    await row.focus();
    await page.keyboard.press('ArrowRight');
    await see(row).toHaveAttribute('aria-expanded', 'true');
    await see(page.locator('[data-live-tail]')).toHaveCount(0);
    await page.getByRole('button', { name: 'Move to background' }).click();
    await see(log(page)).toContainText('{"type":"background","callId":"c_run"}');
    await row.focus();
    await page.keyboard.press('ArrowLeft');
    await see(row).toHaveAttribute('aria-expanded', 'false');
  });

  it('stops one running call, by the keyboard too', async () => {
    const page = await gallery.open('running');
    const stop = page.getByRole('button', { name: 'Stop Bash npm test' });
    await see(stop).toHaveCount(1);
    await page.getByRole('button', { name: /^running Bash/ }).focus();
    await page.keyboard.press('Tab');
    await see(stop).toBeFocused();
    await page.keyboard.press('Enter');
    await see(log(page)).toContainText('{"type":"cancelCall","callId":"c_run"}');
  });

  it('colours code when it is finished and asks nothing of the network', async () => {
    const page = await gallery.open('finished');
    const outside: string[] = [];
    page.on('request', (request) => {
      if (new URL(request.url()).hostname !== '127.0.0.1') outside.push(request.url());
    });
    await see(page.locator('code span[style*="--code-token"]').first()).toBeVisible();
    // Beside the page, which never reads a grammar itself.
    await see.poll(() => page.workers().length).toBe(1);
    await page.getByRole('button', { name: 'Wrap lines' }).first().click();
    expect(outside).toEqual([]);
  });

  it('has no sideways scrolling at 200 % zoom', async () => {
    const page = await gallery.open('finished');
    await page.setViewportSize({ width: 640, height: 400 });
    const wider = () => scroller(page).evaluate((e) => e.scrollWidth - e.clientWidth);
    await see.poll(wider).toBe(0);
    await page.setViewportSize({ width: 1280, height: 800 });
  });
});

describe('Composer', () => {
  it('sends with Enter, makes lines with Shift+Enter, steers with Ctrl+Enter', async () => {
    const page = await gallery.open('running');
    await composer(page).fill('one');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('two');
    await page.keyboard.press('Enter');
    await see(log(page)).toContainText('{"submit":"one\\ntwo","priority":"next"}');
    await see(composer(page)).toHaveValue('');
    await page.keyboard.press('Enter');
    await composer(page).fill('left');
    await page.keyboard.press('Control+Enter');
    await see(log(page)).toContainText('{"submit":"left","priority":"now"}');
    await see(log(page).locator('li')).toHaveCount(2);
  });

  it('takes back what is queued, recalls history, and stops with Esc', async () => {
    const page = await gallery.open('running');
    await composer(page).fill('');
    await page.keyboard.press('ArrowUp');
    await see(log(page)).toContainText('{"kind":"takeBack","id":"p1"}');
    await page.keyboard.press('Escape');
    await see(log(page)).toContainText('"stop"');

    const idle = await gallery.open('finished');
    await composer(idle).fill('draft');
    await idle.keyboard.press('Home');
    await idle.keyboard.press('ArrowUp');
    await see(composer(idle)).toHaveValue('second prompt\nwith two lines');
    await idle.keyboard.press('ArrowUp');
    await idle.keyboard.press('ArrowUp');
    await see(composer(idle)).toHaveValue('first prompt');
    await idle.keyboard.press('Escape');
    await see(composer(idle)).toHaveValue('draft');
  });

  it('lets a choice wait for a slow finder, and drops it when something else is typed', async () => {
    const page = await gallery.open('finished');
    const answer = () => page.evaluate(() => window.dispatchEvent(new Event('found')));
    await composer(page).fill('');
    await composer(page).pressSequentially('see @aut');
    await page.keyboard.press('Enter');
    await see(composer(page)).toHaveValue('see @aut');
    await answer();
    await see(composer(page)).toHaveValue('see @src/auth.ts ');

    await composer(page).pressSequentially('and @gui');
    await page.keyboard.press('Tab');
    await composer(page).press('Backspace');
    await answer();
    await see(page.getByRole('listbox', { name: 'Files' })).toContainText('guide.md');
    await see(composer(page)).toHaveValue('see @src/auth.ts and @gu');

    // With nothing to choose, Enter sends as it would without the list.
    await composer(page).fill('');
    await composer(page).pressSequentially('mail @nobody');
    await page.keyboard.press('Enter');
    await answer();
    await see(log(page)).toContainText('{"submit":"mail @nobody","priority":"next"}');
  });

  it('grows with its text to a limit, and takes a large paste', async () => {
    const page = await gallery.open('finished');
    const height = () => composer(page).evaluate((e) => e.clientHeight);
    const one = await height();
    await composer(page).fill('a\nb\nc\nd');
    await see.poll(height).toBeGreaterThan(one);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.evaluate(() =>
      navigator.clipboard.writeText('line of pasted text\n'.repeat(20_000)),
    );
    await composer(page).press('Control+A');
    await composer(page).press('Control+V');
    await see
      .poll(() => composer(page).evaluate((e) => (e as HTMLTextAreaElement).value.length))
      .toBe(400_000);
    const limit = await page.evaluate(() => window.innerHeight * 0.4);
    await see.poll(height).toBeLessThanOrEqual(limit + 1);
    await page.keyboard.press('Enter');
    await see(log(page)).toContainText('line of pasted text');
  });

  it('threw nothing', () => expect(gallery.errors).toEqual([]));
});
