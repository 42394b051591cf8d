import type { Locator, Page } from '@playwright/test';
import { reply, text, toolUse } from '../support/scripted-api-replies';
import { A_WHILE } from './support/app-page';
import { expect, test } from './support/lathe';
import { played, writeFiles } from './support/scripted-app';

test.slow();

/** The smallest height, in pixels of the page, in which a question can be read and answered. */
const READABLE_PX = 200;

const LINES = Array.from({ length: 40 }, (_, n) => `line ${n}`);

/** A question of four options, as the model asks it. */
const question = (header: string) => ({
  question: `Which harbour is ${header.toLowerCase()}?`,
  header,
  options: ['North', 'East', 'South', 'West'].map((label) => ({ label, description: 'A pier.' })),
  multiSelect: false,
});

/** The height of a window, in pixels of the page, in which the idle message box shows its first line only beside a question. */
const LOW_PX = 588;
/** Some lines of what was said before the question. */
const REASON_PX = 60;

/** Checks that a question can be read and answered, and what led to it read, inside the window. */
async function expectRoom(
  page: Page,
  dialog: Locator,
  { zoom = 1, writing = false } = {},
): Promise<void> {
  const isLow = !writing && (page.viewportSize()?.height ?? 0) / zoom < LOW_PX;
  const whole = [
    dialog.getByRole('heading'),
    dialog.getByRole('button', { name: /^(Allow once|Show the rest)/ }),
    dialog.getByRole('button', { name: 'Deny', exact: true }),
    ...(isLow
      ? []
      : [
          page.getByRole('button', { name: 'Stop', exact: true }),
          page.getByRole('button', { name: 'Attach images or text files' }),
        ]),
  ];
  await expect(async () => {
    const box = await dialog.boundingBox();
    expect(box?.height ?? 0).toBeGreaterThanOrEqual(READABLE_PX * zoom);
    const before = await page.getByRole('region', { name: 'Conversation' }).boundingBox();
    if (!writing) expect(before?.height ?? 0).toBeGreaterThanOrEqual(REASON_PX * zoom);
    for (const one of whole) await expect(one).toBeInViewport({ ratio: 1, timeout: 1_000 });
  }).toPass(A_WHILE);
}

test('a question that waits keeps its room beside messages in the queue, a long draft, a list of choices, a low window and zoom', async ({
  page,
  lathe,
}) => {
  const old = LINES.slice(0, 6).join('\n');
  const script = [
    reply([
      text('They are old.'),
      toolUse('Bash', { command: LINES.map((line) => `rm -rf "${line}"`).join('\n') }),
    ]),
    reply([toolUse('Read', { file_path: 'tides.txt' })]),
    reply([toolUse('Edit', { file_path: 'tides.txt', old_string: old, new_string: 'high water' })]),
    reply([toolUse('AskUserQuestion', { questions: [question('First'), question('Second')] })]),
    reply('Done.'),
  ];
  await played({ page, lathe }, script, async (app, _, folder) => {
    await writeFiles(folder, { 'tides.txt': LINES.join('\n') });
    const dialog = app.approval;
    const sizes = [
      { width: 1280, height: 800 },
      { width: 1024, height: 600 },
      { width: 853, height: 533 },
      { width: 640, height: 400 },
      { width: 390, height: 664 },
    ];
    await app.send('clean up');
    await expect(dialog).toBeFocused();

    await test.step('a low window shows all answers, and the field for a reason above its buttons', async () => {
      for (const size of sizes) {
        await page.setViewportSize(size);
        await expectRoom(page, dialog);
        await expect(app.conversation.getByText('They are old.')).toBeInViewport({ ratio: 1 });
      }
      await page.setViewportSize({ width: 640, height: 400 });
      await dialog.focus();
      await page.keyboard.press('Tab');
      const reason = dialog.getByLabel('What should Lathe do instead?');
      await expect(reason).toBeFocused();
      await expect(reason).toBeInViewport({ ratio: 1 });
      const field = await reason.boundingBox();
      const back = await dialog.getByRole('button', { name: 'Back' }).boundingBox();
      expect((field?.y ?? 0) + (field?.height ?? 0)).toBeLessThanOrEqual(back?.y ?? 0);
      await page.keyboard.press('Escape');
    });

    await test.step('in a very low window it has the room of the message box, which comes back for who writes', async () => {
      for (const size of [
        { width: 400, height: 350 },
        { width: 683, height: 330 },
      ]) {
        await page.setViewportSize(size);
        await dialog.focus();
        for (const one of ['Show the rest', 'Edit', 'Deny and say why', 'Deny'])
          await expect(dialog.getByRole('button', { name: one }).last()).toBeInViewport({
            ratio: 1,
          });
        await expect(app.composer).not.toBeInViewport({ ratio: 1 });
        // Only its first line shows: that is what a user presses.
        const line = await app.composer.boundingBox();
        await page.mouse.click((line?.x ?? 0) + 40, (line?.y ?? 0) + 12);
        await expect(app.composer).toBeFocused();
        await expect(app.composer).toBeInViewport({ ratio: 1 });
        await page.keyboard.type('kept');
        await expect(app.composer).toHaveValue('kept');
        await app.composer.fill('');
      }
    });

    await test.step('a queue, a long draft and chips give way to it', async () => {
      for (let n = 0; n < 8; n += 1) await app.send(`and then ${n}\nwith a second line`);
      await app.composer.fill(LINES.join('\n'));
      for (const size of sizes) {
        await page.setViewportSize(size);
        await expectRoom(page, dialog, { writing: true });
      }
    });

    await test.step('a list of choices moves nothing, and stays in the window', async () => {
      for (const size of sizes) {
        await page.setViewportSize(size);
        await app.composer.fill('');
        const before = await dialog.boundingBox();
        await app.composer.press('/');
        const list = page.getByRole('listbox', { name: 'Commands' });
        await expect(list).toBeInViewport({ ratio: 1 });
        expect(await dialog.boundingBox()).toEqual(before);
        await expect(app.composer).toBeInViewport({ ratio: 1 });
      }
      await app.composer.fill('');
    });

    await test.step('an edit that waits is shown from its beginning after a change of the zoom', async () => {
      await page.setViewportSize({ width: 1280, height: 800 });
      await dialog.getByRole('button', { name: 'Deny', exact: true }).click();
      await expect(dialog).toContainText('tides.txt');
      await page.keyboard.press('Control+,');
      await page.getByRole('button', { name: /^Zoom:/ }).click();
      await page.getByRole('menuitemradio', { name: '200 %' }).click();
      await page.keyboard.press('Escape');
      await expectRoom(page, dialog, { zoom: 2 });
      await expect(dialog.getByText('line 0', { exact: true }).first()).toBeInViewport();
    });

    await test.step('the field for an answer of one’s own is in view while one writes, also when the window gets smaller', async () => {
      await page.keyboard.press('Control+,');
      await page.getByRole('button', { name: /^Zoom:/ }).click();
      await page.getByRole('menuitemradio', { name: '100 %' }).click();
      await page.keyboard.press('Escape');
      await dialog.getByRole('button', { name: 'Deny', exact: true }).click();
      await dialog.getByText('Other…').last().click();
      const field = dialog.getByLabel('Your answer to: Second');
      await expect(field).toBeFocused();
      for (const size of sizes) {
        await page.setViewportSize(size);
        await expect(field).toBeInViewport({ ratio: 1 });
      }
      await field.evaluate((input) => {
        const box = input.closest('.overflow-y-auto');
        box?.scrollTo(0, box.scrollHeight);
        box?.scrollBy(0, -12);
      });
      // What is left is blank.
      await expect(dialog.getByText(/more lines? below/)).toHaveCount(0);
      // The wheel leads away from the field, by small turns, too.
      await field.hover();
      for (let turn = 0; turn < 12; turn += 1) await page.mouse.wheel(0, -20);
      await expect(field).not.toBeInViewport({ ratio: 1 });
    });
  });
});

