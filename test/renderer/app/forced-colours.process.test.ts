import { afterAll, beforeAll, expect, test } from 'vitest';
import { see } from '../../support/chromium';
import { type OpenScreen, openScreen } from '../../support/fake-host/open-screen';

let screen: OpenScreen;
beforeAll(async () => {
  screen = await openScreen();
});
afterAll(() => screen?.close());

test('where the system chooses the colours, what is drawn as a plain area is there, too', async () => {
  const page = await screen.open('busy', { forcedColors: 'active' });
  const status = page.getByRole('contentinfo', { name: 'Status' });
  const meter = status.getByRole('meter', { includeHidden: true });
  await see(status.getByText('connected')).toBeVisible();
  const text = await page.evaluate(() => {
    const probe = document.body.appendChild(document.createElement('i'));
    probe.style.background = 'CanvasText';
    const { backgroundColor } = getComputedStyle(probe);
    probe.remove();
    return backgroundColor;
  });
  const connected = status.getByText('connected').locator('..').locator('> [aria-hidden]');
  for (const drawn of [connected, meter.locator('> span')])
    await see(drawn).toHaveCSS('background-color', text);
  await see(meter).toHaveCSS('outline-style', 'solid');
});

test('a terminal keeps its own colours there, and shows what is selected in it', async () => {
  const page = await screen.open('busy', { forcedColors: 'active' });
  await page.getByRole('tab', { name: 'vitest' }).click();
  const rows = page.locator('.xterm-rows').first();
  await see(rows).toContainText('vitest');
  const box = await rows.boundingBox();
  if (box === null) throw new Error('The terminal is not on screen.');
  const selection = page.locator('.xterm-selection div').first();
  // Its size may still change, which ends a selection.
  await see(async () => {
    await page.mouse.move(box.x + 2, box.y + 4);
    await page.mouse.down();
    await page.mouse.move(box.x + 150, box.y + 40, { steps: 4 });
    await page.mouse.up();
    await see(selection).toBeVisible({ timeout: 5_000 });
  }).toPass({ timeout: 60_000 });
  const colours = await page.evaluate(() => {
    const colourOf = (place: string, property: 'color' | 'backgroundColor') => {
      const element = document.querySelector(place);
      return element === null ? '' : getComputedStyle(element)[property];
    };
    const behind = colourOf('.xterm .xterm-scrollable-element', 'backgroundColor');
    return [
      behind,
      colourOf('.xterm-rows', 'color'),
      colourOf('.xterm-selection div', 'backgroundColor'),
    ];
  });
  expect(new Set(colours).size).toBe(3);
});
