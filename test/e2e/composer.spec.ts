import type { Locator, Page } from '@playwright/test';
import { accessibilityFaults } from '../support/accessibility';
import { hold, reply, text } from '../support/scripted-api-replies';
import type { AppPage } from './support/app-page';
import { expect, test } from './support/lathe';
import { gate, lastTold, played } from './support/scripted-app';

test.slow();

/** The smallest PNG there is: one grey pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==',
  'base64',
);

interface Given {
  readonly name?: string;
  readonly type?: string;
  readonly base64?: string;
  readonly words?: string;
}

/** Pastes into the message box, or drops on it, what a browser would hand over: a file or a text. */
async function give(page: Page, how: 'paste' | 'drop', given: Given): Promise<void> {
  await page.getByRole('textbox', { name: 'Message to Lathe' }).evaluate(
    (box, { by, name, type, base64, words }) => {
      const data = new DataTransfer();
      if (words !== undefined) data.setData('text/plain', words);
      if (base64 !== undefined) {
        const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
        data.items.add(new File([bytes], name ?? '', { type: type ?? '' }));
      }
      const init = { bubbles: true, cancelable: true };
      const event =
        by === 'paste'
          ? new ClipboardEvent('paste', { ...init, clipboardData: data })
          : new DragEvent('drop', { ...init, dataTransfer: data });
      box.dispatchEvent(event);
    },
    { by: how, ...given },
  );
}

const LINES = Array.from({ length: 30 }, (_, n) => `line ${n} of the log`);
const chips = (app: AppPage) => app.page.getByRole('list', { name: 'Attachments' });

/** Returns how many attachments the page's storage holds: it is written after they are shown. */
const keptAttachments = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((resolve, reject) => {
        const opening = indexedDB.open('lathe', 1);
        opening.onerror = () => reject(opening.error);
        opening.onsuccess = () => {
          const all = opening.result.transaction('attachments').objectStore('attachments').getAll();
          all.onerror = () => reject(all.error);
          all.onsuccess = () => {
            opening.result.close();
            resolve(all.result.flatMap(({ list }) => list).length);
          };
        };
      }),
  );

/** Tells whether an element, or what it is a part of, shows less than it holds. */
const isCut = (element: Element): boolean => {
  const line = element.closest('p') ?? element;
  return line.scrollWidth > line.clientWidth;
};

