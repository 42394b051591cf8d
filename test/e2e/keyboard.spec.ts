import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { startScriptedApi } from '../support/scripted-api';
import { error, hold, reply, text, toolUse } from '../support/scripted-api-replies';
import { AppPage } from './support/app-page';
import { expect, test } from './support/lathe';
import { gate, KEY, played, writeFiles } from './support/scripted-app';

test.slow();

test('by keyboard alone: a working day, from the first run to the settings', async ({
  page,
  lathe,
}) => {
  const folder = join(lathe.home, 'projects', 'harbour');
  await mkdir(folder, { recursive: true });
  const running = gate();
  const api = await startScriptedApi(
    [
      reply([toolUse('Bash', { command: 'echo high > tide.txt' })]),
      reply([toolUse('Bash', { command: 'rm tide.txt' })]),
      reply('Then it stays.'),
      reply([text('Looking at the tide.'), hold(running.opened), text('Never seen.')]),
      reply('Looked at the wind instead.'),
    ],
    { apiKey: KEY },
  );
  const keys = async (...strokes: readonly string[]) => {
    for (const stroke of strokes) await page.keyboard.press(stroke);
  };
  try {
    const app = new AppPage(page);
    await page.goto(await lathe.link());
    const path = page.getByRole('textbox', { name: 'Path' });
    await expect(path).not.toHaveValue('');
    await keys('Tab');
    await expect(path).toBeFocused();
    await keys('Control+a');
    await page.keyboard.type(folder);
    await keys('Enter');
    const open = page.getByRole('button', { name: 'Open this folder' });
    await expect(page.getByRole('button', { name: 'harbour', exact: true }).last()).toBeVisible();
    await open.press('Enter');
    await expect(page.getByRole('heading', { name: 'Do you trust harbour?' })).toBeFocused();
    await keys('Tab', 'Enter');
    await expect(page.getByRole('heading', { name: 'Connect to a model' })).toBeFocused();
    await keys('Tab');
    await page.keyboard.type(KEY);
    await page.getByRole('button', { name: 'Use another endpoint' }).press('Enter');
    await expect(page.getByLabel('Endpoint')).toBeFocused();
    await page.keyboard.type(api.url);
    await keys('Enter');
    await expect(app.composer).toBeFocused();

    await page.keyboard.type('note the tide');
    await keys('Enter');
    await app.allowOnce('echo high');
    await app.deny('rm tide.txt', 'it is needed');
    await expect(app.conversation).toContainText('Then it stays.');
    expect(JSON.stringify(api.requests)).toContain('it is needed');
    await expect(app.composer).toBeFocused();

    await page.keyboard.type('look at the tide');
    await keys('Enter');
    await expect(app.conversation).toContainText('Looking at the tide.');
    await page.keyboard.type('then the rest');
    await keys('Enter');
    await expect(page.getByRole('list', { name: 'Queued prompts' })).toContainText('then the rest');
    await page.keyboard.type('the wind first');
    await keys('Control+Enter');
    await expect(app.conversation).toContainText('Looked at the wind instead.');
    await expect(page.getByRole('list', { name: 'Queued prompts' })).toBeHidden();
    await expect(page.getByRole('button', { name: 'Stop', exact: true })).toBeHidden();

    for (const stroke of ['Control+k', 'Control+,', 'Control+/', 'Control+Shift+M']) {
      await keys(stroke);
      await expect(page.getByRole('dialog')).toBeVisible();
      await keys('Escape');
      await expect(page.getByRole('dialog')).toBeHidden();
      await expect(app.composer, stroke).toBeFocused();
    }

    await keys('Control+k');
    await page.keyboard.type('settings');
    await keys('Enter');
    const settings = page.getByRole('dialog', { name: 'Settings' });
    await expect(settings).toBeFocused();
    await keys('Escape');
    await expect(settings).toBeHidden();
    await expect(app.composer).toBeFocused();

    await keys('Control+k');
    await page.keyboard.type('find a session');
    await keys('Enter');
    await expect(page.getByRole('searchbox')).toBeFocused();
    await page.keyboard.type('tide');
    await keys('ArrowDown');
    await expect(app.sessions.getByRole('button', { name: /tide/ }).first()).toBeFocused();
    await keys('Enter');
    await expect(app.composer).toBeFocused();
    await keys('Control+`');
    await expect(page.locator('.xterm-helper-textarea')).toBeFocused();
    await keys('Control+`');
    await expect(app.composer).toBeFocused();
  } finally {
    await api.close();
  }
});

