import type { Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accessibilityFaults } from '../../support/accessibility';
import { see } from '../../support/chromium';
import { type OpenScreen, openScreen } from '../../support/fake-host/open-screen';

let screen: OpenScreen;
beforeAll(async () => {
  screen = await openScreen();
});
afterAll(() => screen?.close());

const PROJECT = '/home/ada/work/tidewater';
const heading = (page: Page, name: RegExp) => page.getByRole('heading', { level: 1, name });
const composer = (page: Page) => page.getByRole('textbox', { name: 'Message to Lathe' });
const status = (page: Page) => page.getByRole('contentinfo', { name: 'Status' });

async function goTo(page: Page, path: string) {
  const field = page.getByRole('textbox', { name: 'Path' });
  // The first listing fills it in; on a machine in use that would come in between.
  await see(field).not.toHaveValue('');
  await field.fill(path);
  await page.keyboard.press('Enter');
}

/** The words at the message box that say what becomes of a message without a connection. */
const offline = (page: Page) => page.getByRole('status').filter({ hasText: 'Not connected.' });

describe('first run', () => {
  test('folder, trust, connection, workbench; every step goes back', async () => {
    const page = await screen.open('fresh');
    await goTo(page, PROJECT);
    await page.getByRole('button', { name: 'Open this folder' }).click();
    await see(heading(page, /Do you trust tidewater/)).toBeFocused();
    await see(page.getByText('npx prettier --write "$FILE"')).toBeVisible();
    await page.getByRole('button', { name: 'Back' }).click();
    await see(heading(page, /Which folder/)).toBeVisible();
    await page.getByRole('button', { name: /^tidewater/ }).click();
    await page.getByRole('button', { name: 'Open without trusting' }).click();
    await see(heading(page, /Connect to a model/)).toBeVisible();
    await page.getByRole('button', { name: 'Back' }).click();
    await see(heading(page, /Do you trust/)).toBeVisible();
    await page.getByRole('button', { name: 'Trust and open' }).click();
    await page.getByLabel('API key').fill('wrong');
    await page.keyboard.press('Enter');
    await see(page.getByRole('alert').filter({ hasText: 'refused' })).toBeVisible();
    await page.getByLabel('API key').fill('sk-right');
    await page.keyboard.press('Enter');
    await see(composer(page)).toBeFocused();
  });

  test('a folder that is not there: said in place, what was shown is kept', async () => {
    const page = await screen.open('fresh');
    await see(page.getByRole('button', { name: 'Documents' })).toBeVisible();
    await goTo(page, '~/nowhere');
    await see(page.getByRole('alert')).toContainText('/home/ada/nowhere does not exist.');
    await see(page.getByRole('button', { name: 'Documents' })).toBeVisible();
  });

  test('what is typed while a folder is looked at stays', async () => {
    const page = await screen.open('fresh');
    const field = page.getByRole('textbox', { name: 'Path' });
    await see(field).toHaveValue('/home/ada');
    await field.evaluate((input: HTMLInputElement) => {
      input.form?.requestSubmit();
      const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value') ?? {};
      set?.call(input, '/home/ada/work');
      input.dispatchEvent(new Event('input', { bubbles: true }));
    });
    await see(page.getByRole('button', { name: 'Go', exact: true })).not.toHaveAttribute(
      'aria-busy',
      'true',
    );
    await see(field).toHaveValue('/home/ada/work');
  });

  test('a relative path leads from the folder on screen', async () => {
    const page = await screen.open('fresh');
    const field = page.getByRole('textbox', { name: 'Path' });
    await see(field).toHaveValue('/home/ada');
    await goTo(page, 'work');
    await see(field).toHaveValue('/home/ada/work');
    await goTo(page, '../notes/');
    await see(field).toHaveValue('/home/ada/notes');
  });

  test('the folder list walks by keyboard', async () => {
    const page = await screen.open('fresh');
    await page.getByRole('button', { name: 'work', exact: true }).focus();
    await page.keyboard.press('Enter');
    await see(page.getByRole('textbox', { name: 'Path' })).toHaveValue('/home/ada/work');
    await page.getByRole('button', { name: 'Up one folder' }).focus();
    await page.keyboard.press('ArrowDown');
    await see(page.getByRole('button', { name: 'almanac' })).toBeFocused();
    await page.keyboard.press('Backspace');
    await see(page.getByRole('textbox', { name: 'Path' })).toHaveValue('/home/ada');
  });

  test('the demo comes first when asked for, and leads through the trust question', async () => {
    const page = await screen.open('demo');
    await page.getByRole('button', { name: /Try the offline demo/ }).click();
    await see(heading(page, /Do you trust sample-project/)).toBeVisible();
    await page.getByRole('button', { name: 'Trust and open' }).click();
    await see(status(page)).toContainText('Offline demo');
  });

  test('a page that is not admitted says which link to open', async () => {
    screen.host.drop(true);
    const page = await screen.open('fresh');
    await see(heading(page, /Open the link Lathe printed/)).toBeVisible();
    screen.host.admit();
  });
});

