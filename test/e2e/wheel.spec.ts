import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { reply, toolUse } from '../support/scripted-api-replies';
import { A_WHILE, AppPage } from './support/app-page';
import { expect, test } from './support/lathe';
import { lastTold, played, writeFiles } from './support/scripted-app';

test.slow();

const SECRET = 'correct horse battery';
/** Wider than a pane. */
const QUESTION = 'Deploy to production now, although 3 of 48 checks are still red? [yes/NO]';
/** Asks for a password on the first line of its screen, and on the last one. */
const DEPLOY = `printf 'Password: '; read -rs one; echo
seq 30; printf 'Once more: '; read -rs two; echo
[ "$one" = "$two" ] && echo "the same, of \${#two} characters"
read -rp '${QUESTION} ' go; echo "answer: $go"`;

/** The names of the files under a folder that hold a text. */
async function holding(folder: string, text: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const found = files.map(async ({ parentPath, name }) =>
    (await readFile(join(parentPath, name), 'latin1')).includes(text) ? [name] : [],
  );
  return (await Promise.all(found)).flat();
}

test('a user takes the wheel of a command: its secret is nowhere, and the model hears that they typed', async ({
  page,
  lathe,
}, info) => {
  const script = [
    reply([toolUse('Bash', { command: 'bash deploy.sh', description: 'deploy' })]),
    reply('It is deployed.'),
  ];
  await played({ page, lathe }, script, async (app, api, folder) => {
    await writeFiles(folder, { 'deploy.sh': DEPLOY });
    await app.send('deploy it');
    await app.allowOnce('bash deploy.sh');
    const line = page.getByRole('region', { name: 'Secret' });
    const field = line.getByLabel('Secret for the program');
    /** The line for the secret is in no question's way. */
    const seesQuestion = async (question: string) => {
      const row = app.terminals.locator('.xterm-rows > div').filter({ hasText: question });
      const [asked, secret] = [await row.boundingBox(), await line.boundingBox()];
      if (asked === null || secret === null) return false;
      return secret.y >= asked.y + asked.height || secret.y + secret.height <= asked.y;
    };
    const answer = async (question: string) => {
      await expect.poll(() => app.screenText(), A_WHILE).toContain(question);
      await expect.poll(() => seesQuestion(question), A_WHILE).toBe(true);
      await expect(field).toBeFocused();
      await field.fill(SECRET);
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme });
        const name = `${question.slice(0, 4)}-${colorScheme}.png`;
        await page.screenshot({ path: info.outputPath(name), animations: 'disabled' });
      }
      await page.keyboard.press('Enter');
    };
    await expect(line).toContainText('It asks for a secret.', A_WHILE);
    expect(await seesQuestion('Password:')).toBe(true);
    await page.getByRole('button', { name: 'More for this pane' }).click();
    await page.getByRole('menuitem', { name: 'Maximise' }).click();
    await line.getByRole('button', { name: 'Take the wheel' }).click();
    await answer('Password:');
    await answer('Once more:');

    await expect.poll(() => app.screenText()).toContain('the same, of 21 characters');
    await expect.poll(() => app.screenText()).toContain(QUESTION);
    await expect(line).toHaveCount(0);
    // Its end stays in view where the pane gets narrower.
    await page.getByRole('button', { name: 'Back to its place' }).click();
    await expect.poll(() => app.screenText()).not.toContain(QUESTION);
    const unwrapped = async () => (await app.screenText()).replace(/\n/g, '');
    await expect.poll(unwrapped).toContain(QUESTION);
    await page.screenshot({ path: info.outputPath('question.png'), animations: 'disabled' });
    await app.typeInTerminal('yes');
    await expect(app.conversation).toContainText('It is deployed.');

    expect(lastTold(api)).toContain('answer: yes');
    expect(lastTold(api)).toContain('The user typed into its terminal while it ran.');
    expect(JSON.stringify(api.requests)).not.toContain(SECRET);
    expect(await page.content()).not.toContain(SECRET);
    expect(lathe.output()).not.toContain(SECRET);
    expect(await holding(lathe.home, SECRET)).toEqual([]);
    expect(await holding(lathe.home, 'answer: yes')).not.toEqual([]);
    await page.reload();
    await expect(app.conversation).toContainText('It is deployed.');
    expect(await page.content()).not.toContain(SECRET);
  });
});

