import { reply, toolUse } from '../support/scripted-api-replies';
import { expect, test } from './support/lathe';
import { played } from './support/scripted-app';

test.slow();

test('the key of the terminal opens a shell where nothing is left but a command that has ended', async ({
  page,
  lathe,
}) => {
  const script = [
    reply([toolUse('Bash', { command: 'echo high water', run_in_background: true })]),
    reply('It ran.'),
    reply('So it ended.'),
  ];
  await played({ page, lathe }, script, async (app) => {
    await app.send('look once');
    await expect(app.terminals).toContainText('exited with code 0');
    await app.composer.press('Control+`');
    await expect(app.terminals.getByRole('tab')).toHaveCount(2);
    await expect(page.locator('.xterm-helper-textarea:focus')).toHaveCount(1);
    await expect.poll(() => app.screenText()).toMatch(/[$#] *$/m);
  });
});
