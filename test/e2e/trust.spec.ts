import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { accessibilityFaults } from '../support/accessibility';
import { startScriptedApi } from '../support/scripted-api';
import { expect, test } from './support/lathe';
import { KEY, openScripted } from './support/scripted-app';

test('THREATS 1: a trusted folder that changed is asked about again, and what is new is marked', async ({
  page,
  lathe,
}) => {
  const folder = join(lathe.home, 'projects', 'harbour');
  const settings = (value: object) =>
    writeFile(join(folder, '.claude', 'settings.json'), JSON.stringify(value));
  const hook = { Stop: [{ hooks: [{ type: 'command', command: 'touch "never  again"' }] }] };
  await mkdir(join(folder, '.claude'), { recursive: true });
  await settings({ permissions: { allow: ['Bash(npm test)'] } });

  const api = await startScriptedApi([], { apiKey: KEY });
  const app = await openScripted(page, lathe, api);

  await settings({ permissions: { allow: ['Bash(npm test)'] }, hooks: hook });
  await page.goto('about:blank');
  await page.goto(await lathe.link());
  await expect(page.getByRole('heading', { name: 'harbour changed.' })).toBeVisible();
  const entries = page.getByRole('region', { name: 'What trust turns on' });
  await expect(entries).toContainText('1 entry is new or changed');
  await expect(entries.getByRole('listitem').filter({ hasText: 'Stop' })).toContainText(
    'new or changed',
  );
  // A command is shown as it runs, with all its spaces.
  expect(await entries.innerText()).toContain('touch "never  again"');
  await expect(entries.getByRole('listitem').filter({ hasText: 'npm test' })).not.toContainText(
    'new or changed',
  );
  expect(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
  // The file of an entry is named in full, at a telephone's width, too.
  await page.setViewportSize({ width: 390, height: 800 });
  const ends = await entries
    .getByText('.claude/settings.json')
    .evaluateAll((names) =>
      names.map((name) =>
        [name, name.closest('li')].map((one) => one?.getBoundingClientRect().right ?? 0),
      ),
    );
  expect(ends).toHaveLength(2);
  for (const [name = 1, entry = 0] of ends) expect(name).toBeLessThan(entry);
  await page.getByRole('button', { name: 'Trust and open' }).click();
  await expect(app.composer).toBeVisible();
  await api.close();
});
