import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startScriptedApi } from '../support/scripted-api';
import { reply, toolUse } from '../support/scripted-api-replies';
import { A_WHILE, AppPage } from './support/app-page';
import { faults } from './support/faults';
import { expect, startLathe, test } from './support/lathe';
import { KEY, lastTold, openScripted, played } from './support/scripted-app';

test.slow();

test('THREATS 12: a command is shown to the byte, and runs exactly as changed unless rules deny it; questions wait in order, and are answered by keyboard alone, over a reload', async ({
  page,
  home,
  lathe,
}) => {
  await mkdir(join(home, '.claude'));
  const rules = { permissions: { ask: ['Bash(make:*)'], deny: ['Bash(touch secret*)'] } };
  await writeFile(join(home, '.claude', 'settings.json'), JSON.stringify(rules));
  const sly = `printf safe \u202e> a\u202c${' '.repeat(500)}; printf sly > \u200bsly.txt`;
  const questions = [
    {
      question: 'Where should the register be kept?',
      header: 'Storage',
      multiSelect: false,
      options: [
        { label: 'A file', description: 'Nothing to run' },
        { label: 'A database', description: 'Shared by several' },
      ],
    },
    {
      question: 'Which lists go in?',
      header: 'Lists',
      multiSelect: true,
      options: [{ label: 'Ferries' }, { label: 'Tugs' }],
    },
  ];
  const script = [
    reply([toolUse('Bash', { command: sly })]),
    reply('Done.'),
    reply([toolUse('Bash', { command: 'make release' })]),
    reply('Fine.'),
    reply([
      toolUse('Write', { file_path: 'one.txt', content: '1\n' }),
      toolUse('WebFetch', { url: 'https://tides.example/', prompt: 'When is high water?' }),
      toolUse('Write', { file_path: 'two.txt', content: '2\n' }),
      toolUse('Write', { file_path: 'link.txt', content: '3\n' }),
    ]),
    reply([toolUse('Write', { file_path: 'four.txt', content: '4\n' })]),
    reply('All written.'),
    reply([toolUse('AskUserQuestion', { questions })]),
    reply([toolUse('AskUserQuestion', { questions: questions.slice(0, 1) })]),
    reply('Understood.'),
  ];
  await played({ page, lathe }, script, async (app, api, folder) => {
    await test.step('a command is shown to the byte, changed, and runs exactly as changed', async () => {
      await app.send('write it');
      const dialog = await app.question('printf safe');
      await expect(dialog.getByRole('img', { name: /right-to-left override/ })).toBeVisible();
      await expect(dialog.getByText('500 spaces')).toBeVisible();
      await expect(dialog.getByText('sly.txt')).toBeInViewport();
      expect.soft(await faults(page, '[role="dialog"]')).toEqual([]);

      await page.keyboard.press('Control+e');
      const field = dialog.getByLabel('Run this instead');
      await expect(field).toHaveValue(sly);
      const wanted = "printf 'as I want it' > mine.txt # \u00fc";
      await field.fill(wanted);
      expect.soft(await faults(page, '[role="dialog"]')).toEqual([]);
      await page.keyboard.press('Control+Enter');
      await expect(app.conversation).toContainText('Done.', A_WHILE);
      expect(await readFile(join(folder, 'mine.txt'), 'utf8')).toBe('as I want it');
      await expect(readFile(join(folder, 'sly.txt'))).rejects.toThrow('ENOENT');
      expect(lastTold(api)).toContain('The user changed this call before allowing it');
      expect(lastTold(api)).toContain('as I want it');
    });

    await test.step('what the rules deny stays denied after an edit, and what was typed is kept', async () => {
      await app.newSession();
      await app.send('release');
      await app.question('make release');
      await expect(app.approval).toContainText(/Bash\(make:\*\) in .*settings\.json, line 1/);
      await page.keyboard.press('Control+e');
      const field = app.approval.getByLabel('Run this instead');
      const forbidden = 'true && touch secret.txt';
      await field.fill(forbidden);
      await page.keyboard.press('Control+Enter');
      await expect(app.approval.getByRole('alert')).toContainText('What you wrote is not allowed');
      await expect(app.approval.getByRole('alert')).toContainText('Bash(touch secret*)');
      await expect(field).toHaveValue(forbidden);
      expect.soft(await faults(page, '[role="dialog"]')).toEqual([]);
      await field.press('Escape');
      await expect(app.approval).toBeFocused();
      await app.deny('make release', 'not yet');
      await expect(app.conversation).toContainText('Fine.');
      expect(lastTold(api)).toContain('not yet');
      await expect(readFile(join(folder, 'secret.txt'))).rejects.toThrow('ENOENT');
    });

    await test.step('three questions wait in order; one rule answers its like; a link is followed', async () => {
      await app.newSession();
      await symlink(join(folder, '..', 'outside.txt'), join(folder, 'link.txt'));
      await app.send('write three files');
      const dialog = await app.question('one.txt');
      await expect(dialog).toContainText('1 of 3');
      await expect(dialog).toHaveAccessibleName('Create a file');
      await page.keyboard.press('ArrowUp');
      await expect(app.approval).toHaveAccessibleName('Create 2 files');
      await expect(app.approval).toContainText('leads to ~/projects/outside.txt');
      await expect(app.approval).toContainText('reaches outside the project');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      await expect(app.approval).toContainText('1 of 3');
      await page.reload();
      await app.question('one.txt');
      await page.keyboard.press('Shift+Enter');
      const rule = app.approval.getByLabel('From now on, do not ask for');
      await rule.fill('Edit(/*.txt)');
      await page.keyboard.press('Enter');
      await app.question('tides.example');
      await expect(app.approval).toContainText('1 of 2');
      await page.keyboard.press('Escape');
      await app.question('link.txt');
      await expect(app.approval).not.toContainText('of 2');
      await page.keyboard.press('Escape');
      await expect(app.conversation).toContainText('All written.', A_WHILE);
      for (const [name, content] of [
        ['one.txt', '1\n'],
        ['two.txt', '2\n'],
        ['four.txt', '4\n'],
      ] as const)
        expect(await readFile(join(folder, name), 'utf8')).toBe(content);
    });

    await test.step('a question is answered by keyboard alone, over a reload, and stands in the conversation', async () => {
      await app.newSession();
      const before = api.requests.length;
      await app.send('plan the register');
      await expect(app.approval).toContainText('Where should the register be kept?');
      await page.reload();
      await expect(app.approval).toHaveAttribute('data-armed', 'true');
      await expect(app.approval).toBeFocused();
      expect.soft(await faults(page, '[role="dialog"]')).toEqual([]);
      await page.keyboard.press('2');
      await page.keyboard.press('Tab');
      await page.keyboard.press('1');
      await page.keyboard.press('3');
      await page.keyboard.type('and 2 rowing boats');
      await page.keyboard.press('Enter');
      await expect.poll(() => api.requests.length).toBe(before + 2);
      expect(lastTold(api)).toContain('A database');
      expect(lastTold(api)).toContain('Ferries; in their own words: and 2 rowing boats');

      await expect(app.approval).toHaveAccessibleName('A question for you');
      await page.keyboard.press('Escape');
      await expect(app.conversation).toContainText('Understood.');
      expect(lastTold(api)).toContain('did not want to answer');
      await app.conversation.getByRole('button', { name: 'Ask Storage, Lists' }).click();
      await expect(app.conversation).toContainText('A database');
      await expect(app.conversation).toContainText('and 2 rowing boats');
    });
  });
});

