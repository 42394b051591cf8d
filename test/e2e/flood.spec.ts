import { A_WHILE, AppPage } from './support/app-page';
import { CLIPBOARD, expect, test } from './support/lathe';

test.use({ serveWords: ['--demo'], ...CLIPBOARD });
test.slow();

/** More than this on the page's heap after the flood means that it was kept. Bytes. */
const HEAP_LIMIT = 150 * 1024 * 1024;

test('two million lines in a shell: the window answers, memory is bounded, the end is right', async ({
  page,
  context,
  lathe,
}) => {
  const app = new AppPage(page);
  await app.openDemo(await lathe.link());
  await app.openShell();
  await app.typeInTerminal('seq 1 2000000; echo flood-$((1 + 1))-over');
  await expect.poll(() => app.screenText()).toMatch(/^\d{4,}$/m);

  // the page takes input while it rains
  await app.composer.fill('still here');
  await expect(app.composer).toHaveValue('still here');

  await expect.poll(() => app.screenText(), A_WHILE).toContain('flood-2-over');
  let output = '';
  // On a machine that is very busy the screen is drawn anew once more when the flood is over.
  await expect
    .poll(async () => {
      output = await app.wholeTerminal();
      return output;
    }, A_WHILE)
    .toMatch(/1999999\n2000000\nflood-2-over\n/);
  expect(output.split('\n').length).toBeLessThan(11_000);

  const inspector = await context.newCDPSession(page);
  await inspector.send('HeapProfiler.collectGarbage');
  const { usedSize } = await inspector.send('Runtime.getHeapUsage');
  expect(usedSize).toBeLessThan(HEAP_LIMIT);

  await app.typeInTerminal('echo and-$((3 * 7))');
  await expect.poll(() => app.screenText()).toContain('and-21');
});
