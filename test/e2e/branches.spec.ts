import { accessibilityFaults } from '../support/accessibility';
import { reply } from '../support/scripted-api-replies';
import { expect, test } from './support/lathe';
import { lastTold, played } from './support/scripted-app';

test.slow();

test('an earlier prompt is edited and sent again; what was left behind opens as a session', async ({
  page,
  lathe,
}) => {
  const script = [
    reply('Answer one.'),
    reply('Answer two.'),
    reply('Answer three.'),
    reply('Forked.'),
    reply('White.'),
    reply('<summary>It was red.</summary>'),
  ];
  await played({ page, lathe }, script, async (app, api) => {
    const own = app.conversation.getByRole('article', { name: 'You' });
    const picker = page.getByRole('dialog', { name: 'Go back to an earlier prompt' });
    await app.send('paint it red');
    await expect(app.conversation).toContainText('Answer one.');
    await app.send('paint it blue');
    await expect(app.conversation).toContainText('Answer two.');

    // Esc Esc lists the prompts; the one that is chosen comes back into the message box.
    await app.composer.press('Escape');
    await app.composer.press('Escape');
    await expect(picker.getByRole('option')).toHaveText(['paint it blue', 'paint it red']);
    expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
    await page.keyboard.type('BLUE');
    await expect(picker.getByRole('option')).toHaveCount(1);
    await page.keyboard.press('Enter');
    await expect(app.composer).toHaveValue('paint it blue');
    await expect(app.composer).toBeFocused();
    await expect(own).toHaveCount(1);
    await expect(app.conversation).not.toContainText('Answer two.');
    await expect(app.conversation).toContainText('You went back to before “paint it blue”');
    await app.send('paint it green');
    await expect(app.conversation).toContainText('Answer three.');
    expect(JSON.stringify(api.requests.at(-1)?.body.messages)).not.toContain('blue');

    const left = app.conversation.getByRole('button', { name: 'Open what was left behind' });
    // It reads as what can be pressed, also where its colour is that of the words around it.
    const line = () => left.evaluate((element) => getComputedStyle(element).textDecorationLine);
    expect(await line()).toBe('none');
    await page.emulateMedia({ forcedColors: 'active' });
    expect(await line()).toBe('underline');
    await page.emulateMedia({ forcedColors: 'none' });
    await left.click();
    await expect(app.conversation).toContainText('Answer two.');
    await expect(app.conversation).not.toContainText('Answer three.');
    await expect(app.sessions).toContainText('paint it red (2)');

    // A fork from a prompt has what was said before it, and the prompt to begin with.
    await own.last().hover();
    await own.last().getByRole('button', { name: 'More for this prompt' }).click();
    expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
    await page.getByRole('menuitem', { name: 'Fork from here' }).click();
    await expect(app.composer).toHaveValue('paint it blue');
    await expect(own).toHaveCount(1);
    await expect(app.sessions).toContainText('paint it red (3)');
    await app.send('paint it black');
    await expect(app.conversation).toContainText('Forked.');
    expect(lastTold(api)).toContain('black');

    // A copy goes on behind an answer too, and a summary ends where the user chooses.
    await app.conversation.getByText('Answer one.').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Fork after this answer' }).click();
    await expect(app.sessions).toContainText('paint it red (4)');
    await expect(own).toHaveCount(1);
    await app.send('paint it white');
    await expect(app.conversation).toContainText('White.');
    await own.last().hover();
    await own.last().getByRole('button', { name: 'More for this prompt' }).click();
    await page.getByRole('menuitem', { name: 'Summarise up to here…' }).click();
    await page.getByRole('button', { name: 'Write a summary' }).click();
    await expect(page.getByRole('textbox', { name: 'Summary' })).toHaveValue('It was red.');
    expect(JSON.stringify(api.requests.at(-1)?.body.messages)).not.toContain('white');
  });
});

test('an earlier prompt is edited in the message box, and the conversation stays until its new words are sent', async ({
  page,
  lathe,
}, info) => {
  const script = ['One.', 'Two.', 'Three.'].map((words) => reply(words));
  await played({ page, lathe }, script, async (app, api) => {
    const line = page.getByText('You are editing an earlier message.');
    const edit = async () => {
      const own = app.conversation.getByRole('article', { name: 'You' }).first();
      await own.hover();
      await own.getByRole('button', { name: 'More for this prompt' }).click();
      await page.getByRole('menuitem', { name: 'Edit and send again' }).click();
      await expect(app.composer).toHaveValue('paint it red');
      await expect(app.composer).toBeFocused();
    };
    await app.send('paint it red');
    await expect(app.conversation).toContainText('One.');
    await app.send('paint it blue');
    await expect(app.conversation).toContainText('Two.');
    await app.composer.fill('a draft');

    await edit();
    await expect(line).toBeVisible();
    expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const path = info.outputPath(`revised-${colorScheme}.png`);
      await page.screenshot({ path, animations: 'disabled' });
    }
    await app.composer.fill('never mind');
    await page.keyboard.press('Escape');
    await expect(line).toBeHidden();
    await expect(app.composer).toHaveValue('a draft');
    await expect(app.conversation).toContainText('Two.');

    // What a reload leaves of it is no part of the next one.
    await edit();
    await app.composer.fill('left by a reload');
    await page.reload();
    await expect(app.composer).toHaveValue('a draft');
    await edit();
    await app.send('paint it green');
    await expect(app.conversation).toContainText('Three.');
    await expect(app.conversation).not.toContainText('Two.');
    await expect(app.conversation).toContainText('You went back to before “paint it red”');
    const said = JSON.stringify(api.requests.at(-1)?.body.messages);
    expect(said).toContain('green');
    expect(said).not.toMatch(/red|blue/);
    await expect(app.composer).toHaveValue('a draft');
  });
});
