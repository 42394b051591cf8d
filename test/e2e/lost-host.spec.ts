import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hostPlace } from '../../src/main/terminal/run-folder';
import { A_WHILE, AppPage } from './support/app-page';
import { CLIPBOARD, expect, test } from './support/lathe';

test.use({ serveWords: ['--demo'], ...CLIPBOARD });
test.slow();

test('what was seen of a terminal whose host was killed stays, over a reload too', async ({
  page,
  lathe,
}) => {
  const app = new AppPage(page);
  await app.openDemo(await lathe.link());
  await app.openShell();
  await app.typeInTerminal('seq 1 300; echo seen-$((20 + 1))');
  await expect.poll(() => app.screenText(), A_WHILE).toContain('seen-21');

  const { record } = hostPlace(join(lathe.home, '.lathe', 'run'));
  process.kill(JSON.parse(readFileSync(record, 'utf8')).pid, 'SIGKILL');
  const notice = page.getByRole('region', { name: 'Terminal host' });
  await expect(notice).toContainText('The terminal host is gone.', A_WHILE);
  await expect(app.terminals).toContainText('this is what was seen of it');
  await expect.poll(() => app.screenText()).toContain('seen-21');

  for (let reloads = 0; reloads < 2; reloads += 1) {
    await page.reload();
    await expect.poll(() => app.screenText(), A_WHILE).toContain('seen-21');
    const lines = (await app.wholeTerminal()).split('\n').map((line) => line.trim());
    expect(lines.filter((line) => line === '250')).toHaveLength(1);
  }
  await expect(app.terminals).toContainText('this is what was seen of it');
});