/** Tells what has the focus when nobody can see it: nothing, or what is hidden or out of the window; else null. */
const unseenFocus = (page: Page): Promise<string | null> =>
  page.evaluate(() => {
    const element = document.activeElement;
    if (element === null || element === document.body) return 'nothing';
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const isInside = right > 0 && bottom > 0 && left < innerWidth && top < innerHeight;
    // The field of a terminal is as small as its cursor, which shows the focus.
    const isDrawn = element.checkVisibility() || element.closest('.xterm') !== null;
    // A dialog and the page of a program are what all keys go to; everything else has a frame around it or its field.
    const within = element.matches('[data-focus="frame"]') ? '[data-focus-frame]' : '*';
    const framed = element.closest(within) ?? element;
    const isFramed =
      getComputedStyle(framed).outlineStyle !== 'none' ||
      element.matches('[role=dialog], [role=dialog] input, .xterm *');
    return isInside && isDrawn && isFramed ? null : element.outerHTML.slice(0, 200);
  });

/** Presses keys on a page and looks each time where the focus is. */
function walker(page: Page) {
  const keys = async (...strokes: readonly string[]) => {
    for (const stroke of strokes) {
      await page.keyboard.press(stroke);
      await expect.poll(() => unseenFocus(page), stroke).toBeNull();
    }
  };
  /** Goes on with a key until `there` has the focus, as somebody does who looks at the screen. */
  const until = async (stroke: string, there: Locator) => {
    for (let steps = 0; steps < 40; steps += 1) {
      if (await there.evaluate((e) => e === document.activeElement).catch(() => false)) return;
      await keys(stroke);
    }
    throw new Error(`${stroke} does not lead to ${there}`);
  };
  return { keys, until };
}

test('by keyboard alone: terminals, changes, agents and undo, with the focus in sight all the time', async ({
  page,
  lathe,
}) => {
  const script = [
    reply([toolUse('Write', { file_path: 'tide.txt', content: 'high\n' })]),
    reply('Written.'),
  ];
  await played({ page, lathe }, script, async (app) => {
    const { keys, until } = walker(page);
    await page.keyboard.type('write the tide down');
    await keys('Enter');
    await app.allowOnce('tide.txt');
    await expect(app.conversation).toContainText('Written.');
    await expect(app.composer).toBeFocused();

    await keys('Control+`');
    await expect.poll(() => app.screenText()).toMatch(/[$#] *$/m);
    await page.keyboard.type('echo low-$((1+1))');
    await keys('Enter');
    await expect.poll(() => app.screenText()).toContain('low-2');
    await page.keyboard.type('exit');
    await keys('Enter');
    // One that has ended lets go of the keys with which one leaves, and of all that a shell would have had.
    await expect(app.terminals).toContainText('exited with code 0');
    await keys('Control+k');
    await expect(page.getByRole('dialog', { name: 'Command palette' })).toBeVisible();
    await keys('Escape');
    await expect(page.getByRole('dialog')).toBeHidden();
    await keys('Escape');
    await expect(app.composer).toBeFocused();

    await keys('Control+Shift+D');
    const files = page.getByRole('list', { name: 'Changed files' });
    await expect(files).toContainText('tide.txt');
    const tab = (name: string) => page.getByRole('tab', { name, exact: true });
    await until('Tab', tab('Changes'));
    for (const [stroke, name] of [
      ...[['ArrowLeft', 'Processes'] as const, ['ArrowLeft', 'Agents'] as const],
      ...[['ArrowRight', 'Processes'] as const, ['ArrowRight', 'Changes'] as const],
    ]) {
      await keys(stroke);
      await expect(tab(name)).toBeFocused();
    }
    await until('Tab', files.getByRole('button', { name: /^tide\.txt/ }));
    await keys('Enter');
    await expect(files).toContainText('high');
    await until('Shift+Tab', page.getByRole('button', { name: 'Take all back…' }));
    await keys('Enter');
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText('tide.txt');
    await until('Tab', dialog.getByRole('button', { name: /^Restore/ }));
    await keys('Enter');
    await expect(dialog).toBeHidden();
    await expect(files).toBeHidden();
    await expect.poll(() => unseenFocus(page)).toBeNull();

    await keys('Alt+n');
    await expect(app.composer).toBeFocused();
    // At once, so that no letter that follows goes to the composer.
    const strokes = { key: 'F', code: 'KeyF', ctrlKey: true, shiftKey: true, bubbles: true };
    const focused = await app.composer.evaluate((composer, init) => {
      composer.dispatchEvent(new KeyboardEvent('keydown', { ...init, cancelable: true }));
      return document.activeElement?.getAttribute('type');
    }, strokes);
    expect(focused).toBe('search');
    await page.keyboard.type('tide');
    await keys('ArrowDown', 'Enter');
    await expect(app.conversation).toContainText('Written.');
    await keys('F6', 'Home', 'End');
    await until('Tab', page.getByRole('button', { name: 'More for this prompt' }));
    await keys('Enter', 'ArrowDown', 'Escape');
    await keys('F6');
    await expect(app.composer).toBeFocused();

    // The label of a button keeps no Esc from the dialog it is in; what a command opens gives the focus back.
    await keys('Control+/');
    await until('Tab', dialog.getByRole('button', { name: 'Close' }));
    await expect(page.locator('[data-radix-popper-content-wrapper]')).toContainText('Close');
    await keys('Escape');
    await expect(dialog).toBeHidden();
    await page.keyboard.type('/remember be kind');
    await keys('Enter');
    await expect(app.conversation).toContainText('Kept in ~/projects/harbour/CLAUDE.local.md');
    await page.keyboard.type('/context');
    await keys('Enter');
    await expect(dialog).toContainText('Costs of all sessions');
    await keys('Escape');
    await expect(app.composer).toBeFocused();
    await page.keyboard.type('/quit');
    await keys('Enter');
    await until('Tab', dialog.getByRole('button', { name: 'Quit' }));
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: 'Lathe has ended' })).toBeVisible();
  });
});

