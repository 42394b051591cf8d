import { hold, reply, text } from '../support/scripted-api-replies';
import { A_WHILE } from './support/app-page';
import { expect, test } from './support/lathe';
import { gate, played } from './support/scripted-app';

test.slow();

test('a host that hangs is noticed: times stand still, the message is kept, and the work goes on', async ({
  page,
  lathe,
}) => {
  const answered = gate();
  const script = [
    reply([text('The first half.'), hold(answered.opened), text('The second half.')]),
  ];
  await played({ page, lathe }, script, async (app) => {
    await app.send('tell me in two halves');
    await expect(app.conversation).toContainText('The first half.', A_WHILE);
    const connection = app.status.getByRole('status');
    await expect(connection).toHaveText('connected');

    const thaw = lathe.freeze();
    try {
      await expect(connection).toHaveText('reconnecting…', A_WHILE);
      const before = await app.conversation.innerText();
      const then = await page.evaluate(() => performance.now());
      await expect(page.getByText('Reconnecting… your text is kept')).toBeVisible(A_WHILE);
      await app.composer.fill('what I typed meanwhile');
      await app.composer.press('Enter');
      await expect(app.composer).toHaveValue('what I typed meanwhile');
      await page.waitForFunction((from) => performance.now() > from + 2500, then);
      expect(await app.conversation.innerText()).toBe(before);
    } finally {
      thaw();
    }
    await expect(connection).toHaveText('connected', A_WHILE);
    answered.open();
    await expect(app.conversation).toContainText('The second half.', A_WHILE);
    await expect(app.composer).toHaveValue('what I typed meanwhile');
  });
});