describe('workbench', () => {
  test('a lost line: said so, the draft kept, nothing lost or doubled after', async () => {
    const page = await screen.open('busy');
    await see(status(page)).toContainText('connected');
    await composer(page).fill('half a thought');
    const { host } = screen;
    const say = (text: string) =>
      host.engine().emit('s1', { type: 'notice', level: 'info', code: 'test', text });
    say('before');
    await see(page.getByText('before', { exact: true })).toBeVisible();
    host.leave();
    say('meanwhile');
    await see(status(page)).toContainText('reconnecting…');
    await see(offline(page)).toBeVisible();
    host.admit();
    await see(page.getByText('meanwhile')).toHaveCount(1);
    await see(status(page)).toContainText('connected');
    await see(offline(page)).toBeHidden();
    await see(page.getByText('before', { exact: true })).toHaveCount(1);
    await see(composer(page)).toHaveValue('half a thought');
    await page.reload();
    await see(composer(page)).toHaveValue('half a thought');
  });

  test('a full disk is told for as long as it lasts', async () => {
    const page = await screen.open('busy');
    const say = (code: string, text: string) =>
      screen.host.engine().emit('s1', { type: 'notice', level: 'error', code, text });
    const banner = page.getByRole('region', { name: 'Not saved' });
    await see(status(page)).toContainText('connected');
    await see(banner).toHaveCount(0);
    say('log_write_failed', 'No space left on the disk of /logs.');
    await see(banner.getByRole('alert')).toContainText('No space left on the disk of /logs.');
    for (let n = 0; n < 40; n += 1) say('test', `line ${n}`);
    await see(page.getByText('line 39', { exact: true })).toBeVisible();
    await see(banner).toBeInViewport();
    expect(await accessibilityFaults(page, { within: '[aria-label="Not saved"]' })).toEqual([]);
    say('log_write_recovered', 'Saved again.');
    await see(banner).toHaveCount(0);
  });

  test('the model menu: effort, thinking as the model knows it, limits, by keyboard', async () => {
    const page = await screen.open('busy');
    const asked = (input: object) =>
      see
        .poll(() => screen.host.engine().calls.findLast((c) => c.path === 'session.configure'))
        .toEqual({ path: 'session.configure', input: { sessionId: 's1', ...input } });
    const changed = () =>
      screen.host.engine().calls.filter((c) => c.path === 'session.configure').length;
    const menu = page.getByRole('dialog', { name: 'Model, thinking and limits' });
    const opener = status(page).getByRole('button', {
      name: 'Model: Claude Opus 5.5 · High',
    });
    await opener.press('Enter');
    await see(menu.getByRole('button', { name: /^Model:/ })).toBeFocused();
    await see(menu).toContainText('This model always thinks');
    await see(menu.getByRole('radio', { name: 'Off' })).toHaveCount(0);
    expect.soft(await accessibilityFaults(page, { without: '.xterm' })).toEqual([]);
    await menu.getByRole('radio', { name: 'Low' }).press('Enter');
    await asked({ effort: 'low' });

    const turns = menu.getByRole('textbox', { name: 'Turns' });
    await turns.fill('many');
    await turns.press('Enter');
    await see(menu.getByRole('alert')).toHaveText('Enter a whole number from 1 on, or nothing.');
    const before = changed();
    await turns.fill('20');
    await turns.press('Enter');
    await asked({ limits: { maxTurns: 20 } });
    await turns.press('Tab');
    screen.host.engine().emit('s1', {
      type: 'limits_changed',
      limits: { maxTurns: 20, maxBudgetUsd: null },
    });
    await see(menu.getByRole('textbox', { name: 'Dollars' })).toBeFocused();
    await page.keyboard.type('2,50');
    await page.keyboard.press('Escape');
    await see(menu).toBeHidden();
    await see(opener).toBeFocused();
    await asked({ limits: { maxBudgetUsd: 2.5 } });
    expect(changed() - before).toBe(2);

    screen.host.engine().emit('s1', { type: 'model_changed', model: 'claude-sonnet-5-5' });
    await composer(page).fill('/limits');
    await page.keyboard.press('Enter');
    await menu.getByRole('radio', { name: 'Off' }).click();
    await asked({ thinking: 'disabled' });
    screen.host.engine().emit('s1', { type: 'thinking_changed', thinking: 'disabled' });
    await see(menu.getByRole('radio', { name: 'Off' })).toBeChecked();
    await see(menu).toContainText('Answers at once');

    screen.host.engine().emit('s1', { type: 'model_changed', model: 'claude-haiku-5-5' });
    await see(menu).toContainText('This model has no effort levels.');
    await menu.getByRole('radio', { name: 'Budget' }).click();
    await asked({ thinking: { budgetTokens: 4000 } });
    screen.host.engine().emit('s1', { type: 'thinking_changed', thinking: { budgetTokens: 4000 } });
    const budget = menu.getByRole('textbox', { name: 'Tokens of thinking' });
    await see(budget).toHaveValue('4000');
    expect.soft(await accessibilityFaults(page, { without: '.xterm' })).toEqual([]);
    await budget.fill('900');
    await budget.press('Enter');
    await see(menu.getByRole('alert')).toHaveText('Enter a whole number from 1024 on.');
    await budget.fill('6000');
    await budget.press('Enter');
    await asked({ thinking: { budgetTokens: 6000 } });
  });

  test('keys: palette, modes, dock, help, settings', async () => {
    const page = await screen.open('busy');
    await composer(page).press('Shift+Tab');
    await see
      // Other calls may come at any moment.
      .poll(() => screen.host.engine().calls.filter((c) => c.path === 'session.configure'))
      .toEqual([{ path: 'session.configure', input: { sessionId: 's1', mode: 'acceptEdits' } }]);
    const dialog = page.getByRole('dialog');
    const left = () =>
      // The first Escape may close the hint of the button that has the focus.
      see(async () => {
        await page.keyboard.press('Escape');
        await see(dialog).toHaveCount(0, { timeout: 5_000 });
      }).toPass({ timeout: 60_000 });
    await page.keyboard.press('Control+k');
    await see(dialog.getByRole('combobox')).toBeFocused();
    await page.keyboard.type('changes of');
    await see(dialog.getByRole('option', { selected: true })).toContainText(/changes/i);
    await page.keyboard.press('Enter');
    await see(page.getByRole('tab', { name: 'Changes' })).toHaveAttribute('aria-selected', 'true');
    await page.keyboard.press('Control+j');
    await see(page.getByRole('tab', { name: 'Changes' })).toBeHidden();
    await page.keyboard.press('Control+/');
    await see(page.getByRole('dialog', { name: 'Keys' })).toBeVisible();
    await left();
    await page.keyboard.press('Control+Shift+M');
    await see(page.getByRole('option', { name: /Sonnet/ })).toBeVisible();
    await left();
    expect(screen.host.engine().calls.map((c) => c.path)).not.toContain('session.stop');
    await composer(page).press('Control+.');
    await see.poll(() => screen.host.engine().calls.map((c) => c.path)).toContain('session.stop');
  });

  test('the session search: Enter takes the first, ↓ goes into the list, Esc empties it', async () => {
    const page = await screen.open('busy', { forcedColors: 'active' });
    await see(composer(page)).toBeVisible();
    const rows = page.locator('[data-session-row]');
    const search = page.getByRole('searchbox');
    // Rows that come meanwhile change which is the second.
    await see(async () => {
      const second = (await rows.nth(1).textContent()) ?? '';
      await search.fill(second.slice(0, 12));
      await see(rows).toHaveCount(1, { timeout: 5_000 });
    }).toPass({ timeout: 60_000 });
    await page.keyboard.press('Enter');
    await see(rows.first()).toHaveAttribute('aria-current', 'page');
    // Where the system chooses the colours, what is chosen has a frame.
    await see(rows.first()).toHaveCSS('outline-style', 'solid');
    await search.press('Escape');
    await see(search).toHaveValue('');
    await search.press('ArrowDown');
    await see(rows.first()).toBeFocused();
  });

  test('a divider collapses by double click and the layout is remembered', async () => {
    const page = await screen.open('busy');
    await see(page.getByRole('navigation', { name: 'Sessions' })).toBeVisible();
    await page.getByRole('separator', { name: 'Between sessions and conversation' }).dblclick();
    await see(page.getByRole('navigation', { name: 'Sessions' })).toBeHidden();
    await see
      .poll(() => screen.host.engine().app().preferences.layout[PROJECT]?.['sideOpen'])
      .toBe(0);
  });

  test('a narrow window shows one column and lays the others over it', async () => {
    const page = await screen.open('busy', { viewport: { width: 700, height: 800 } });
    await see(composer(page)).toBeVisible();
    await see(page.getByRole('navigation', { name: 'Sessions' })).toBeHidden();
    await page.getByRole('button', { name: 'Show the sessions' }).click();
    await page
      .getByRole('button', { name: /Add a cache/ })
      .first()
      .click();
    await see(heading(page, /Add a cache/)).toBeVisible();
    await see(page.getByRole('navigation', { name: 'Sessions' })).toBeHidden();
    await page.getByRole('button', { name: 'Show the dock' }).click();
    await see(page.getByRole('region', { name: 'Terminals' })).toBeVisible();
    await page.keyboard.press('Escape');
    await see(page.getByRole('region', { name: 'Terminals' })).toBeHidden();
  });
});

