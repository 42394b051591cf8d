import { afterAll, beforeAll, expect, test } from 'vitest';
import { accessibilityFaults } from '../../support/accessibility';
import { see } from '../../support/chromium';
import { type OpenScreen, openScreen } from '../../support/fake-host/open-screen';

let screen: OpenScreen;
beforeAll(async () => {
  screen = await openScreen();
});
afterAll(() => screen?.close());

test('the processes are listed as trees with what they use, and ended one by one or as a tree', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await screen.open('busy', { colorScheme });
    await page.getByRole('tab', { name: 'Processes' }).click();
    const list = page.getByRole('list', { name: 'Processes' });
    const server = list.getByRole('listitem').filter({ hasText: 'esbuild' }).first();
    await see(server).toContainText('4 processes');
    await see(server).toContainText('308 MB');
    await see(server).toContainText(/node 4713 :5173\d+m \d+s/);
    await see(list).toContainText('your shell');
    await see(server).toContainText(/task of Fix the login redirect · 4 processes · \d+m \d+s/);
    // A terminal is called here as on its tab.
    const { terminals } = screen.host.engine().app();
    screen.host.engine().setApp({
      terminals: terminals.map((t) =>
        t.kind === 'shell' ? { ...t, name: 'database', hostVersion: '1.1.0' } : t,
      ),
    });
    await see(list).toContainText(/your shell · .* · in the terminal host of Lathe 1\.1\.0/);
    await see(list.getByRole('button', { name: 'End database with everything' })).toHaveCount(1);
    expect(await accessibilityFaults(page, { within: 'ul[aria-label="Processes"]' })).toEqual([]);
    const keep = list.getByRole('button', { name: /^Keep .* when Lathe quits$/ }).first();
    await see(keep).toHaveAttribute('aria-pressed', 'false');
    await keep.click();
    await see(keep).toHaveAttribute('aria-pressed', 'true');
    expect(
      screen.host
        .engine()
        .app()
        .terminals.filter(({ pinned }) => pinned),
    ).toHaveLength(1);
    await list.getByRole('button', { name: 'End esbuild 4720 alone' }).click();
    await see(list).not.toContainText('esbuild');
    // The layout may be saved at any moment.
    const killed = screen.host.engine().calls.filter((c) => c.path === 'terminals.killProcess');
    expect(killed.map(({ input }) => input)).toEqual([
      { terminalId: 't1', pid: 4720, startTime: 'boot/4720' },
    ]);
    await see(list.getByRole('button', { name: /with everything it started/ })).toHaveCount(2);
  }
});
