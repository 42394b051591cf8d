import { execFileSync } from 'node:child_process';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startScriptedApi } from '../../support/scripted-api';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { A_WHILE } from '../support/app-page';
import { expect, startLathe, test } from '../support/lathe';
import { picturePage } from '../support/picture';
import { KEY, openScripted, writeFiles } from '../support/scripted-app';

test.slow();

const SHIPS = Array.from(
  { length: 40 },
  (_, at) => `  '${['ferry', 'tug', 'dredger'][at % 3]} ${at}',\n`,
);

for (const scheme of ['light', 'dark'] as const) {
  test(`the pictures of what a session changed, ${scheme}`, async ({ browser }) => {
    const home = join(tmpdir(), `lathe-changes-${scheme}`, 'ada');
    await rm(home, { recursive: true, force: true });
    await mkdir(home, { recursive: true });
    await writeFiles(home, {
      '.claude/settings.json': JSON.stringify({ permissions: { allow: ['Bash', 'Write'] } }),
      'projects/harbour/src/ships.ts': `export const SHIPS = [\n${SHIPS.join('')}];\n`,
      'projects/harbour/src/old-berths.ts': 'export const BERTHS = 3;\n',
    });
    const command =
      "sed -i -e 's/tug 4/barge 4/' -e '/dredger 29/d' src/ships.ts && rm src/old-berths.ts";
    const berths = { file_path: 'src/berths.ts', content: 'export const BERTHS = new Map();\n' };
    const api = await startScriptedApi(
      [
        reply([toolUse('Bash', { command, description: 'Rename a ship' })]),
        reply([toolUse('Write', berths)]),
        reply(
          'The register is **up to date**: one ship renamed, one gone, berths in a file of their own.',
        ),
      ],
      { apiKey: KEY },
    );
    const lathe = await startLathe(home);
    const { page, shoot, close } = await picturePage(browser, scheme);
    try {
      const app = await openScripted(page, lathe, api);
      await app.send('Bring the register up to date');
      await expect(app.conversation).toContainText('up to date: one ship', A_WHILE);
      await writeFile(join(home, 'projects/harbour/src/berths.ts'), 'export const MINE = 1;\n');
      await page.keyboard.press('Control+Shift+D');
      const divider = page.getByRole('separator', { name: 'Between panels and terminals' });
      for (let step = 0; step < 6; step += 1) await divider.press('ArrowDown');
      const files = page.getByRole('list', { name: 'Changed files' });
      await expect(files.getByRole('listitem')).toHaveCount(3);
      await page.getByRole('button', { name: 'Compare again' }).click();
      await expect(files).toContainText('changed by others too');
      await files.getByRole('button', { name: /^src\/ships\.ts/ }).click();
      await page.getByRole('button', { name: 'Comment on line 6', exact: true }).click();
      await page.getByRole('textbox', { name: 'Comment on line 6' }).fill('Is it still a tug?');
      // Colours come from a worker.
      await expect(files.locator('[style*="color"]').first()).toBeVisible();
      await shoot('changes', 'dock');
      await page.getByRole('radio', { name: 'Side by side' }).click();
      await shoot('changes-side-by-side', 'dock');
    } finally {
      await close();
      await lathe.stop();
      await api.close();
    }
  });
}

const REFUSAL = `src/ships.ts
  12:3  error  'dredger' is assigned a value but never used

1 problem (1 error, 0 warnings)
pre-commit: lint failed`;

for (const scheme of ['light', 'dark'] as const) {
  test(`the pictures of what is to be committed, ${scheme}`, async ({ browser }) => {
    const home = join(tmpdir(), `lathe-commit-${scheme}`, 'ada');
    const cwd = join(home, 'projects', 'harbour');
    await rm(home, { recursive: true, force: true });
    await writeFiles(cwd, {
      'src/ships.ts': `export const SHIPS = [\n${SHIPS.join('')}];\n`,
      'src/old-berths.ts': 'export const BERTHS = 3;\nexport const DEPTH = 12;\n',
      'src/tides.ts': 'export const TIDES = [];\n',
      'README.md': '# Harbour\n',
    });
    const git = (...args: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
        ...{ cwd, env: { PATH: process.env['PATH'] ?? '', HOME: home } },
      });
    git('init', '-q', '-b', 'register');
    git('add', '-A');
    git('commit', '-qm', 'Begin the register');
    git('config', 'user.name', 'Ada');
    git('config', 'user.email', 'ada@example.com');
    git('mv', 'src/old-berths.ts', 'src/berths.ts');
    await writeFiles(cwd, {
      'src/ships.ts': `export const SHIPS = [\n${SHIPS.slice(1).join('')}];\n`,
      'src/lights.ts': 'export const LIGHTS = new Map();\n',
      'README.md': '# Harbour\n\nA register of ships.\n',
    });
    await rm(join(cwd, 'src/tides.ts'));
    git('add', 'src/ships.ts', 'README.md');
    const hook = join(cwd, '.git', 'hooks', 'pre-commit');
    await writeFile(hook, `#!/bin/sh\ncat >&2 <<'END'\n${REFUSAL}\nEND\nexit 1\n`);
    await chmod(hook, 0o755);
    const api = await startScriptedApi([reply('The register is up to date.')], { apiKey: KEY });
    const lathe = await startLathe(home);
    const { page, shoot, close } = await picturePage(browser, scheme);
    try {
      const app = await openScripted(page, lathe, api);
      await app.send('Is the register up to date?');
      await expect(app.conversation).toContainText('up to date.', A_WHILE);
      await page.keyboard.press('Control+Shift+D');
      await page.getByRole('radio', { name: 'To commit' }).click();
      const files = page.getByRole('list', { name: 'Files to commit' });
      await expect(files.getByRole('listitem')).toHaveCount(5);
      const message = page.getByRole('textbox', { name: 'Commit message, on register' });
      await message.fill('Take the first ferry out of the register\n\nIt was sold in spring.');
      await shoot('commit', 'dock');
      await page.getByRole('button', { name: 'Commit', exact: true }).click();
      await expect(page.getByRole('alert')).toContainText('lint failed', A_WHILE);
      await shoot('commit-refused', 'dock');
    } finally {
      await close();
      await lathe.stop();
      await api.close();
    }
  });
}
