import { startScriptedApi } from '../support/scripted-api';
import { reply } from '../support/scripted-api-replies';
import { AppPage } from './support/app-page';
import { expect, type Lathe, test } from './support/lathe';
import { KEY, openScripted } from './support/scripted-app';

test.slow();

/** The same project in another tab of the same browser. */
async function secondTab(first: AppPage, lathe: Lathe): Promise<AppPage> {
  const app = new AppPage(await first.page.context().newPage());
  await app.openRecent(await lathe.link(), 'harbour');
  return app;
}

test('two tabs on an empty session keep their words apart, and both prompts arrive once', async ({
  page,
  lathe,
}) => {
  const api = await startScriptedApi((_, number) => reply(`Answer ${number}.`), { apiKey: KEY });
  try {
    const first = await openScripted(page, lathe, api);
    const second = await secondTab(first, lathe);
    await first.composer.fill('alpha to the end');
    await second.composer.fill('beta to the end');
    for (const app of [first, second]) {
      await app.page.reload();
      await expect(app.composer).toBeVisible();
    }
    await expect(first.composer).toHaveValue('alpha to the end');
    await expect(second.composer).toHaveValue('beta to the end');

    await Promise.all([first.composer.press('Enter'), second.composer.press('Enter')]);
    for (const app of [first, second]) {
      await expect(app.conversation).toContainText('Answer 1.');
      await expect(app.composer).toHaveValue('');
      for (const words of ['alpha to the end', 'beta to the end'])
        await expect(app.conversation.getByText(words)).toHaveCount(1);
    }
    expect(api.requests).toHaveLength(2);

    // A new session in one leaves the other where it is, with what is being typed there.
    await second.composer.fill('gamma');
    await first.page.keyboard.press('Alt+n');
    await expect(first.conversation).not.toContainText('Answer 1.');
    await expect(first.composer).toHaveValue('');
    await expect(second.conversation).toContainText('Answer 1.');
    await expect(second.composer).toHaveValue('gamma');
    await second.page.close();
    await first.sessions
      .getByRole('button', { name: /to the end$/ })
      .first()
      .click();
    await first.page.reload();
    await expect(first.conversation).toContainText('Answer 1.');
    await expect(first.composer).toHaveValue('gamma');
  } finally {
    await api.close();
  }
});

test('a session that is deleted in one tab is told in the other, which keeps what is typed and has it back', async ({
  page,
  lathe,
}) => {
  const api = await startScriptedApi((_, number) => reply(`Answer ${number}.`), { apiKey: KEY });
  try {
    const first = await openScripted(page, lathe, api);
    await first.send('name the ferries');
    await expect(first.conversation).toContainText('Answer 0.');
    const second = await secondTab(first, lathe);
    await expect(second.conversation).toContainText('Answer 0.');
    await second.composer.fill('half a thought');

    await first.sessions.getByRole('button', { name: 'More for name the ferries' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    // It was the only one: an empty one stands in its place.
    await expect(first.conversation).toContainText('What shall we do in harbour?');
    await expect(page.getByText('could not be loaded')).toBeHidden();
    await expect(
      first.sessions.getByRole('button', { name: 'New session', exact: true }),
    ).toBeVisible();

    const told = second.page.getByRole('status').filter({ hasText: 'deleted in another window' });
    await expect(told).toBeVisible();
    await expect(second.conversation).toContainText('Answer 0.');
    await expect(second.composer).toHaveValue('half a thought');
    await told.getByRole('button', { name: 'Restore' }).click();
    await expect(told).toBeHidden();
    await second.composer.press('End');
    await second.page.keyboard.type(', finished');
    await second.page.keyboard.press('Enter');
    await expect(second.conversation).toContainText('Answer 1.');
    expect(JSON.stringify(api.requests.at(-1)?.body.messages)).toContain('name the ferries');
  } finally {
    await api.close();
  }
});
