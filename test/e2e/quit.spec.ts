import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { accessibilityFaults } from '../support/accessibility';
import { startScriptedApi } from '../support/scripted-api';
import { reply, toolUse } from '../support/scripted-api-replies';
import { A_WHILE } from './support/app-page';
import { expect, startLathe, test } from './support/lathe';
import { KEY, lastTold, openScripted } from './support/scripted-app';

/** Asks Lathe to end, from its palette. */
async function askToQuit(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.keyboard.type('quit lathe');
  await page.keyboard.press('Enter');
}

test('Lathe is quit from its page: what would end is named, and shells that are kept are found again', async ({
  page,
  home,
}) => {
  test.slow();
  const api = await startScriptedApi([], { apiKey: KEY });
  const first = await startLathe(home);
  const question = page.getByRole('dialog', { name: 'Quit Lathe while work is going on?' });
  try {
    const app = await openScripted(page, first, api);
    await askToQuit(page);
    await expect(page.getByRole('dialog', { name: 'Quit Lathe?' })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toBeHidden();

    await app.composer.focus();
    await page.keyboard.press('Control+`');
    await expect(page.locator('.xterm-helper-textarea')).toBeFocused();
    await page.keyboard.type('echo kept-$((6*7))\n');
    await expect(app.terminals).toContainText('kept-42', A_WHILE);
    await page.keyboard.press('F6');
    await askToQuit(page);
    await expect(question).toContainText('1 shell of your own.');
    expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
    await question.getByRole('button', { name: 'Choose what goes on…' }).click();
    await expect(page.getByRole('tab', { name: 'Processes' })).toHaveAttribute(
      'aria-selected',
      'true',
    );
    await askToQuit(page);
    await question.getByRole('button', { name: 'Quit and keep terminals' }).click();
    await expect(page.getByRole('heading', { name: 'Lathe has ended' })).toBeVisible();
    await expect.poll(first.output, A_WHILE).toContain('Stopping. Goes on: all terminals.');
    await first.stop();

    const second = await startLathe(home);
    try {
      await page.getByRole('button', { name: 'Reload' }).click();
      await expect(app.terminals).toContainText('kept-42', A_WHILE);
      await app.composer.focus();
      await askToQuit(page);
      await question.getByRole('button', { name: 'End everything and quit' }).click();
      await expect(page.getByRole('heading', { name: 'Lathe has ended' })).toBeVisible();
      await expect.poll(second.output, A_WHILE).toContain('Stopping; this ends 1 shell.');
    } finally {
      expect(await second.stop()).toEqual([]);
    }
  } finally {
    await first.stop();
    await api.close();
  }
});

test('of two tasks the one that is kept goes on when Lathe is quit and when it is interrupted, and is owned again', async ({
  page,
  home,
}) => {
  test.slow();
  await mkdir(join(home, '.claude'));
  await writeFile(join(home, '.claude', 'settings.json'), '{"permissions":{"allow":["Bash"]}}');
  const task = (title: string) =>
    toolUse('Bash', {
      command: `echo begun; until [ -e ${title} ]; do sleep 0.1; done; echo over`,
      description: title,
      run_in_background: true,
    });
  const api = await startScriptedApi(
    [reply([task('first-task'), task('second-task')]), reply('Both run.'), reply('It is over.')],
    { apiKey: KEY },
  );
  const question = page.getByRole('dialog', { name: 'Quit Lathe while work is going on?' });
  const first = await startLathe(home);
  const hosts = [first];
  const stopKept = page.getByRole('button', {
    name: 'Stop second-task with everything it started',
  });
  /** Starts Lathe again, and finds the task that was kept. */
  const again = async () => {
    hosts.unshift(await startLathe(home));
    await page.reload();
    await page.getByRole('tab', { name: 'Tasks' }).click();
    await expect(stopKept).toBeAttached(A_WHILE);
    await expect(page.getByRole('button', { name: /^Stop .* with everything/ })).toHaveCount(1);
  };
  try {
    const app = await openScripted(page, first, api);
    await app.send('start both');
    await expect(app.conversation).toContainText('Both run.', A_WHILE);
    await askToQuit(page);
    await expect(question).toContainText('first-task');
    await question.getByRole('button', { name: 'Choose what goes on…' }).click();
    const pin = page.getByRole('button', { name: 'Keep second-task when Lathe quits' });
    await pin.click();
    await expect(pin).toHaveAttribute('aria-pressed', 'true');
    await askToQuit(page);
    await question.getByRole('button', { name: 'End everything and quit' }).click();
    await expect(page.getByRole('heading', { name: 'Lathe has ended' })).toBeVisible();
    await expect
      .poll(() => hosts[0]?.output(), A_WHILE)
      .toMatch(/this ends 1 task\. Goes on: .*second-task/);
    await hosts[0]?.stop();
    await again();
    await hosts[0]?.stop();
    expect(hosts[0]?.output()).toMatch(/Stopping\. Goes on: .*second-task/);
    await again();
    await writeFile(join(home, 'projects', 'harbour', 'second-task'), '');
    await expect(app.conversation).toContainText('It is over.', A_WHILE);
    const ends = lastTold(api).match(/\w+-task\\" (?:was stopped|completed)/g);
    expect(ends).toEqual(['first-task\\" was stopped', 'second-task\\" completed']);
    expect(await hosts[0]?.stop()).toEqual([]);
  } finally {
    await writeFile(join(home, 'projects', 'harbour', 'second-task'), '');
    for (const host of hosts) await host.stop();
    await api.close();
  }
});
