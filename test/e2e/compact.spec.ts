import { accessibilityFaults } from '../support/accessibility';
import { error, hold, reply, text } from '../support/scripted-api-replies';
import { expect, test } from './support/lathe';
import { gate, played } from './support/scripted-app';

test.slow();

const usage = { input_tokens: 240_000, output_tokens: 500 };

test('the conversation is summarised by hand, in the words of the user too, or stays as it is, and says where its context goes', async ({
  page,
  lathe,
}) => {
  const written = gate();
  const script = [
    reply('One list of names.', { usage }),
    reply([text('<summary>Names were listed.'), hold(written.opened), text('</summary>')]),
    reply('From the summary.'),
    reply('One list of names.', { usage }),
    reply([text('<summary>Half'), hold(new Promise(() => {}))]),
    error(403, 'no'),
    reply('Still here.'),
    reply('Aye.', { usage }),
    reply('Ada, Bo and Cy.', { usage }),
    reply('Noted.', { usage }),
    reply([text('<summary>Three names were listed.</summary>')]),
    reply('From the summary.'),
    reply('From everything.'),
  ];
  await played({ page, lathe }, script, async (app, api) => {
    await test.step('commands open what they name', async () => {
      await app.send('/model');
      await expect(page.getByPlaceholder('Which model?')).toBeVisible();
      await page.keyboard.press('Escape');
      await app.send('/context');
      await expect(page.getByRole('dialog', { name: 'Usage of this session' })).toBeVisible();
      await page.keyboard.press('Escape');
      await app.composer.fill('/');
      const options = page.getByRole('listbox', { name: 'Commands' }).getByRole('option');
      await expect(options.first()).toHaveAttribute('aria-selected', 'true');
      await app.composer.press('ArrowDown');
      await expect(options.nth(1)).toHaveAttribute('aria-selected', 'true');
      await app.composer.press('Escape');
      await expect(options).toHaveCount(0);
      await expect(app.composer).toHaveValue('/');
      await app.composer.fill('');
    });

    await test.step('it is seen while it happens, and stays told', async () => {
      await app.send('list the names');
      await expect(app.conversation).toContainText('One list of names.');

      await app.composer.fill('/com');
      const commands = page.getByRole('listbox', { name: 'Commands' });
      await expect(commands.getByRole('option')).toHaveCount(1);
      expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
      await app.composer.press('Tab');
      await expect(app.composer).toHaveValue('/compact ');
      await expect(commands).toBeHidden();
      await app.composer.pressSequentially('the ferries');
      await app.composer.press('Enter');
      await expect(app.conversation).toContainText('Summarising the conversation…');
      await expect(app.conversation).toContainText('241k tokens');
      expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);

      await page.reload();
      await expect(app.conversation).toContainText('Summarising the conversation…');
      await app.send('what were they?');
      await expect(page.getByRole('list', { name: 'Queued prompts' })).toContainText(
        'what were they?',
      );
      written.open();
      await expect(app.conversation).toContainText(/Conversation summarised: 241k → /);
      await expect(app.conversation).toContainText('From the summary.');
      await expect(app.conversation).not.toContainText('Summarising the conversation…');
      const asked = JSON.stringify(api.requests.map((request) => request.body.messages));
      expect(asked).toContain('Above all keep what concerns this: the ferries');
      await page.reload();
      await expect(app.conversation).toContainText(/Conversation summarised: 241k → /);
    });

    await test.step('it can be cancelled, may fail, and may find nothing to do; the conversation stays', async () => {
      await app.newSession();
      await app.send('/compact');
      await expect(app.conversation).toContainText('There is nothing to summarise yet');
      await app.send('list the names');
      await expect(app.conversation).toContainText('One list of names.');
      await app.send('/compact');
      await app.conversation.getByRole('button', { name: 'Cancel' }).click();
      await expect(app.conversation).toContainText('You stopped this');
      await app.send('/compact');
      await expect(app.conversation).toContainText('could not be summarised and is as it was');
      await app.send('go on');
      await expect(app.conversation).toContainText('Still here.');
      expect(JSON.stringify(api.requests.at(-1)?.body.messages)).toContain('One list of names.');
    });

    await test.step('a session that is opened again says where its context goes before it sends anything', async () => {
      await app.newSession();
      const before = api.requests.length;
      await app.send('name the ferries');
      await expect(app.conversation).toContainText('Aye.');
      const panel = page.getByRole('dialog', { name: 'Usage of this session' });
      await app.send('/context');
      await expect(panel).toContainText('System prompt');
      const counted = await panel.getByText(/ of .* tokens/).textContent();
      await page.keyboard.press('Escape');
      // It gives the focus back a moment after it is gone.
      await expect(app.composer).toBeFocused();

      const list = page.getByRole('navigation', { name: 'Sessions' });
      const row = list.getByRole('button', { name: 'name the ferries', exact: true });
      await list.getByRole('button', { name: 'More for name the ferries' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('menuitem', { name: 'Delete', exact: true }).focus();
      await page.keyboard.press('Enter');
      await expect(row).toBeHidden();
      await page.getByRole('button', { name: 'Undo' }).click();
      await row.click();
      await expect(app.conversation).toContainText('Aye.');
      await app.send('/context');
      await expect(panel).toContainText('System prompt');
      expect(await panel.getByText(/ of .* tokens/).textContent()).toBe(counted);
      expect(api.requests).toHaveLength(before + 1);
    });

    await test.step('a summary is changed before it counts, and taken back; a pinned prompt stays word for word', async () => {
      await app.newSession();
      const sent = () => JSON.stringify(api.requests.at(-1)?.body.messages);
      await app.send('list the names');
      await expect(app.conversation).toContainText('Ada, Bo and Cy.');
      await app.send('never rename Bo');
      await expect(app.conversation).toContainText('Noted.');
      await app.conversation.getByRole('button', { name: 'More for this prompt' }).last().click();
      await page.getByRole('menuitem', { name: 'Keep word for word' }).click();

      await app.status.getByRole('button', { name: /^Usage:/ }).click();
      const numbers = page.getByRole('dialog', { name: 'Usage of this session' });
      await expect(numbers).toContainText('Kept word for word1 prompt');
      await numbers.getByRole('button', { name: 'Summarise…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Summarise the conversation' });
      await expect(dialog.getByRole('textbox', { name: 'Above all keep' })).toBeFocused();
      expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
      await dialog.getByRole('button', { name: 'Write a summary' }).click();

      const draft = page.getByRole('dialog', { name: 'Summary of the conversation' });
      const words = draft.getByRole('textbox', { name: 'Summary' });
      await expect(words).toHaveValue('Three names were listed.');
      expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
      await words.fill('Three names were listed: Ada, Bo, Cy.');
      await draft.getByRole('button', { name: 'Use this summary' }).click();
      await expect(draft).toBeHidden();
      await expect(app.conversation).toContainText(/Conversation summarised: .*241k → /);

      await app.send('who was it?');
      await expect(app.conversation).toContainText('From the summary.');
      expect(sent()).toContain('Three names were listed: Ada, Bo, Cy.');
      expect(sent()).toContain('never rename Bo');
      expect(sent()).not.toContain('Ada, Bo and Cy.');

      await app.conversation.getByRole('button', { name: 'Take back' }).click();
      await expect(app.conversation.getByRole('button', { name: 'Take back' })).toBeHidden();
      await app.send('and now?');
      await expect(app.conversation).toContainText('From everything.');
      expect(sent()).toContain('Ada, Bo and Cy.');
      expect(sent()).not.toContain('Three names were listed');
    });
  });
});
