import { execFileSync } from 'node:child_process';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { accessibilityFaults } from '../support/accessibility';
import { reply, toolUse } from '../support/scripted-api-replies';
import { A_WHILE } from './support/app-page';
import { expect, test } from './support/lathe';
import { lastTold, played, writeFiles } from './support/scripted-app';

test.slow();

test('a hunk and a file are staged, the small model drafts, a hook refuses, and then it is committed', async ({
  page,
  lathe,
}) => {
  const lines = Array.from({ length: 40 }, (_, at) => `line ${at + 1}\n`);
  await writeFiles(lathe.home, {
    '.claude/settings.json': JSON.stringify({
      permissions: { allow: ['Bash'], deny: ['Read(secret.txt)'] },
    }),
    'projects/harbour/ships.txt': lines.join(''),
  });
  const cwd = join(lathe.home, 'projects', 'harbour');
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, { cwd, encoding: 'utf8', env: { ...process.env, HOME: lathe.home } });
  git('init', '-q', '-b', 'quay');
  git('config', 'user.name', 'Ann');
  git('config', 'user.email', 'ann@example.com');
  git('add', '-A');
  git('commit', '-qm', 'Begin the list of ships');
  await writeFiles(cwd, { 'new.txt': 'new\n', 'secret.txt': 'hush\n' });
  const hook = join(cwd, '.git', 'hooks', 'pre-commit');
  await writeFile(
    hook,
    `#!/bin/sh
test ! -f slow || { echo "checking"; sleep 1000; }
test -f ready || { echo "not ready yet" >&2; exit 1; }
`,
  );
  await chmod(hook, 0o755);

  const command = "sed -i -e 's/line 3$/ferry/' -e 's/line 30/tug/' ships.txt";
  const script = [
    reply([toolUse('Bash', { command, description: 'Change the files' })]),
    reply('All changed.'),
    reply('```\nReplace line 30 by a tug\n```'),
  ];
  await played({ page, lathe }, script, async (app, api) => {
    await app.send('change them');
    await expect(app.conversation).toContainText('All changed.', A_WHILE);
    await page.keyboard.press('Control+Shift+D');
    await page.getByRole('radio', { name: 'To commit' }).click();
    const files = page.getByRole('list', { name: 'Files to commit' });
    await expect(files.getByRole('listitem')).toHaveCount(3);
    const commit = page.getByRole('button', { name: /^Commit/ });
    await expect(commit).toBeDisabled();

    await files.getByRole('button', { name: /^ships\.txt/ }).click();
    await page
      .getByRole('region', { name: 'Lines from 27, not staged' })
      .getByRole('button', { name: 'Stage' })
      .click();
    await expect(page.getByRole('region', { name: 'Lines from 27, staged' })).toBeVisible();
    await expect(files).toContainText('partly staged');
    await files.getByRole('checkbox', { name: 'Stage new.txt' }).click();
    await files.getByRole('checkbox', { name: 'Stage secret.txt' }).click();
    await expect(page.getByText('3 of 3 files staged')).toBeVisible();
    expect(git('diff', '--cached', 'ships.txt')).not.toContain('ferry');
    // A window that got narrow takes the dock away in the same manner.
    await page.getByRole('tab', { name: 'Tasks' }).click();
    await expect(files).toBeHidden();
    await page.getByRole('tab', { name: 'Changes' }).click();
    await expect(page.getByText('3 of 3 files staged')).toBeVisible();
    await expect(page.getByRole('region', { name: 'Lines from 27, staged' })).toBeVisible();
    expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);

    await page.getByRole('button', { name: 'Draft message' }).click();
    const message = page.getByRole('textbox', { name: 'Commit message, on quay' });
    await expect(message).toHaveValue('Replace line 30 by a tug', A_WHILE);
    expect(lastTold(api)).toContain('+tug');
    expect(lastTold(api)).toContain('Begin the list of ships');
    // What the model may not read is named and not shown.
    expect(lastTold(api)).toContain('not shown: secret.txt');
    expect(lastTold(api)).not.toContain('hush');
    expect(git('log', '--format=%s').trim()).toBe('Begin the list of ships');

    await message.fill('Replace line 30 by a tug\n\nIt is stronger.');
    await commit.click();
    await expect(page.getByRole('alert')).toContainText('not ready yet', A_WHILE);
    await expect(message).toHaveValue(/stronger/);
    await writeFile(join(cwd, 'slow'), '');
    await commit.click();
    for (const other of ['This session', 'To commit'])
      await page.getByRole('radio', { name: other }).click();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await expect(page.getByText('Stopped, not committed')).toBeVisible(A_WHILE);
    await expect(message).toHaveValue(/stronger/);
    await rm(join(cwd, 'slow'));
    await writeFile(join(cwd, 'ready'), '');
    await commit.click();
    await expect(page.getByText(/^Committed [0-9a-f]+$/)).toBeVisible(A_WHILE);
    expect(git('log', '-1', '--format=%B').trim()).toBe(
      'Replace line 30 by a tug\n\nIt is stronger.',
    );
    await expect(message).toHaveValue('');
    await expect(page.getByText('0 of 2 files staged')).toBeVisible();
  });
});