/** Asks for one password. */
const UNLOCK = `printf 'Password: '; read -rs one; echo; echo "unlocked by \${#one} characters"`;

test('two windows on a command that asks for a password: both see who has the wheel, and neither shows the secret', async ({
  page,
  context,
  lathe,
}, info) => {
  const script = [
    reply([toolUse('Bash', { command: 'bash unlock.sh', description: 'unlock' })]),
    reply('It is unlocked.'),
  ];
  await played({ page, lathe }, script, async (app, api, folder) => {
    await writeFiles(folder, { 'unlock.sh': UNLOCK });
    await app.send('unlock it');
    await app.allowOnce('bash unlock.sh');
    const sent: string[] = [];
    const other = await context.newPage();
    const second = new AppPage(other);
    for (const window of [page, other])
      window.on('websocket', (socket) =>
        socket.on('framereceived', ({ payload }) => sent.push(payload.toString('latin1'))),
      );
    await second.openRecent(await lathe.link(), 'harbour');
    await page.reload();
    const lineOf = (window: typeof page) => window.getByRole('region', { name: 'Secret' });
    const fieldOf = (window: typeof page) => lineOf(window).getByLabel('Secret for the program');
    for (const window of [page, other]) {
      await expect(lineOf(window)).toContainText('It asks for a secret.', A_WHILE);
      await expect(fieldOf(window)).toHaveCount(0);
    }
    await lineOf(page).getByRole('button', { name: 'Take the wheel' }).click();
    for (const window of [page, other]) {
      await expect(fieldOf(window)).toHaveAttribute('type', 'password');
      await expect(window.getByRole('button', { name: 'Hand back' })).toBeVisible();
    }
    const [here, elsewhere] = ['You are typing', 'Another window is typing'];
    const says = async (window: typeof page, text: string) => {
      const line = window.getByRole('status').filter({ hasText: text });
      await expect(line).toHaveCount(1, A_WHILE);
      // Where there is room it is not for screen readers only.
      await expect.poll(async () => (await line.boundingBox())?.width).toBeGreaterThan(50);
    };
    await says(page, here);
    await says(other, elsewhere);
    // The window is the same one after a reload.
    await page.reload();
    await says(page, here);
    // Only where it was taken do the keys go to it.
    await expect(fieldOf(page)).toBeFocused();
    await expect(fieldOf(other)).not.toBeFocused();
    await fieldOf(page).fill(SECRET);
    await expect(fieldOf(other)).toHaveValue('');
    for (const colorScheme of ['dark', 'light'] as const)
      for (const [name, window] of Object.entries({ first: page, second: other })) {
        await window.bringToFront();
        await window.emulateMedia({ colorScheme });
        const path = info.outputPath(`${name}-${colorScheme}.png`);
        await window.screenshot({ path, animations: 'disabled' });
      }
    await other.getByRole('button', { name: 'Hand back' }).click();
    for (const window of [page, other]) {
      await expect(lineOf(window)).toContainText('It asks for a secret.');
      await expect(window.getByText(here)).toHaveCount(0);
      await expect(window.getByText(elsewhere)).toHaveCount(0);
    }
    await lineOf(other).getByRole('button', { name: 'Take the wheel' }).click();
    await says(other, here);
    await says(page, elsewhere);
    await expect(fieldOf(other)).toBeFocused();
    await expect(fieldOf(page)).toBeVisible();
    await expect(fieldOf(page)).not.toBeFocused();
    await fieldOf(other).fill(SECRET);
    await fieldOf(other).press('Enter');
    await expect(app.conversation).toContainText('It is unlocked.', A_WHILE);
    await expect.poll(() => second.screenText()).toContain('unlocked by 21 characters');

    expect(lastTold(api)).toContain('The user typed into its terminal while it ran.');
    for (const window of [page, other]) {
      await window.reload();
      await expect(window.getByText('It is unlocked.').first()).toBeVisible(A_WHILE);
      expect(await window.content()).not.toContain(SECRET);
    }
    expect(sent.length).toBeGreaterThan(0);
    expect(sent.filter((frame) => frame.includes(SECRET))).toEqual([]);
    expect(JSON.stringify(api.requests)).not.toContain(SECRET);
    expect(lathe.output()).not.toContain(SECRET);
    expect(await holding(lathe.home, SECRET)).toEqual([]);
    await other.close();
  });
});
