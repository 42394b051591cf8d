import { appendFile, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectFolder } from '../../src/main/engine/sessions/paths';
import { accessibilityFaults } from '../support/accessibility';
import { reply } from '../support/scripted-api-replies';
import { faults } from './support/faults';
import { expect, test } from './support/lathe';
import { played, writeFiles } from './support/scripted-app';

test.slow();

test('a search finds what was said in other sessions, and leads to the message', async ({
  page,
  lathe,
}) => {
  const long = Array.from({ length: 200 }, (_, i) => `Line ${i} of the answer.\n`).join('\n');
  const script = [
    reply(`The zeppelin is over there.\n\n${long}`),
    reply(`${long}\n\nThat was all of it.`),
    reply('Nothing about that here.'),
  ];
  await played({ page, lathe }, script, async (app) => {
    await app.send('where is the airship');
    await expect(app.conversation).toContainText('Line 199');
    await app.send('and again');
    await expect(app.conversation).toContainText('That was all of it.');
    await page.getByRole('button', { name: 'New session' }).click();
    await app.send('something else');
    await expect(app.conversation).toContainText('Nothing about that here.');

    const field = page.getByRole('searchbox', { name: /Find sessions/ });
    await field.fill('Zeppel');
    const hit = page.getByRole('button', { name: 'The zeppelin is over there.' });
    await expect(hit.locator('mark')).toHaveText('zeppelin');
    expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
    await field.press('Enter');
    await expect(
      page.getByTestId('centre').getByText('The zeppelin is over there.'),
    ).toBeInViewport();
    await expect(page.locator('[data-item]:focus')).toContainText('zeppelin');

    // A session of its own goes on from the finding, without what came after it.
    await hit.hover();
    await page.getByRole('button', { name: 'Fork from here' }).first().click();
    // The keyboard goes to the composer then: a field that is emptied just before that loses the key to it.
    await expect
      .poll(async () => {
        await field.fill('');
        return app.sessions.textContent();
      })
      .toContain('where is the airship (2)');
    await expect(app.conversation).toContainText('Line 199');
    await expect(app.conversation).not.toContainText('and again');

    // What is on screen can be saved as a file; what of its log cannot be read is told.
    await field.fill('');
    const logs = projectFolder(lathe.latheHome, join(lathe.home, 'projects', 'harbour'));
    for (const name of await readdir(logs))
      if (name.endsWith('.jsonl')) await appendFile(join(logs, name), '{"torn');
    const row = page.getByRole('button', { name: 'More for where is the airship', exact: true });
    await row.focus();
    await row.press('Enter');
    const saving = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'Export as Markdown' }).click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toBe('where-is-the-airship.md');
    // Where a browser puts it, or whether it asks first, no page can know.
    await expect(page.getByText('Handed to the browser as where-is-the-airship.md')).toBeVisible();
    expect(await readFile(await saved.path(), 'utf8')).toContain('The zeppelin is over there.');
    await expect(
      page.getByText(
        /^Not all is in it\. .*The last line of this session's file is torn \(6 bytes\)/,
      ),
    ).toBeVisible();

    // So can the one on screen, by its name in the palette and after a slash.
    await app.composer.fill('/export pdf');
    await app.composer.press('Enter');
    await expect(page.getByText('“pdf” is no format')).toBeVisible();
    await expect(app.composer).toHaveValue('/export pdf');
    await app.composer.fill('/export json');
    const byName = page.waitForEvent('download');
    await app.composer.press('Enter');
    expect((await byName).suggestedFilename()).toBe('where-is-the-airship-2.json');
    await expect(app.composer).toHaveValue('');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('export');
    const chosen = page.waitForEvent('download');
    await page.keyboard.press('Enter');
    expect((await chosen).suggestedFilename()).toBe('where-is-the-airship-2.md');

    await field.fill('no_such_word');
    await expect(page.getByText('No conversation has that.')).toContainText(
      'Of a message only the first million characters are searched.',
    );
  });
});

test('what other agents keep on this machine is found too, and opens to be read', async ({
  page,
  lathe,
}) => {
  const said = (type: 'user' | 'assistant', content: string, n: number) => ({
    ...{ type, cwd: '/home/you/lighthouse', sessionId: 's', isSidechain: false },
    ...{ timestamp: new Date(Date.UTC(2026, 10, 1, 10, n)).toISOString() },
    message: { role: type, content },
  });
  const talk = [
    said('user', 'Why does the lamp of the lighthouse flicker?', 0),
    ...Array.from({ length: 60 }, (_, n) =>
      said(n % 2 === 0 ? 'assistant' : 'user', `Part ${n}. ${'It goes on. '.repeat(40)}`, n + 1),
    ),
    said('assistant', 'The relay was loose: I tightened the quetzal screw.', 62),
  ];
  const lines = talk.map((line) => `${JSON.stringify(line)}\n`).join('');
  await played({ page, lathe }, [], async () => {
    const folder = join(lathe.home, '.claude', 'projects', '-home-you-lighthouse');
    const log = join(folder, '5f0c.jsonl');
    await writeFiles(folder, { '5f0c.jsonl': lines });
    const field = page.getByRole('searchbox', { name: /Find sessions/ });
    await field.fill('quetzal');
    const hit = page.getByRole('button', { name: 'I tightened the quetzal screw.' });
    await expect(hit.locator('mark')).toHaveText('quetzal');
    await expect(page.getByText('· Claude Code')).toBeVisible();
    await hit.click();
    const dialog = page.getByRole('dialog', { name: 'Why does the lamp of the lighthouse' });
    await expect(dialog).toContainText(
      'A session of Claude Code, in lighthouse. It stays as it is',
    );
    const found = dialog.locator('[data-found]');
    await expect(found).toContainText('quetzal');
    await expect(found).toBeInViewport();
    expect.soft(await faults(page, '[role="dialog"]')).toEqual([]);

    // The contents lead to each prompt, by keyboard too; a fork stops before one, with its words in the draft.
    const contents = dialog.getByRole('navigation', { name: 'Prompts of the log' });
    await expect(contents.getByRole('button')).toHaveCount(31);
    await contents.getByRole('button', { name: 'Part 29.' }).focus();
    await page.keyboard.press('Enter');
    await expect(found).toContainText('Part 29.');
    await expect(found).toBeInViewport();
    await found.getByRole('button', { name: 'Fork from here' }).click();
    await expect(dialog).toBeHidden();
    const conversation = page.getByRole('region', { name: 'Conversation' });
    await expect(conversation).toContainText('Part 28.');
    await expect(conversation).toContainText('Copied from a session of Claude Code');
    await expect(conversation.getByText('Part 29.')).toHaveCount(0);
    await expect(
      page.getByTestId('centre').getByRole('button', { name: /^Why does the lamp/ }),
    ).toBeVisible();
    await expect(page.getByRole('textbox', { name: 'Message' })).toHaveValue(/^Part 29\./);
    expect(await readFile(log, 'utf8')).toBe(lines);

    // Who does not want that, finds nothing of theirs any more.
    await page.keyboard.press('Control+,');
    await page.getByRole('tab', { name: 'Search' }).click();
    await page.getByRole('switch', { name: 'Search sessions of other agents too' }).click();
    await page.keyboard.press('Escape');
    await field.fill('quetza');
    await expect(page.getByText('No conversation has that.')).toBeVisible();
    await expect(hit).toHaveCount(0);
  });
});
