import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Leftover } from '../../../src/shared/terminal';
import { accessibilityFaults } from '../../support/accessibility';
import { see } from '../../support/chromium';
import { type OpenScreen, openScreen } from '../../support/fake-host/open-screen';

let screen: OpenScreen;
beforeAll(async () => {
  screen = await openScreen();
});
afterAll(() => screen?.close());

const LEFTOVERS: readonly Leftover[] = Array.from({ length: 8 }, (_, at) => ({
  id: `h/t${at}`,
  command: `npm run watch-${at}\nsecond line`,
  processes: [
    { pid: 4000 + at, name: 'node' },
    { pid: 5000 + at, name: '' },
  ],
}));

test('what an earlier Lathe left running is listed, and ended one by one or all together', async () => {
  const page = await screen.open('busy');
  screen.host.engine().setApp({ leftovers: LEFTOVERS });
  const list = page.getByRole('region', { name: 'Left running' });
  await see(list).toContainText('Still running from an earlier Lathe: 16 processes.');
  await see(list).toContainText('npm run watch-0 · node 4000, process 5000');
  await see(list).toContainText('And 2 more.');
  expect(await accessibilityFaults(page, { within: 'section[aria-label="Left running"]' })).toEqual(
    [],
  );
  await list.getByRole('button', { name: 'End npm run watch-1 · node 4001, process 5001' }).click();
  await see(list).toContainText('14 processes');
  await list.getByRole('button', { name: 'End all' }).click();
  await see(list).toHaveCount(0);
  screen.host.engine().setApp({ leftovers: LEFTOVERS.slice(0, 1) });
  await list.getByRole('button', { name: 'Leave running' }).click();
  await see(list).toHaveCount(0);
});
