import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectFolder } from '../../../src/main/engine/sessions/paths';
import { startScriptedApi } from '../../support/scripted-api';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { A_WHILE } from '../support/app-page';
import { expect, startLathe, test } from '../support/lathe';
import { picturePage } from '../support/picture';
import { KEY, openScripted, writeFiles } from '../support/scripted-app';

test.slow();

const LAMPS = `/** The lamps of the harbour, by the colour they show to ships that come in. */
export const LAMPS = {
  north: 'green',
  south: 'red',
} as const;

export const isLit = (hour: number): boolean => hour >= 18 || hour < 6;
`;
const COMMAND = "sed -i s/18/17/ src/lamps.ts && echo 'Lit from 17:00.' > NOTES.md";

for (const scheme of ['light', 'dark'] as const) {
  test(`the pictures of finding and going back, ${scheme}`, async ({ browser }) => {
    const home = join(tmpdir(), `lathe-history-${scheme}`, 'ada');
    await rm(home, { recursive: true, force: true });
    await mkdir(home, { recursive: true });
    await writeFiles(home, {
      '.claude/settings.json': JSON.stringify({
        permissions: { allow: ['Bash', 'Edit', 'Write'] },
      }),
      'projects/harbour/src/lamps.ts': LAMPS,
      'projects/harbour/src/lamp-keeper.ts': 'export const KEEPER = "Ines";\n',
      'projects/harbour/docs/lamps.md': '# Lamps\n',
      'projects/harbour/NOTES.md': 'Lit from 18:00.\n',
    });
    const api = await startScriptedApi(
      [
        reply('The north lamp shows **green**, the south lamp red. Both are lit from 18:00.'),
        reply([toolUse('Bash', { command: COMMAND, description: 'Light the lamps earlier' })]),
        reply('The lamps are lit from 17:00 now.'),
      ],
      { apiKey: KEY },
    );
    const lathe = await startLathe(home);
    const { page, shoot, close } = await picturePage(browser, scheme);
    try {
      const app = await openScripted(page, lathe, api);
      await app.send('Which colour does the north lamp show?');
      await expect(app.conversation).toContainText('shows green');
      await app.send('Light them an hour earlier');
      await expect(app.conversation).toContainText('from 17:00 now', A_WHILE);

      await app.composer.pressSequentially('What does @lam');
      const mentions = page.getByRole('listbox', { name: 'Files' });
      await expect(mentions.getByRole('option')).toHaveCount(4);
      await shoot('mention');
      await page.keyboard.press('Escape');
      await app.composer.fill('');

      await page.keyboard.press('Control+p');
      const finder = page.getByRole('dialog', { name: 'Find a file' });
      await page.keyboard.type('lamps');
      await expect(finder.getByRole('option').first()).toContainText('lamps');
      await shoot('file-finder');
      await finder.getByRole('option', { name: /lamps\.ts/ }).click();
      const viewer = page.getByRole('dialog', { name: /lamps\.ts/ });
      await expect(viewer.locator('[style*="color"]').first()).toBeVisible();
      await shoot('file-viewer');
      await page.keyboard.press('Escape');

      await writeFile(join(home, 'projects/harbour/NOTES.md'), 'My own words.\n');
      await app.conversation.getByRole('button', { name: /Bash/ }).first().click();
      await expect(app.conversation).toContainText('Changed 2 files');
      await app.conversation.getByRole('button', { name: 'Undo…' }).click();
      const dialog = page.getByRole('dialog');
      await expect(dialog.getByRole('region', { name: 'Left as they are' })).toContainText('NOTES');
      await dialog.getByRole('button', { name: /lamps\.ts/ }).click();
      await expect(dialog).toContainText('hour >= 17');
      await shoot('undo');
      await page.keyboard.press('Escape');

      await app.composer.press('Escape');
      await app.composer.press('Escape');
      await expect(page.getByRole('option')).toHaveCount(2);
      await shoot('rewind-picker');
      await page.keyboard.press('Enter');
      await expect(dialog).toContainText('Go back to before this prompt');
      await expect(dialog.getByRole('region', { name: /^Changes/ })).toContainText('lamps.ts');
      await shoot('rewind');
      await page.keyboard.press('Escape');

      const field = page.getByRole('searchbox', { name: /Find sessions/ });
      const search = async () => {
        await field.fill('lamp');
        await expect(page.locator('mark').first()).toHaveText(/lamp/i, A_WHILE);
      };
      await search();
      await shoot('search', 'sessions', search);
      await field.fill('');

      await app.composer.fill('/health');
      await app.composer.press('Enter');
      await expect(dialog.getByRole('region', { name: 'Examination' })).toContainText('node-pty');
      await expect(dialog.getByText('Longest pause').locator('..')).toContainText(/\d ms|\d s/);
      await shoot('health');
      expect(api.refusals).toEqual([]);
    } finally {
      await close();
      await lathe.stop();
      await api.close();
      await rm(home, { recursive: true, force: true });
    }
  });
}