test('a long paste, images and files become chips that are opened, changed, queued and sent, with their limits told; a command that does not exist stays in the message box', async ({
  page,
  lathe,
}) => {
  const more = gate();
  const script = [
    reply('Fine.'),
    reply('Read it.'),
    reply([text('One grey pixel.'), hold(more.opened)]),
    reply('And three.'),
    reply('All read.'),
  ];
  await played({ page, lathe }, script, async (app, api) => {
    await test.step('a command that does not exist is told, and its words stay in the message box', async () => {
      const refusal = page.getByText('There is no command /modle');
      await app.send('/modle opus and a long text');
      await expect(refusal).toBeVisible();
      await expect(page.getByText('Did you mean /model?')).toBeVisible();
      await expect(app.composer).toHaveValue('/modle opus and a long text');
      expect(api.requests).toEqual([]);
      await app.send('/help');
      await expect(page.getByRole('dialog', { name: 'Keys' })).toBeVisible();
      await expect(refusal).toBeHidden();
      await page.keyboard.press('Escape');
      await app.send('/modle opus and a long text');
      await expect(refusal).toBeVisible();
      await app.composer.fill('');
      await expect(refusal).toBeHidden();
      await app.send('Use opus, and a long text');
      await expect(app.conversation.getByText('Fine.')).toBeVisible();
      await expect(refusal).toBeHidden();
    });

    await test.step('a long paste becomes a chip that opens, is edited, goes back to text, and is sent', async () => {
      await app.newSession();
      await give(page, 'paste', { words: 'short words' });
      await expect(chips(app)).toBeHidden();
      await give(page, 'paste', { words: LINES.join('\n') });
      const chip = chips(app).getByRole('button', { name: 'Open Pasted text, 30 lines' });
      await expect(chip).toBeVisible();
      expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
      await chip.focus();
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog', { name: 'Pasted text' });
      const field = dialog.getByRole('textbox', { name: 'Text' });
      await expect(field).toHaveValue(LINES.join('\n'));
      expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
      await field.fill([...LINES, 'one more'].join('\n'));
      await dialog.getByRole('button', { name: 'Save' }).click();
      await expect(chips(app)).toContainText('Pasted text, 31 lines');
      await app.send('what went wrong?');
      await expect(app.conversation).toContainText('Read it.');
      await expect(chips(app)).toBeHidden();
      const own = app.conversation.getByRole('article', { name: 'You' });
      await expect(own).toContainText('what went wrong?');
      await expect(own).toContainText('pasted text of 31 lines');
      expect(lastTold(api)).toContain('<pasted-text lines=\\"31\\">');
      expect(lastTold(api)).toContain('one more');

      await give(page, 'paste', { words: LINES.join('\n') });
      await chips(app).getByRole('button', { name: /^Open/ }).click();
      await page.getByRole('button', { name: 'Put into the message' }).click();
      await expect(chips(app)).toBeHidden();
      await expect(app.composer).toHaveValue(LINES.join('\n'));
      await app.composer.fill('');
      await give(page, 'paste', { words: LINES.join('\n') });
      await chips(app)
        .getByRole('button', { name: /^Remove/ })
        .press('Enter');
      await expect(chips(app)).toBeHidden();
      await expect(app.composer).toBeFocused();
    });

    await test.step('images come by paste, drop and button, with their limits told, and travel through the queue', async () => {
      await app.newSession();
      const base64 = PNG.toString('base64');
      await give(page, 'paste', { name: 'tide.svg', type: 'image/svg+xml', base64 });
      await expect(page.getByText('Images can be PNG, JPEG, GIF or WebP.')).toBeVisible();
      // A text goes along as it is; what is neither is refused.
      const words = Buffer.from('high at noon').toString('base64');
      await give(page, 'drop', { name: 'tide.txt', type: 'text/plain', base64: words });
      await expect(chips(app)).toContainText('tide.txt, 1 line');
      await chips(app)
        .getByRole('button', { name: /Remove/ })
        .click();
      const large = Buffer.alloc(4 * 1024 * 1024).toString('base64');
      await give(page, 'drop', { name: 'chart.png', type: 'image/png', base64: large });
      await expect(page.getByText(/chart\.png has .* an image may have/)).toBeVisible();
      await expect(chips(app)).toBeHidden();

      // It is of the type that its bytes say.
      await give(page, 'paste', { name: 'tide.jpg', type: 'image/jpeg', base64 });
      await expect(chips(app).getByRole('img', { includeHidden: true })).toHaveCount(1);
      expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
      // An image alone is a message.
      await app.composer.press('Enter');
      await expect(app.conversation).toContainText('One grey pixel.');
      await expect(app.conversation.getByRole('article', { name: 'You' })).toContainText('1 image');
      expect(lastTold(api)).toContain(base64);
      expect(lastTold(api)).toContain('image/png');

      await give(page, 'drop', { name: 'a.png', type: 'image/png', base64 });
      await page
        .getByLabel('Files to attach')
        .setInputFiles({ name: 'b.png', mimeType: 'image/png', buffer: PNG });
      await expect(chips(app).getByRole('listitem')).toHaveCount(2);
      await expect.poll(() => keptAttachments(page)).toBe(2);
      await page.reload();
      await expect(chips(app).getByRole('listitem')).toHaveCount(2);
      await app.send('and these?');
      const queued = page.getByRole('list', { name: 'Queued prompts' });
      await expect(queued).toContainText('and these? · 2 images');
      await queued.getByRole('button', { name: 'Take back' }).press('Enter');
      await expect(chips(app).getByRole('listitem')).toHaveCount(2);
      await expect(app.composer).toHaveValue('and these?');
      await app.composer.press('Enter');
      await expect(queued).toContainText('2 images');
      more.open();
      await expect(app.conversation).toContainText('And three.');
      expect(lastTold(api).split(base64)).toHaveLength(3);
    });

    await test.step('as many files as a message takes leave the message box in sight, and the others are told once', async () => {
      await app.newSession();
      await page.getByLabel('Files to attach').setInputFiles(
        Array.from({ length: 50 }, (_, n) => ({
          ...{ name: `log ${n}.txt`, mimeType: 'text/plain' },
          buffer: Buffer.from(`line of ${n}`),
        })),
      );
      await expect(chips(app).getByRole('listitem')).toHaveCount(40);
      await expect(page.getByText('One message takes 40 attachments.')).toHaveCount(1);
      await expect(page.getByText('10 files left out, from log 40.txt on.')).toBeVisible();
      await expect(chips(app).getByText('log 39.txt, 1 line')).toBeAttached();
      await page.setViewportSize({ width: 390, height: 700 });
      await expect(app.composer).toBeInViewport({ ratio: 1 });
      await expect(page.getByRole('button', { name: 'Send' })).toBeInViewport({ ratio: 1 });
      // What keys do is told as far as there is room for it, and never cut.
      await app.composer.fill('read\nthem');
      const help = page.getByText('Enter sends');
      await expect(help).toBeVisible();
      expect(await help.evaluate(isCut)).toBe(false);
      await app.send('read them');
      await expect(app.conversation).toContainText('All read.');
      await expect(app.conversation).toContainText('40 files of 40 lines');
    });
  });
});

test('files that are dropped anywhere on the middle column are attached, which it says while they are dragged; on the sessions nothing happens', async ({
  page,
  lathe,
}) => {
  await played({ page, lathe }, [], async (app) => {
    const drag = (on: Locator, type: 'dragover' | 'drop') =>
      on.evaluate((element, name) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File(['high'], 'tides.txt', { type: 'text/plain' }));
        const init = { bubbles: true, cancelable: true, dataTransfer };
        element.dispatchEvent(new DragEvent(name, init));
      }, type);
    const hint = page.getByText('Drop to add to your message');
    await drag(app.sessions, 'dragover');
    await expect(hint).toBeHidden();
    await drag(app.sessions, 'drop');
    const welcome = page.getByRole('heading', { name: 'What shall we do in' });
    await drag(welcome, 'dragover');
    await expect(hint).toBeVisible();
    await drag(welcome, 'drop');
    await expect(hint).toBeHidden();
    await expect(chips(app).getByRole('listitem')).toHaveCount(1);
    await expect(chips(app)).toContainText('tides.txt');
    await expect(app.composer).toBeFocused();
    // A dialog that a chip opens lies above the column.
    await chips(app).getByRole('button', { name: /^Open/ }).click();
    const dialog = page.getByRole('dialog');
    await drag(dialog, 'dragover');
    await expect(hint).toBeHidden();
    await drag(dialog, 'drop');
    await page.keyboard.press('Escape');
    await expect(chips(app).getByRole('listitem')).toHaveCount(1);
  });
});
