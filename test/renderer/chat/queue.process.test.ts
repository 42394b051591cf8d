import type { Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { moveBy, queueIntent, standing } from '../../../src/renderer/chat/queue';
import { see } from '../../support/chromium';
import { type OpenGallery, openGallery } from '../../support/gallery/open';
import { queueTranscript } from '../../support/gallery/recovery-fixtures';

const { queue } = queueTranscript;
const [first, second, third, last] = queue;
if (!first || !second || !third || !last) throw new Error('the fixture has four prompts');

describe('places', () => {
  it('counts among prompts of the same priority', () => {
    expect(queue.map((prompt) => standing(queue, prompt))).toEqual([
      { place: 0, count: 3 },
      { place: 1, count: 3 },
      { place: 2, count: 3 },
      { place: 0, count: 1 },
    ]);
  });
  it.each([
    ['down', first, 1, { kind: 'move', id: 'p1', place: 1 }],
    ['up', third, -1, { kind: 'move', id: 'p3', place: 1 }],
    ['not over the top', first, -1, null],
    ['not among prompts that come later', third, 1, null],
    ['not alone', last, 1, null],
    ['not when it is gone', { ...first, id: 'gone' }, 1, null],
  ] as const)('moves %s', (_, prompt, step, act) =>
    expect(moveBy(queue, prompt, step)).toEqual(act),
  );
});

it.each([
  ['ArrowUp', { alt: true }, 'moveUp'],
  ['ArrowDown', { alt: true }, 'moveDown'],
  ['ArrowUp', {}, 'older'],
  ['ArrowDown', {}, 'newer'],
  ['Enter', {}, 'edit'],
  ['Enter', { mod: true }, 'steer'],
  ['Delete', {}, 'takeBack'],
  ['Backspace', {}, 'takeBack'],
  ['a', {}, 'none'],
] as const)('%s %j means %s', (key, held, intent) =>
  expect(queueIntent({ key, mod: false, alt: false, ...held })).toBe(intent),
);

describe('on screen', () => {
  let gallery: OpenGallery;
  beforeAll(async () => {
    gallery = await openGallery();
  });
  afterAll(() => gallery?.close());

  const log = (page: Page) => page.locator('[data-log]');
  const list = (page: Page) => page.getByRole('list', { name: 'Queued prompts' });
  const line = (page: Page, words: string) =>
    list(page).getByRole('button', { name: `Edit queued message: ${words}` });

  it('goes through the queue, moves, steers and takes back by key', async () => {
    const page = await gallery.open('queue');
    await line(page, 'Also add').focus();
    await page.keyboard.press('Alt+ArrowUp');
    await page.keyboard.press('Alt+ArrowDown');
    await page.keyboard.press('ArrowDown');
    await see(line(page, 'Keep the old')).toBeFocused();
    await page.keyboard.press('Control+Enter');
    await page.keyboard.press('Delete');
    await see(log(page).locator('li')).toHaveText([
      '{"kind":"move","id":"p1","place":1}',
      '{"kind":"when","id":"p2","priority":"now"}',
      '{"kind":"takeBack","id":"p2"}',
    ]);
  });

  it('does the same with buttons', async () => {
    const page = await gallery.open('queue');
    const row = list(page).getByRole('listitem').nth(2);
    await row.hover();
    await see(row.getByRole('button', { name: 'Move down' })).toBeDisabled();
    await row.getByRole('button', { name: 'Move up' }).click();
    await row.getByRole('button', { name: 'Steer now' }).click();
    await row.getByRole('button', { name: /^When it goes in/ }).click();
    await page.getByRole('menuitemradio', { name: /when done/ }).click();
    await row.getByRole('button', { name: 'Take back' }).click();
    await see(log(page).locator('li')).toHaveText([
      '{"kind":"move","id":"p3","place":1}',
      '{"kind":"when","id":"p3","priority":"now"}',
      '{"kind":"when","id":"p3","priority":"later"}',
      '{"kind":"takeBack","id":"p3"}',
    ]);
  });

  it('edits in place; Esc leaves it and does not stop the work', async () => {
    const page = await gallery.open('queue');
    const field = page.getByRole('textbox', { name: 'Queued message' });
    await line(page, 'Keep the old').press('Enter');
    await page.keyboard.type('nonsense');
    await page.keyboard.press('Escape');
    await see(field).toBeHidden();
    await see(line(page, 'Keep the old')).toBeFocused();
    await page.keyboard.press('Enter');
    await page.keyboard.type('Remove the old test');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('completely');
    await page.keyboard.press('Enter');
    await see(log(page).locator('li')).toHaveText([
      JSON.stringify({ kind: 'edit', id: 'p2', text: 'Remove the old test\ncompletely' }),
    ]);
  });

  it('hands on the words of a prompt that went in while they were changed', async () => {
    const page = await gallery.open('queue');
    await line(page, 'Also add').press('Enter');
    await page.keyboard.type('Add two lines');
    await page.evaluate(() => window.dispatchEvent(new Event('take')));
    await see(log(page).locator('li')).toHaveText(['{"lost":"Add two lines"}']);
    await see(page.getByRole('textbox', { name: 'Queued message' })).toBeHidden();
  });

  it('says that prompts wait when the work was stopped', async () => {
    const page = await gallery.open('stoppedQueue');
    await see(page.getByText('These wait until you send something.')).toBeVisible();
    await list(page).getByRole('button', { name: 'Send now' }).first().click();
    await see(log(page)).toContainText('{"kind":"when","id":"p1","priority":"now"}');
  });

  it('says that prompts wait since a stop while something else runs, and not when they go in', async () => {
    const page = await gallery.open('heldQueue');
    await see(page.getByText('These wait until you ask something')).toBeVisible();
    await see(list(page).getByRole('button', { name: /^When it goes in/ })).toHaveText([
      'when done',
    ]);
    await list(page).getByRole('button', { name: 'Steer now' }).first().click();
    await see(log(page)).toContainText('{"kind":"when","id":"p1","priority":"now"}');
  });

  it('leaves Enter and Esc of an input method to it', async () => {
    const page = await gallery.open('queue');
    const field = page.getByRole('textbox', { name: 'Queued message' });
    await line(page, 'Keep the old').press('Enter');
    for (const key of ['Enter', 'Escape'])
      await field.evaluate((box, key) => {
        const press = { key, isComposing: true, bubbles: true, cancelable: true };
        box.dispatchEvent(new KeyboardEvent('keydown', press));
      }, key);
    await see(field).toBeFocused();
    await see(log(page).locator('li')).toHaveCount(0);
    await page.keyboard.press('Escape');
    await see(field).toBeHidden();
  });

  it.each([
    ['leaves the queue', 'take', ''],
    ['stays in it', 'more', 'p1'],
  ])('holds a prompt that is edited while it waits: one that %s', async (_, event, held) => {
    const page = await gallery.open('queue');
    await line(page, 'Also add').press('Enter');
    await see(page.locator('[data-held]')).toHaveText('p1');
    await page.evaluate((name) => window.dispatchEvent(new Event(name)), event);
    await see(page.locator('[data-held]')).toHaveText(held);
  });

  it('can end a pause, and give up', async () => {
    const page = await gallery.open('retry');
    await see(page.getByText(/Trying again in 1m \d\ds/).first()).toBeVisible();
    await page.getByRole('button', { name: 'Try now' }).click();
    await page.getByRole('button', { name: 'Give up' }).click();
    await see(log(page).locator('li')).toHaveText(['{"type":"retryNow"}', '{"type":"stop"}']);
  });

  it('throws nothing', () => expect(gallery.errors).toEqual([]));
});