for (const scheme of ['light', 'dark'] as const) {
  test(`the picture of a session whose file is damaged, ${scheme}`, async ({ browser }) => {
    const home = join(tmpdir(), `lathe-damaged-${scheme}`, 'ada');
    await rm(home, { recursive: true, force: true });
    await writeFiles(projectFolder(join(home, '.lathe'), join(home, 'projects', 'harbour')), {
      '4f5d2c1e-0000-4000-8000-000000000001.jsonl': '\0\0\0 the disk gave this back\n{"half',
    });
    const api = await startScriptedApi([], { apiKey: KEY });
    const lathe = await startLathe(home);
    const { page, shoot, close } = await picturePage(browser, scheme);
    try {
      const app = await openScripted(page, lathe, api);
      await app.sessions.getByRole('button', { name: 'Damaged session', exact: true }).click();
      await expect(app.conversation).toContainText('no byte of it was thrown away', A_WHILE);
      await shoot('damaged-session');
    } finally {
      await close();
      await lathe.stop();
      await api.close();
      await rm(home, { recursive: true, force: true });
    }
  });
}

/** A talk with another agent, as it keeps one. */
const OTHER_TALK = [
  ['user', 'Why does the lamp of the north pier flicker at night?'],
  [
    'assistant',
    'It flickers when the wind comes from the east. I look at how the relay is mounted.',
  ],
  ['user', 'Then check the south pier too, and write down what you find.'],
  [
    'assistant',
    'Both relays hang on one screw each. On the south pier it is tight, on the north pier it has come loose: the wind moves the box, and the contact opens for a moment.',
  ],
  ['user', 'Can the keeper mend it without closing the pier?'],
  ['assistant', 'Yes: the box opens from the lee side, and the screw needs a number 4 driver.'],
] as const;

for (const scheme of ['light', 'dark'] as const) {
  test(`the picture of another agent's session, ${scheme}`, async ({ browser }) => {
    const home = join(tmpdir(), `lathe-other-${scheme}`, 'ada');
    await rm(home, { recursive: true, force: true });
    const lines = OTHER_TALK.map(([type, content], n) => ({
      ...{ type, uuid: `m${n}`, parentUuid: n === 0 ? null : `m${n - 1}`, isSidechain: false },
      ...{ cwd: join(home, 'projects', 'harbour'), message: { role: type, content } },
      timestamp: new Date(Date.UTC(2026, 10, 1, 10, n)).toISOString(),
    }));
    await writeFiles(join(home, '.claude', 'projects', 'harbour'), {
      'a1.jsonl': lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
    });
    const api = await startScriptedApi([], { apiKey: KEY });
    const lathe = await startLathe(home);
    const { page, shoot, close } = await picturePage(browser, scheme);
    try {
      await openScripted(page, lathe, api);
      await page.getByRole('searchbox', { name: /Find sessions/ }).fill('screw');
      await page.getByRole('button', { name: /Both relays hang/ }).click();
      const dialog = page.getByRole('dialog', { name: 'Why does the lamp of the north pier' });
      await expect(dialog.locator('[data-found]')).toBeInViewport();
      await expect(dialog.getByRole('navigation').getByRole('button')).toHaveCount(3);
      await dialog.locator('[data-found]').hover();
      await shoot('other-session');
    } finally {
      await close();
      await lathe.stop();
      await api.close();
      await rm(home, { recursive: true, force: true });
    }
  });
}