test('by keyboard alone: what fails, waits, is attached, taken back, forked and put away, and the focus is never lost', async ({
  page,
  lathe,
}) => {
  const rows = Array.from({ length: 40 }, (_, at) => `row ${at + 1}\n`);
  await writeFiles(lathe.home, { 'projects/harbour/rows.txt': rows.join('') });
  const [again, running] = [gate(), gate()];
  const change = "sed -i -e 's/row 3$/ROW 3/' -e 's/row 30/ROW 30/' rows.txt; echo x > new.txt";
  const agent = { description: 'Count rows', prompt: 'Count.', subagent_type: 'Explore' };
  const script = [
    ...[error(401, 'bad key'), error(401, 'bad key')],
    reply([hold(again.opened), toolUse('Bash', { command: change })]),
    reply([toolUse('Agent', agent)]),
    reply('Forty.'),
    reply([text('Counted.'), hold(running.opened)]),
    reply('Queued and read.'),
  ];
  await played({ page, lathe }, script, async (app) => {
    const { keys, until } = walker(page);
    const dialog = page.getByRole('dialog');
    const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
    await page.keyboard.type('change the rows');
    await keys('Enter');
    await expect(button('Retry')).toBeVisible();
    await keys('F6');
    await until('Tab', button('Connection settings…'));
    await keys('Enter');
    await expect(dialog.getByRole('tab', { name: 'Connection' })).toHaveAttribute(
      'data-state',
      'active',
    );
    // Keys for what lies behind a dialog rest, also where a field of it has had the focus from the beginning.
    await keys('F6', 'Control+`', 'Alt+n', 'Escape');
    await expect(button('Connection settings…')).toBeFocused();
    await keys('Shift+Tab', 'Enter');
    await expect(app.composer).toBeFocused();
    // A question takes the focus.
    again.open();
    await app.allowOnce('sed -i');

    await expect(app.conversation).toContainText('Counted.');
    await page.keyboard.type('first');
    await keys('Enter');
    await page.keyboard.type('second');
    await keys('Enter');
    const queue = page.getByRole('list', { name: 'Queued prompts' });
    await expect(queue.getByRole('listitem')).toHaveCount(2);
    await keys('F6', 'F6');
    await expect(button('Edit queued message: first')).toBeFocused();
    await keys('Delete');
    await expect(queue.getByRole('listitem')).toHaveCount(1);
    await expect(app.composer).toBeFocused();
    await expect(app.composer).toHaveValue('first');
    await keys('Control+a', 'Delete');
    running.open();
    await expect(app.conversation).toContainText('Queued and read.');

    await page.evaluate(
      (files) => {
        const carried = new DataTransfer();
        for (const name of files)
          carried.items.add(new File(['high'], name, { type: 'text/plain' }));
        const paste = new ClipboardEvent('paste', { clipboardData: carried, bubbles: true });
        document.activeElement?.dispatchEvent(paste);
      },
      ['a.txt', 'b.txt'],
    );
    const chips = page.getByRole('list', { name: 'Attachments' });
    await expect(chips.getByRole('listitem')).toHaveCount(2);
    await until('Tab', button('Attach images or text files'));
    await keys('Shift+Tab', 'Shift+Tab', 'Shift+Tab');
    await expect(button('Remove a.txt, 1 line')).toBeFocused();
    await keys('Enter');
    await expect(button('Open b.txt, 1 line')).toBeFocused();
    await keys('Delete');
    await expect(app.composer).toBeFocused();
    await expect(app.status).toContainText('Ask before acting');

    // A half of the dock of which only the tabs are seen opens for what is asked for.
    await until('Tab', page.getByRole('separator', { name: 'Between panels and terminals' }));
    await keys('Enter', 'Control+Shift+D');
    const files = page.getByRole('list', { name: 'Changed files' });
    const row = (name: string) => files.getByRole('button', { name: new RegExp(`^${name}`) });
    await until('Shift+Tab', row('rows.txt'));
    await keys('Enter');
    await until('Tab', files.getByRole('button', { name: 'Comment', exact: true }).first());
    await keys('Enter');
    await expect(page.getByRole('textbox', { name: 'Comment on line 3' })).toBeFocused();
    await keys('Escape', 'Tab', 'Enter');
    const left = files.getByRole('region', { name: 'Change at line 30' });
    await expect(left.getByRole('button', { name: 'Take back' })).toBeFocused();
    await keys('Enter');
    await expect(row('rows.txt')).toBeHidden();
    await expect(row('new.txt')).toBeFocused();

    await until('Shift+Tab', page.getByRole('tab', { name: 'Changes', exact: true }));
    // The focus follows an arrow key a moment later.
    for (const name of ['Processes', 'Agents']) {
      await keys('ArrowLeft');
      await expect(page.getByRole('tab', { name, exact: true })).toBeFocused();
    }
    const agents = page.getByRole('list', { name: 'Agents' });
    await until('Tab', agents.getByRole('button', { name: /Count rows/ }));
    await keys('Enter');
    const own = page.getByRole('region', { name: 'Transcript of Count rows' });
    await expect(own.getByRole('article', { name: 'Prompt' })).toContainText('Count.');
    await until('Shift+Tab', button('All agents'));
    await keys('Enter');
    await expect(agents.getByRole('button', { name: /Count rows/ })).toBeFocused();

    await keys('F6', 'Home');
    await until('Tab', button('More for this prompt').first());
    const line = (name: string) => page.getByRole('menuitem', { name });
    await keys('Enter');
    await until('ArrowDown', line('Fork from here'));
    await keys('Enter');
    await expect(app.composer).toHaveValue('change the rows');
    await expect(page.getByText('This is a session of its own now')).toBeVisible();
    await keys('Control+Shift+F', 'ArrowDown', 'Tab', 'Enter');
    await until('ArrowDown', line('Rename…'));
    await keys('Enter');
    await page.keyboard.type('forked');
    await page.keyboard.press('Enter');
    await expect(button('More for forked')).toBeFocused();
    await keys('Enter');
    await until('ArrowUp', line('Delete'));
    await keys('Enter');
    await expect(app.sessions).not.toContainText('forked');
    await expect.poll(() => unseenFocus(page)).toBeNull();
    await keys('Control+Shift+F', 'ArrowDown', 'Tab', 'Enter');
    await until('ArrowUp', line('Delete'));
    await keys('Enter');
    await expect(app.sessions).not.toContainText('change the rows');
    await keys('Control+k');
    await page.keyboard.type('deleted');
    await keys('Enter');
    await until('Tab', button('Restore change the rows'));
    await keys('Enter');
    await expect(button('Restore forked')).toBeFocused();
    await keys('Enter');
    await expect(dialog).toContainText('No deleted sessions');
    await expect(dialog).toBeFocused();
    await keys('Escape');

    await keys('Control+,');
    await until('Tab', dialog.getByRole('tab', { name: 'Look' }));
    await until('ArrowDown', dialog.getByRole('tab', { name: 'Permissions' }));
    await until('Tab', button('Add a rule…'));
    await keys('Enter');
    await page.keyboard.type('Bash(');
    await keys('Escape');
    await expect(button('Add a rule…')).toBeFocused();
    await keys('Escape');
    await expect(dialog).toBeHidden();
  });
});
