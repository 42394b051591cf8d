import type { Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFaults } from '../../support/accessibility';
import { see } from '../../support/chromium';
import { type OpenGallery, openGallery } from '../../support/gallery/open';

let gallery: OpenGallery;
beforeAll(async () => {
  gallery = await openGallery();
});
afterAll(() => gallery?.close());

/** Every variant of the dialog, and the screen around it. `split` shows an edit side by side. */
const SCENES =
  'command parts hidden longCommand edit multiEdit split mixedEdits create largeEdit read fetch connect connectOneOf lookalike tool question preview plan three running finished troubled kit'.split(
    ' ',
  );

const dialog = (page: Page) => page.getByRole('dialog');
const log = (page: Page) => page.locator('[data-log]');
const armed = (page: Page) => see(dialog(page)).toHaveAttribute('data-armed', 'true');

describe('ApprovalDialog', () => {
  it('denies with Esc at once, also from a button', async () => {
    const page = await gallery.open('command');
    await page.getByRole('button', { name: 'Allow always…' }).focus();
    await page.keyboard.press('Escape');
    await see(log(page)).toHaveText('{"id":"a_command","answer":{"behavior":"deny"}}');
  });

  it('Tab opens the reason, Esc leaves it, Enter sends it', async () => {
    const page = await gallery.open('command');
    await see(dialog(page)).toBeFocused();
    await page.keyboard.press('Tab');
    await see(page.getByLabel('What should Lathe do instead?')).toBeFocused();
    await page.keyboard.press('Escape');
    await see(dialog(page)).toBeFocused();
    await page.keyboard.press('Tab');
    await page.keyboard.type('Use pnpm');
    await page.keyboard.press('Enter');
    await see(log(page)).toHaveText(
      '{"id":"a_command","answer":{"behavior":"deny","message":"Use pnpm"}}',
    );
  });

  it('names the commands of the sandbox with the home folder short', async () => {
    const page = await gallery.open('connectOneOf');
    await see(dialog(page)).toContainText('markdownlint ~/shop/docs');
  });

  it('saves an edited rule in the chosen scope', async () => {
    const page = await gallery.open('command');
    await armed(page);
    await page.getByRole('button', { name: 'Allow always…' }).click();
    const field = page.getByLabel('From now on, do not ask for');
    await see(field).toHaveValue('Bash(git push origin main)');
    await field.fill('Bash(');
    await see(page.getByRole('alert')).toContainText('Write it as Tool');
    await see(page.getByRole('button', { name: 'Save rule and allow' })).toBeDisabled();
    await field.fill('Bash');
    await see(page.getByText('This allows every command without asking.')).toBeVisible();
    await field.fill('Bash(git push origin *)');
    await page.getByLabel('This session').check();
    await page.keyboard.press('Enter');
    await see(log(page)).toHaveText(
      '{"id":"a_command","answer":{"behavior":"allow","digest":"digest-c1","remember":{"rule":"Bash(git push origin *)","destination":"session"}}}',
    );
  });

  it('shows all of a long rule, which Enter saves as one line', async () => {
    const page = await gallery.open('command');
    await armed(page);
    await page.getByRole('button', { name: 'Allow always…' }).click();
    const field = page.getByLabel('From now on, do not ask for');
    const refs = Array.from({ length: 200 }, (_, at) => `quay-${at}`).join(' ');
    await field.fill(`Bash(git push origin ${refs})`);
    const isWhole = await field.evaluate(
      (e) => e.scrollWidth <= e.clientWidth && e.scrollHeight <= e.clientHeight,
    );
    expect(isWhole).toBe(true);
    // The buttons stay in view, with an edge over them.
    await see(dialog(page).locator('[data-more=true]')).toHaveCount(1);
    await field.fill('Bash(git push\n  origin *)');
    // Enter shows the rest of a question before it answers it.
    await see(dialog(page).locator('[data-more=true]')).toHaveCount(0);
    await field.press('Enter');
    await see(log(page)).toContainText('"rule":"Bash(git push origin *)"');
  });

  it('draws an edge over what was scrolled', async () => {
    const page = await gallery.open('longCommand');
    await see(dialog(page)).toBeFocused();
    await see(page.locator('[data-edge=above]')).toHaveCount(0);
    await page.keyboard.press('PageDown');
    await see(page.locator('[data-edge=above]')).toHaveCount(1);
  });

  it('keeps Tab inside, and lets the rest be reached and read', async () => {
    const page = await gallery.open('command');
    await see(dialog(page)).toBeFocused();
    for (let i = 0; i < 12; i += 1) {
      await page.keyboard.press('Tab');
      // Tab on the dialog itself opens the field for a reason; from there it goes round.
      expect(await dialog(page).evaluate((d) => d.contains(document.activeElement))).toBe(true);
    }
    await dialog(page).focus();
    await page.keyboard.press('Shift+Tab');
    expect(await dialog(page).evaluate((d) => d.contains(document.activeElement))).toBe(false);
    expect(await page.locator('[inert]').count()).toBe(0);
    await page.getByLabel('Message to Lathe').fill('meanwhile');
    await see(dialog(page)).toBeVisible();
  });

  it('moves through several questions and names the place', async () => {
    const page = await gallery.open('edit');
    await see(dialog(page)).toContainText('1 of 3');
    await page.keyboard.press('ArrowDown');
    await see(dialog(page)).toContainText('2 of 3');
    await see(dialog(page)).toHaveAccessibleName('Run a command');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await see(dialog(page)).toContainText('3 of 3');
    await page.keyboard.press('Escape');
    await see(log(page)).toContainText('a_read');
    await see(dialog(page)).toContainText('2 of 2');
  });

  it('shows the end of a long command before it can be approved', async () => {
    const page = await gallery.open('longCommand');
    await armed(page);
    await see(dialog(page)).toContainText(/\d+ more lines below/);
    await page.keyboard.press('Enter');
    await see(page.getByRole('button', { name: 'Allow once' })).toBeVisible();
    await see(log(page)).toBeEmpty();
    await armed(page);
    await page.keyboard.press('Enter');
    await see(log(page)).toContainText('"allow"');
  });

  it('draws what hides and where paths lead', async () => {
    const page = await gallery.open('hidden');
    await see(page.getByRole('img', { name: 'right-to-left override (U+202E)' })).toBeVisible();
    await see(page.getByText('400 spaces')).toBeVisible();
    await see(page.getByText('rm -rf "$HOME/')).toBeInViewport();
    await see(page.getByRole('button', { name: 'Allow always…' })).toHaveCount(0);
  });

  it('writes the path that a link leads to in one piece', async () => {
    const page = await gallery.open('edit');
    await see(dialog(page)).toContainText('leads to');
    const [, led] = /(leads to[\s\S]*?session\.ts)/.exec(await dialog(page).innerText()) ?? [];
    expect(led).toMatch(/^leads to \S*\/shared-auth\/session\.ts$/);
  });

  it('leaves the keys with a user who types into a terminal', async () => {
    const page = await gallery.open('running');
    await page.getByLabel('Terminal stand-in').focus();
    await page.evaluate(() => window.dispatchEvent(new Event('ask')));
    await see(dialog(page)).toBeVisible();
    await see(page.getByLabel('Terminal stand-in')).toBeFocused();
  });

  it.each(SCENES)('has no accessibility faults, light and dark: %s', async (scene) => {
    const page = await gallery.open(scene === 'split' ? 'multiEdit' : scene);
    if (scene === 'split') await page.getByRole('radio', { name: 'Side by side' }).click();
    await page.evaluate(() => document.fonts.ready.then(() => undefined));
    // What lies behind the dialog is looked at without it.
    const within = (await dialog(page).count()) > 0 ? { within: '[role=dialog]' } : {};
    expect(await accessibilityFaults(page, within)).toEqual([]);
    await gallery.darken();
    expect(await accessibilityFaults(page, { ...within, contrastOnly: true })).toEqual([]);
  });

  it('shows what has a fault', async () => {
    const page = await gallery.open('command');
    await armed(page);
    await dialog(page).evaluate((element) => {
      element.append(document.createElement('button'));
      element.insertAdjacentHTML('beforeend', '<p style="color:#777;background:#666">pale</p>');
    });
    const all = await accessibilityFaults(page, { within: '[role=dialog]' });
    expect(all.map((fault) => fault.split(' ')[0]).sort()).toEqual([
      'button-name',
      'color-contrast',
    ]);
    const contrast = await accessibilityFaults(page, { contrastOnly: true });
    expect(contrast).toHaveLength(1);
  });

  // Last, because the page's clock stays stopped.
  it('takes an answer only after the guard; typing that runs into it starts the guard again', async () => {
    const page = await gallery.open('kit');
    await page.clock.install({ time: 0 });
    await page.clock.pauseAt(1000);
    await gallery.open('command');
    await see(dialog(page)).toBeFocused();
    await page.getByRole('button', { name: 'Allow once' }).dispatchEvent('click');
    await page.keyboard.press('Enter');
    await page.clock.runFor(399);
    await page.keyboard.type('yes please');
    await page.clock.runFor(399);
    await page.keyboard.press('Enter');
    await see(log(page)).toBeEmpty();
    await page.clock.runFor(401);
    await armed(page);
    await page.keyboard.press('Enter');
    await see(log(page)).toHaveText(
      '{"id":"a_command","answer":{"behavior":"allow","digest":"digest-c1"}}',
    );
    await see(dialog(page)).toHaveCount(0);
  });

  it('threw nothing', () => expect(gallery.errors).toEqual([]));
});