/** The sizes that are left of windows of 1440 × 900, 1280 × 1024 and 2560 × 900 at a zoom of 400 %. */
const ZOOMED = [
  { width: 360, height: 225 },
  { width: 320, height: 256 },
  { width: 640, height: 225 },
];

test('an answer that is pressed in a low window while one writes stays under the pointer', async ({
  page,
  lathe,
}) => {
  const commands = ['rm -rf "north"', 'rm -rf "south"'];
  const script = [
    ...commands.map((line) => reply([toolUse('Bash', { command: `${line}\n`.repeat(14) })])),
    reply('Done.'),
  ];
  await played({ page, lathe }, script, async (app) => {
    await app.send('clear up');
    for (const height of [440, 520]) {
      const deny = app.approval.getByRole('button', { name: 'Deny', exact: true });
      await page.setViewportSize({ width: 1280, height });
      await expect(deny).toBeInViewport({ ratio: 1 });
      await app.composer.focus();
      await page.keyboard.type('x');
      const { x = 0, y = 0, width = 0, height: high = 0 } = (await deny.boundingBox()) ?? {};
      await page.mouse.move(x + width / 2, y + high / 2);
      await page.mouse.down();
      expect(await deny.boundingBox()).toEqual({ x, y, width, height: high });
      await page.mouse.up();
      await expect(app.conversation.getByText(/Denied|denied/).first()).toBeVisible();
    }
  });
});

test('at a zoom of 400 % all of it is in reach: what is asked with its answers, the message box, the status bar and the settings', async ({
  page,
  lathe,
}) => {
  const script = [
    reply(LINES.join(' of the tide\n\n')),
    reply([toolUse('Bash', { command: 'rm -rf tides && git push origin main' })]),
    reply('Done.'),
  ];
  const inReach = async (...all: readonly Locator[]) => {
    for (const one of all) {
      await one.scrollIntoViewIfNeeded();
      // A part of a pixel may stick out.
      await expect(one).toBeInViewport({ ratio: 0.95 });
    }
  };
  await played({ page, lathe }, script, async (app) => {
    await app.send('tell me');
    await expect(page.getByText('Lathe has finished')).toBeAttached();
    for (const size of ZOOMED) {
      await page.setViewportSize(size);
      await inReach(app.composer, app.status, page.getByRole('button', { name: 'Show the dock' }));
      // A wheel over the conversation leads on to what is below it.
      await app.conversation.hover();
      await page.mouse.wheel(0, 9_000);
      await expect(app.status).toBeInViewport({ ratio: 1 });
      const wider = await page.evaluate(() =>
        [...document.querySelectorAll('body, #root, #root > *, #root > * > *')]
          .filter((e) => e.scrollWidth > e.clientWidth)
          .map((e) => e.className),
      );
      expect(wider).toEqual([]);
      await page.keyboard.press('Control+,');
      const settings = page.getByRole('dialog', { name: 'Settings' });
      await inReach(settings.getByRole('button', { name: /^Zoom:/ }));
      await page.keyboard.press('Escape');
      await expect(settings).toBeHidden();
    }
    await app.send('clean up');
    await expect(app.approval).toBeFocused();
    for (const size of ZOOMED) {
      await page.setViewportSize(size);
      await inReach(app.approval.getByRole('heading'));
      await expect(app.approval.getByText('rm -rf tides').first()).toBeInViewport();
      for (const name of ['Allow always…', 'Edit…', 'Deny and say why', 'Deny'])
        await inReach(app.approval.getByRole('button', { name }).last());
    }
  });
});