test('a plan is changed and approved by keyboard alone; the mode follows; the plan outlives a restart', async ({
  page,
  home,
  lathe,
}) => {
  const plan = '# Register the tugs\n\n1. Write `tugs.txt`.\n2. Tell everybody.';
  const api = await startScriptedApi(
    [
      reply([toolUse('EnterPlanMode', {})]),
      reply([toolUse('Write', { file_path: 'early.txt', content: 'x' })]),
      reply([toolUse('ExitPlanMode', { plan })]),
      reply([toolUse('ExitPlanMode', { plan })]),
      reply([toolUse('Write', { file_path: 'tugs.txt', content: 'Vega\n' })]),
      reply('The tugs are in.'),
    ],
    { apiKey: KEY },
  );
  try {
    const app = await openScripted(page, lathe, api);
    const folder = join(lathe.home, 'projects', 'harbour');
    await app.send('register the tugs, plan first');
    await expect(app.approval).toHaveAccessibleName('Go ahead with this plan?');
    await expect(app.status).toContainText('Plan only');
    await expect(app.approval).toHaveAttribute('data-armed', 'true');
    expect.soft(await faults(page, '[role="dialog"]')).toEqual([]);
    await expect(app.approval.getByRole('button', { name: 'tugs.txt' })).toBeVisible();
    await page.keyboard.press('Tab');
    await page.keyboard.type('Leave the people alone');
    await page.keyboard.press('Enter');
    await expect.poll(() => api.requests.length).toBe(4);
    expect(lastTold(api)).toContain('Leave the people alone');

    await page.reload();
    await expect(app.approval).toHaveAttribute('data-armed', 'true');
    await expect(app.approval).toBeFocused();
    await page.keyboard.press('Control+e');
    const field = app.approval.getByRole('textbox', { name: 'The plan' });
    await expect(field).toBeFocused();
    await page.keyboard.press('Control+End');
    await page.keyboard.press('Shift+Home');
    await page.keyboard.type('2. Tell nobody.');
    await app.approval.getByRole('button', { name: 'Approve, accept edits' }).press('Enter');
    await expect(app.conversation).toContainText('The tugs are in.', A_WHILE);
    await expect(app.status).toContainText('Edit without asking');
    const told = JSON.stringify(api.requests.map((request) => request.body.messages));
    expect(told).toContain('changed the plan and approved it');
    expect(told).toContain('2. Tell nobody.');
    expect(await readFile(join(folder, 'tugs.txt'), 'utf8')).toBe('Vega\n');
    await expect(readFile(join(folder, 'early.txt'))).rejects.toThrow('ENOENT');

    await lathe.stop();
    const again = await startLathe(home);
    try {
      await app.openRecent(await again.link(), 'harbour');
      await app.sessions.getByRole('button', { name: /^register the tugs/ }).click();
      await page.getByRole('tab', { name: 'Plan' }).click();
      const panel = page.getByRole('region', { name: 'Plan' });
      await expect(panel).toContainText('Tell nobody.');
      await expect(panel).toContainText('approved with your changes');
      await panel.getByRole('button', { name: 'tugs.txt' }).press('Enter');
      await expect(page.getByRole('dialog', { name: 'tugs.txt' })).toContainText('Vega');
    } finally {
      await again.stop();
    }
  } finally {
    await api.close();
  }
});

test('closing the window denies what it was asked', async ({ page, context, lathe }) => {
  await played(
    { page, lathe },
    [reply([toolUse('Bash', { command: 'make release' })]), reply('Not without you.')],
    async (app, api) => {
      await app.send('release');
      await app.question('make release');
      await page.close();
      await expect.poll(() => api.requests.length, A_WHILE).toBe(2);
      expect(lastTold(api)).toContain('The user denied this call');
      const later = new AppPage(await context.newPage());
      await later.openRecent(await lathe.link(), 'harbour');
      await expect(later.conversation).toContainText('Not without you.');
      await expect(later.approval).toHaveCount(0);
    },
  );
});
