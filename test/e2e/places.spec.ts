import { accessibilityFaults } from '../support/accessibility';
import { startScriptedApi } from '../support/scripted-api';
import { hold, reply, text, toolUse } from '../support/scripted-api-replies';
import { A_WHILE } from './support/app-page';
import { expect, startLathe, test } from './support/lathe';
import { gate, KEY, lastTold, openScripted, played } from './support/scripted-app';

test.slow();

test('a reload keeps what was open, where it was read, the page of the dock and the draft', async ({
  page,
  lathe,
}) => {
  const long = Array.from({ length: 60 }, (_, n) => `Paragraph ${n} of the answer.`).join('\n\n');
  const script = [
    reply([text('First a look.'), toolUse('Glob', { pattern: '*.txt' })]),
    reply(long),
    reply('Short.'),
  ];
  await played({ page, lathe }, script, async (app) => {
    await app.send('look around');
    await expect(app.conversation).toContainText('Paragraph 59 of the answer.');
    await app.send('and in short?');
    await expect(app.conversation).toContainText('Short.');

    await app.conversation.focus();
    await page.keyboard.press('Home');
    const card = app.conversation.getByRole('button', { name: /\*\.txt/ }).first();
    await expect(card).toBeInViewport();
    await card.click();
    await expect(card).toHaveAttribute('aria-expanded', 'true');
    await page.getByRole('tab', { name: 'Plan' }).click();
    await app.composer.fill('half a thought');
    const middle = app.conversation.getByText('Paragraph 30 of the answer.');
    await middle.evaluate((element) => element.scrollIntoView({ block: 'start' }));
    await expect(middle).toBeInViewport();
    const placeOf = async () => (await middle.boundingBox())?.y ?? -1;
    const before = await placeOf();

    await page.reload();
    await expect(middle).toBeInViewport();
    await expect.poll(async () => Math.abs((await placeOf()) - before)).toBeLessThan(40);
    await expect(app.composer).toHaveValue('half a thought');
    await expect(page.getByRole('tab', { name: 'Plan' })).toHaveAttribute('aria-selected', 'true');
    await app.conversation.focus();
    await page.keyboard.press('Home');
    await expect(card).toHaveAttribute('aria-expanded', 'true');

    // Another session is looked at, and left again.
    await middle.evaluate((element) => element.scrollIntoView({ block: 'start' }));
    await expect(middle).toBeInViewport();
    await page.getByRole('button', { name: 'New session' }).first().click();
    await expect(middle).toBeHidden();
    await app.sessions
      .getByRole('button', { name: /look around/ })
      .first()
      .click();
    await expect(middle).toBeInViewport();
  });
});

test('work that a restart cut is continued with one press', async ({ page, home }) => {
  const more = gate();
  const script = [reply([text('Half an answer.'), hold(more.opened)]), reply('The other half.')];
  const api = await startScriptedApi(script, { apiKey: KEY });
  const first = await startLathe(home);
  try {
    const app = await openScripted(page, first, api);
    await app.send('begin');
    await expect(app.conversation).toContainText('Half an answer.', A_WHILE);
    await first.stop();
    const second = await startLathe(home);
    try {
      const again = app.conversation.getByRole('button', { name: 'Continue' });
      await expect(again).toBeVisible(A_WHILE);
      await expect(app.conversation).toContainText('This was cut off');
      expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
      await again.click();
      await expect(app.conversation).toContainText('The other half.', A_WHILE);
      await expect(app.conversation).toContainText('Lathe is back, and the work goes on');
      expect(lastTold(api)).toContain('Lathe ended while you worked');
    } finally {
      expect(await second.stop()).toEqual([]);
    }
    expect(api.refusals).toEqual([]);
  } finally {
    more.open();
    expect(await first.stop()).toEqual([]);
    await api.close();
  }
});
