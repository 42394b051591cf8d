import type { Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { see } from '../../support/chromium';
import { type OpenGallery, openGallery } from '../../support/gallery/open';

let gallery: OpenGallery;
beforeAll(async () => {
  gallery = await openGallery();
});
afterAll(() => gallery?.close());

const dialog = (page: Page) => page.getByRole('dialog');
const armed = (page: Page) => see(dialog(page)).toHaveAttribute('data-armed', 'true');
const answers = (page: Page) =>
  page
    .locator('[data-log] li')
    .allTextContents()
    .then((lines) => lines.map((line) => JSON.parse(line)));
const allowed = (id: string, digest: string) => ({ id, answer: { behavior: 'allow', digest } });

describe('a dialog about several files', () => {
  it('answers all of them at once, each by its own digest', async () => {
    const page = await gallery.open('multiEdit');
    await see(dialog(page)).toHaveAccessibleName('Edit 2 files');
    await armed(page);
    await page.keyboard.press('Enter');
    await see
      .poll(() => answers(page))
      .toEqual([allowed('a_edit', 'digest-c2'), allowed('a_create', 'digest-create')]);
    await see(dialog(page)).toHaveCount(0);
  });

  it('walks the files by keyboard, denies one, allows one, and goes on to the next question', async () => {
    const page = await gallery.open('mixedEdits');
    await see(dialog(page)).toHaveAccessibleName('Edit 3 files');
    const files = page.getByRole('list', { name: 'Files' });
    await see(files).toContainText('changes a protected file');
    await see(files).toContainText('Files in .husky run by themselves');
    await see(page.getByRole('button', { name: 'Allow always…' })).toHaveCount(0);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await see(dialog(page).getByRole('status')).toContainText('3 of 3 files');
    await see(page.getByRole('region', { name: /Changes in .*husky/ })).toBeInViewport();
    await armed(page);
    await page.keyboard.press('Delete');
    await see(dialog(page)).toHaveAccessibleName('Edit 2 files');
    // The reasons left are the same, so they are told once, and a rule could be saved.
    await see(page.getByRole('button', { name: 'Allow always…' })).toBeVisible();
    await page.keyboard.press('ArrowUp');
    await armed(page);
    await page.keyboard.press('Control+Enter');
    await see(dialog(page)).toHaveAccessibleName('Create a file');
    await page.keyboard.press('ArrowDown');
    await see(dialog(page)).toHaveAccessibleName('Run a command');
    await see
      .poll(() => answers(page))
      .toEqual([{ id: 'a_guarded', answer: { behavior: 'deny' } }, allowed('a_edit', 'digest-c2')]);
  });

  it('THREATS 12: a file that arrives is part of no answer that did not show it', async () => {
    const page = await gallery.open('edit1');
    await armed(page);
    // The press was on its way when the other question came.
    await page.evaluate(() => {
      window.dispatchEvent(new Event('join'));
      const buttons = [...document.querySelectorAll('[role=dialog] button')];
      const allow = buttons.find((button) => button.textContent?.startsWith('Allow once'));
      if (allow instanceof HTMLElement) allow.click();
    });
    await see(dialog(page)).toHaveAccessibleName('Create a file');
    await see.poll(() => answers(page)).toEqual([allowed('a_edit', 'digest-c2')]);
  });

  it('a file that arrives starts the guard again, and keeps what was being written', async () => {
    const page = await gallery.open('edit1');
    await armed(page);
    await page.keyboard.press('Tab');
    await page.keyboard.type('Use the helper');
    const held = await page.evaluate(async () => {
      const shown = document.querySelector('[role=dialog]');
      const { promise, resolve } = Promise.withResolvers<void>();
      const watch = new MutationObserver(() => {
        if (shown?.textContent?.startsWith('Edit 2 files')) resolve();
      });
      watch.observe(document.body, { subtree: true, childList: true, characterData: true });
      window.dispatchEvent(new Event('join'));
      await promise;
      return shown?.getAttribute('data-armed');
    });
    expect(held).toBe('false');
    await see(dialog(page)).toHaveAccessibleName('Edit 2 files');
    await page.keyboard.press('Enter');
    const no = { behavior: 'deny', message: 'Use the helper' };
    await see
      .poll(() => answers(page))
      .toEqual([
        { id: 'a_edit', answer: no },
        { id: 'a_create', answer: no },
      ]);
  });

  it('colours the code of both sides, and leaves the changed words to stand out', async () => {
    const page = await gallery.open('edit1');
    const diff = page.getByRole('region', { name: /^Changes in/ });
    await see(diff.locator('[style*="--code-token-keyword"]').first()).toBeVisible();
    expect(await diff.locator('.bg-added-strong[style*="--code-token"]').count()).toBe(0);
    const colours = (row: string) => diff.locator(`${row} [style*="--code-token"]`).count();
    await see.poll(() => colours('.bg-added')).toBeGreaterThan(0);
    await see.poll(() => colours('.bg-removed')).toBeGreaterThan(0);
  });

  it('shows the body of a here-document in its own language, whole and foldable', async () => {
    const page = await gallery.open('heredoc');
    const body = dialog(page).getByRole('button', { name: /^Text for tools\/load\.py/ });
    await see(body).toHaveAttribute('aria-expanded', 'true');
    await see(
      dialog(page).locator('[style*="--code-token-keyword"]', { hasText: 'import' }).first(),
    ).toBeVisible();
    // Nothing is allowed before its end was seen.
    await see(page.getByRole('button', { name: 'Show the rest' })).toBeVisible();
    await body.click();
    await see(body).toHaveAttribute('aria-expanded', 'false');
    await see(dialog(page)).toContainText('python3 tools/load.py --check');
  });

  it('threw nothing', () => expect(gallery.errors).toEqual([]));
});
