import type { Page } from '@playwright/test';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { see } from '../../support/chromium';
import { type OpenScreen, openScreen } from '../../support/fake-host/open-screen';

let screen: OpenScreen;
beforeAll(async () => {
  screen = await openScreen();
});
afterAll(() => screen?.close());

/** Keeps the addresses that the page opens instead of opening them. */
const keepOpened = (page: Page) =>
  page.evaluate(() => {
    const opened: string[] = [];
    Object.assign(window, { opened });
    window.open = (address) => {
      opened.push(String(address));
      return null;
    };
  });
const openedOn = (page: Page) => page.evaluate(() => Reflect.get(window, 'opened'));

test('a link that says another address than its own shows where it leads before it opens', async () => {
  const page = await screen.open('busy');
  const engine = screen.host.engine();
  const [some] = engine.app().terminals;
  if (some === undefined) throw new Error('The scenario has no terminals.');
  engine.setApp({ terminals: [{ ...some, id: 'lies', title: 'lies' }] });
  await keepOpened(page);
  const target = page.getByRole('status').filter({ hasText: 'https://…@collect.example/' });
  let middle: readonly [number, number] = [0, 0];
  // The terminal may still get its size, and looks for links when the pointer moves.
  const hover = async () => {
    const words = await page.getByText('https://docs.example').boundingBox();
    if (words === null) return false;
    await page.mouse.move(0, 0);
    middle = [words.x + words.width / 2, words.y + words.height / 2];
    await page.mouse.move(...middle);
    return target.waitFor({ timeout: 2_000 }).then(
      () => true,
      () => false,
    );
  };
  await see.poll(hover).toBe(true);
  await page.mouse.click(...middle);
  expect(await openedOn(page)).toEqual([]);
  await page.keyboard.down('Control');
  await page.mouse.click(...middle);
  await page.keyboard.up('Control');
  await see.poll(() => openedOn(page)).toEqual(['https://docs.example@collect.example/']);
});

test('what does not show in a paste is marked and asked about, also in a single line', async () => {
  const page = await screen.open('busy');
  await page.getByRole('tab', { name: 'zsh' }).click();
  await see(page.getByRole('region', { name: 'Terminals' })).toContainText('❯');
  const before = screen.host.typed();
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.setData('text/plain', 'echo safe\u202e\u200btxt');
    const target = document.querySelector('.xterm-helper-textarea');
    target?.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));
  });
  const dialog = page.getByRole('dialog', { name: 'Paste 1 line?' });
  await see(dialog).toContainText('It holds characters that do not show');
  await see(dialog).toContainText('U+202E');
  await see(dialog).toContainText('U+200B');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await see(dialog).toHaveCount(0);
  expect(screen.host.typed()).toBe(before);
});

/** Has the program print something: the fake one echoes what is typed. */
const print = (page: Page, data: string) =>
  page.evaluate((data) => {
    const typed = new InputEvent('input', { data, inputType: 'insertText', bubbles: true });
    document.querySelector('.xterm-helper-textarea')?.dispatchEvent(typed);
  }, data);

test('a paste is asked about again where its lines would run only since it waits', async () => {
  const page = await screen.open('busy');
  await page.getByRole('tab', { name: 'zsh' }).click();
  const terminals = page.getByRole('region', { name: 'Terminals', includeHidden: true });
  await see(terminals).toContainText('❯');
  await print(page, '\x1b[?2004hreads brackets');
  await see(terminals).toContainText('reads brackets');
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.setData('text/plain', 'echo a\u200b\necho b');
    const target = document.querySelector('.xterm-helper-textarea');
    target?.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));
  });
  const dialog = page.getByRole('dialog', { name: 'Paste 2 lines?' });
  await see(dialog).not.toContainText('act on each line');
  await print(page, '\x1b[?2004lreads none');
  await see(terminals).toContainText('reads none');
  await dialog.getByRole('button', { name: 'Paste' }).click();
  await see(dialog).toContainText('act on each line');
  expect(screen.host.typed()).not.toContain('echo b');
  await dialog.getByRole('button', { name: 'Paste' }).click();
  await see.poll(() => screen.host.typed()).toContain('echo a\u200b\recho b');
  expect(screen.host.typed()).not.toContain('\x1b[200~');
});

test('a paste that waits says that its terminal takes no input any more', async () => {
  const page = await screen.open('busy');
  await page.getByRole('tab', { name: 'zsh' }).click();
  await see(page.getByRole('region', { name: 'Terminals' })).toContainText('❯');
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.setData('text/plain', 'echo a\necho c');
    const target = document.querySelector('.xterm-helper-textarea');
    target?.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));
  });
  const dialog = page.getByRole('dialog', { name: 'Paste 2 lines?' });
  await see(dialog.getByRole('button', { name: 'Paste' })).toBeEnabled();
  await see(dialog.getByRole('alert')).toHaveCount(0);
  const engine = screen.host.engine();
  const terminals = engine.app().terminals.map((one) => ({ ...one, endedAt: one.startedAt }));
  engine.setApp({ terminals });
  await see(dialog.getByRole('alert')).toContainText('takes no input any more');
  await see(dialog.getByRole('button', { name: 'Paste' })).toBeDisabled();
  await see(dialog).toContainText('echo c');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await see(dialog).toHaveCount(0);
  expect(screen.host.typed()).not.toContain('echo c');
});
