import { reply } from '../support/scripted-api-replies';
import { expect, test } from './support/lathe';
import { played, writeFiles } from './support/scripted-app';

test.slow();

/** A hook at the end of a query that waits for the file `go`, and then gives these signals. */
const signals = (terminalSequence: string) => {
  const command = `while [ ! -e ~/go ]; do sleep 0.05; done; printf %s '${JSON.stringify({ terminalSequence })}'`;
  return JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: 'command', command }] }] } });
};

test('a hook gives signals: a notification, a title for the window, and a bell on a session nobody looks at', async ({
  page,
  lathe,
}) => {
  const sequence =
    '\u001b]2;Tug watch\u0007\u001b]777;notify;Harbour;All tugs are in\u001b\\\u0007';
  await writeFiles(lathe.home, { '.claude/settings.json': signals(sequence) });
  await played({ page, lathe }, [reply('In.'), reply('Out.')], async (app) => {
    const row = (title: string) => app.sessions.getByRole('button', { name: title });
    await app.send('are the tugs in');
    await expect(app.conversation).toContainText('In.');
    await page.keyboard.press('Alt+n');
    await expect(app.conversation).not.toContainText('In.');
    await writeFiles(lathe.home, { go: '' });
    const message = page.getByRole('region', { name: 'Messages' });
    await expect(message).toContainText('Harbour');
    await expect(message).toContainText('All tugs are in');
    await expect(row('are the tugs in rang')).toBeVisible();
    await expect(page).toHaveTitle('● harbour · Lathe');
    await message.getByRole('button', { name: 'Show' }).click();
    await expect(app.conversation).toContainText('In.');
    await expect(row('are the tugs in rang')).toBeHidden();
    await expect(page).toHaveTitle('Tug watch · harbour · Lathe');
    await page.reload();
    await expect(page).toHaveTitle('Tug watch · harbour · Lathe');
    await page.keyboard.press('Alt+n');
    await expect(page).toHaveTitle('harbour · Lathe');
  });
});