describe('terminals', () => {
  const terminals = (page: Page) => page.getByRole('region', { name: 'Terminals', exact: true });

  test("the agent's terminal takes keys only after taking the wheel", async () => {
    const page = await screen.open('busy');
    await see(terminals(page)).toContainText('ready in 312 ms');
    const before = screen.host.typed();
    await terminals(page).locator('.xterm').click();
    await page.keyboard.type('no');
    await page.getByRole('button', { name: 'Take the wheel' }).click();
    await see(page.getByRole('button', { name: 'Hand back' })).toBeVisible();
    await see(terminals(page).locator('.xterm-helper-textarea')).toBeFocused();
    await page.keyboard.type('yes');
    await see.poll(() => screen.host.typed().slice(before.length)).toBe('yes');
  });

  test('a paste of several lines asks first, and leaves control characters out', async () => {
    const page = await screen.open('busy');
    await page.getByRole('tab', { name: 'zsh' }).click();
    await see(terminals(page)).toContainText('❯');
    const before = screen.host.typed();
    await page.evaluate(() => {
      const data = new DataTransfer();
      data.setData('text/plain', 'echo one\n\x1b[201~rm -rf ~\n');
      const target = document.querySelector('.xterm-helper-textarea');
      target?.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));
    });
    await see(page.getByRole('dialog', { name: 'Paste 2 lines?' })).toBeVisible();
    expect(screen.host.typed()).toBe(before);
    await page.getByRole('button', { name: 'Paste', exact: true }).click();
    await see
      .poll(() => screen.host.typed().slice(before.length))
      .toBe('echo one\r[201~rm -rf ~\r');
  });

  test('a paste that needs no question tells what was left out of it, until the next key', async () => {
    const page = await screen.open('busy');
    await page.getByRole('tab', { name: 'zsh' }).click();
    await see(terminals(page)).toContainText('❯');
    const before = screen.host.typed();
    await page.evaluate(() => {
      const data = new DataTransfer();
      data.setData('text/plain', 'echo\v \u0085one');
      const target = document.querySelector('.xterm-helper-textarea');
      target?.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));
    });
    await see.poll(() => screen.host.typed().slice(before.length)).toBe('echo one');
    const notice = terminals(page).getByText('2 control characters left out of the paste');
    await see(notice).toBeVisible();
    await terminals(page).locator('.xterm').click();
    await page.keyboard.type('x');
    await see(notice).toBeHidden();
  });

  test('a dead terminal keeps its screen and says how it ended', async () => {
    const page = await screen.open('busy');
    await page.getByRole('tab', { name: /vitest/ }).click();
    await see(terminals(page)).toContainText('1 failed | 41 passed');
    await see(terminals(page)).toContainText('exited with code 1');
    await page.getByRole('button', { name: 'Close vitest' }).click();
    await see(page.getByRole('tab', { name: /vitest/ })).toBeHidden();
  });
});

describe('no accessibility faults', () => {
  const nothing = async () => {};
  /** Presses a key until its dialog is there: the page may be seen a moment before it hears keys. */
  const opens = (key: string) => (page: Page) =>
    see(async () => {
      const dialog = page.getByRole('dialog');
      if (!(await dialog.isVisible())) await page.keyboard.press(key);
      await see(dialog).toBeVisible({ timeout: 2_000 });
    }).toPass({ timeout: 60_000 });
  test.each([
    ['first run', 'fresh', 'light', nothing],
    ['workbench', 'busy', 'light', nothing],
    ['workbench', 'busy', 'dark', nothing],
    ['palette', 'busy', 'dark', opens('Control+k')],
    ['settings', 'busy', 'light', opens('Control+,')],
  ] as const)('%s, %s, %s', async (_name, world, colorScheme, prepare) => {
    const page = await screen.open(world, { colorScheme });
    await heading(page, /./).first().waitFor();
    await prepare(page);
    expect(await accessibilityFaults(page, { without: '.xterm' })).toEqual([]);
  });
});

test('no page threw, logged an error or broke its security policy', () => {
  const expected = /WebSocket connection|ERR_|status of 401/;
  expect(screen.errors.filter((error) => !expected.test(error))).toEqual([]);
});
