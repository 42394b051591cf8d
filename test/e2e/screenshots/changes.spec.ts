import { mkdir, rm, writeFile } from 'node:fs/promises';
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
      await shoot('changes');
      await page.getByRole('radio', { name: 'Side by side' }).click();
      await shoot('changes-side-by-side');
    } finally {
      await close();
      await lathe.stop();
      await api.close();
    }
  });
}
