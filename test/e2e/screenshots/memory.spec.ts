import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { putAll } from '../../engine/plugins/support';
import { startScriptedApi } from '../../support/scripted-api';
import { reply } from '../../support/scripted-api-replies';
import { AppPage } from '../support/app-page';
import { expect, startLathe, test } from '../support/lathe';
import { picturePage } from '../support/picture';
import { KEY } from '../support/scripted-app';

test.slow();

/** Memory of each kind: some of it waits, some is left out. */
const FILES: Readonly<Record<string, unknown>> = {
  '.claude/CLAUDE.md': 'Write short sentences. Ask before you add a package.',
  '.claude/settings.json': { claudeMdExcludes: ['**/vendor/**'] },
  'team/style.md': 'The style of the team.',
  'projects/harbour/CLAUDE.md':
    '# Harbour\n\nBerths are numbered from the north. See @docs/words.md, @docs/gone.md and @../../team/style.md\n',
  'projects/harbour/docs/words.md': 'A berth is a place for one ship.',
  'projects/harbour/.claude/memories/tides.md': 'High water is an hour later on the east side.',
  'projects/harbour/.claude/memories/release.md':
    '---\ndescription: How a release is made, and who has to agree\n---\nAsk Ines.',
  'projects/harbour/CLAUDE.local.md': 'My database listens on port 5433.',
  'projects/harbour/.claude/rules/css.md': '---\npaths: "*.css"\n---\nUse the tokens.',
};

for (const scheme of ['light', 'dark'] as const) {
  test(`the pictures of memory, ${scheme}`, async ({ browser }) => {
    const home = join(tmpdir(), `lathe-memory-${scheme}`, 'ada');
    await rm(home, { recursive: true, force: true });
    putAll(home, FILES);
    const api = await startScriptedApi(() => reply('Hello'), { apiKey: KEY });
    const lathe = await startLathe(home);
    const { page, shoot, close } = await picturePage(browser, scheme);
    try {
      const app = new AppPage(page);
      await app.openFolder(await lathe.link(), join(home, 'projects', 'harbour'));
      await app.connect(KEY, api.url);
      await app.send('# berths on the east side are for small ships');
      await expect(page.getByRole('dialog', { name: 'Keep in mind' })).toContainText('CLAUDE.md');
      await shoot('remember');
      await page.keyboard.press('Escape');
      await app.send('/memory');
      await expect(page.getByRole('button', { name: /^Allow / })).toBeVisible();
      await shoot('settings-memory');
    } finally {
      await close();
      await api.close();
      await lathe.stop();
      await rm(home, { recursive: true, force: true });
    }
  });
}
