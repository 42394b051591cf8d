import type { Locator, Page } from '@playwright/test';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { see } from '../../support/chromium';
import { type OpenScreen, openScreen } from '../../support/fake-host/open-screen';

let screen: OpenScreen;
beforeAll(async () => {
  screen = await openScreen();
});
afterAll(() => screen?.close());

const panesOn = (page: Page) => page.getByRole('region', { name: /^Pane \d+$/ });
const tab = (within: Page | Locator, name: string) => within.getByRole('tab', { name });

/** Tabs of each pane in reading order. */
const arranged = async (page: Page): Promise<readonly string[]> => {
  const panes = await panesOn(page).all();
  const texts = panes.map(async (pane) => (await pane.getByRole('tab').allTextContents()).join());
  return Promise.all(texts);
};

/** Returns the middle of words in a terminal once they stand still: it fits itself first, and draws its rows anew. */
async function middleOf(words: Locator): Promise<readonly [number, number]> {
  let [box, last] = [await words.boundingBox(), ''];
  await see
    .poll(async () => {
      const before = last;
      box = await words.boundingBox();
      last = JSON.stringify(box);
      return box !== null && last === before;
    })
    .toBe(true);
  if (box === null) throw new Error('The words are not on screen.');
  return [box.x + box.width / 2, box.y + box.height / 2];
}

/** Drags a tab to a point of a pane; both count from 0 to 1. */
async function drag(page: Page, name: string, pane: Locator, x: number, y: number) {
  const box = await pane.boundingBox();
  if (box === null) throw new Error('The pane is not on screen.');
  const to = { x: box.x + box.width * x, y: box.y + box.height * y };
  await tab(page, name).hover();
  await page.mouse.down();
  await page.mouse.move(to.x - 5, to.y, { steps: 4 });
  await see(page.locator('[data-drop]').first()).toBeVisible();
  await page.mouse.move(to.x, to.y, { steps: 4 });
  await page.mouse.up();
}

test('tabs are dragged to sides and into the middle, and the panes are there after a reload', async () => {
  const page = await screen.open('busy');
  await see(panesOn(page)).toHaveCount(1);
  await tab(page, 'npm run dev').click();
  await drag(page, 'zsh', panesOn(page).first(), 0.9, 0.5);
  await see.poll(() => arranged(page)).toEqual(['npm run dev,vitest', 'zsh']);
  const alike = async () => {
    const [left, right] = await Promise.all([0, 1].map((n) => panesOn(page).nth(n).boundingBox()));
    return [left?.y === right?.y, Math.abs((left?.width ?? 0) - (right?.width ?? 0)) < 4];
  };
  await see.poll(alike).toEqual([true, true]);
  await drag(page, 'vitest', panesOn(page).nth(1), 0.5, 0.95);
  await see.poll(() => arranged(page)).toEqual(['npm run dev', 'zsh', 'vitest']);
  await see(page.getByText('exited with code 1')).toBeVisible();
  await drag(page, 'npm run dev', panesOn(page).nth(2), 0.5, 0.5);
  await see.poll(() => arranged(page)).toEqual(['zsh', 'vitest,npm run dev']);
  await see
    .poll(() => JSON.stringify(screen.host.engine().app().preferences.panes ?? null))
    .toContain('["t2","t1"]');
  const kept = screen.host.engine();
  screen.host.use(() => kept);
  await page.reload();
  await see.poll(() => arranged(page)).toEqual(['zsh', 'vitest,npm run dev']);
  await see(tab(panesOn(page).nth(1), 'npm run dev')).toHaveAttribute('aria-selected', 'true');
  expect(screen.errors).toEqual([]);
});

test('panes are split, gone through and maximised by keys, and a pane that is closed gives its room back', async () => {
  const page = await screen.open('busy');
  await tab(page, 'zsh').click();
  await panesOn(page).first().locator('.xterm-helper-textarea').focus();
  await page.keyboard.press('Control+Shift+O');
  await see.poll(() => arranged(page)).toEqual(['zsh,npm run dev,vitest', 'shell 4']);
  const second = page.getByRole('region', { name: 'Terminal shell 4' });
  await see(second.locator(':focus')).toHaveCount(1);
  await page.keyboard.press('Control+Shift+U');
  await see.poll(() => arranged(page)).toEqual(['zsh,npm run dev,vitest', 'shell 4', 'shell 5']);
  await see(page.getByRole('region', { name: 'Terminal shell 5' }).locator(':focus')).toHaveCount(
    1,
  );
  await page.keyboard.press('Control+Shift+ArrowLeft');
  await see(second.locator(':focus')).toHaveCount(1);
  await page.keyboard.press('Control+Shift+X');
  await see(panesOn(page)).toHaveCount(1);
  await see.poll(async () => (await panesOn(page).boundingBox())?.width).toBe(1280);
  await see(second.locator(':focus')).toHaveCount(1);
  await page.keyboard.press('Control+Shift+X');
  await see(panesOn(page)).toHaveCount(3);
  await panesOn(page).nth(1).getByRole('button', { name: 'End shell 4' }).click();
  await see.poll(() => arranged(page)).toEqual(['zsh,npm run dev,vitest', 'shell 5']);
});

test('a terminal that was just opened comes to the front, though its pane got the focus before it was listed', async () => {
  const page = await screen.open('busy');
  const kept = screen.host.engine();
  const listed = Promise.withResolvers<void>();
  let opened = false;
  await page.routeWebSocket(/\/rpc/, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((message) => server.send(message));
    server.onMessage((message) => {
      const text = String(message);
      const isList = text.includes('"terminals"');
      if (text.includes('shell 4') && isList) void listed.promise.then(() => socket.send(message));
      else socket.send(message);
      opened ||= text.includes('shell 4') && !isList;
    });
  });
  screen.host.use(() => kept);
  await page.reload();
  await tab(page, 'zsh').click();
  await page.getByRole('button', { name: /^New terminal/ }).click();
  await see.poll(() => opened).toBe(true);
  // As a menu does that gives the focus back when it closes.
  await tab(page, 'zsh').focus();
  await see(tab(page, 'shell 4')).toHaveCount(0);
  listed.resolve();
  await see(tab(page, 'shell 4')).toHaveAttribute('aria-selected', 'true');
  await see(page.getByRole('region', { name: 'Terminal shell 4' })).toBeVisible();
  expect(screen.errors).toEqual([]);
  await page.close();
});

test('what has ended is laid out anew in a narrower pane', async () => {
  const page = await screen.open('busy');
  await page.setViewportSize({ width: 1600, height: 800 });
  await tab(page, 'vitest').click();
  const pane = panesOn(page).first();
  await see(pane.getByText('exited with code 1')).toBeVisible();
  const columns = () => pane.locator('.xterm-screen').evaluate((element) => element.clientWidth);
  // The dock keeps the width it has when the window grows, be it that of before.
  await see.poll(columns).toBeGreaterThan(350);
  await page.setViewportSize({ width: 1024, height: 800 });
  await see
    .poll(async () => (await columns()) - ((await pane.boundingBox())?.width ?? 0))
    .toBeLessThanOrEqual(0);
  expect(screen.errors).toEqual([]);
});

test('a terminal that was scrolled up is there again after a reload', async () => {
  const page = await screen.open('busy');
  const engine = screen.host.engine();
  const [some] = engine.app().terminals;
  if (some === undefined) throw new Error('The scenario has no terminals.');
  engine.setApp({ terminals: [{ ...some, id: 'long', title: 'long' }] });
  const rows = page.locator('.xterm-rows');
  await see(rows).toContainText('line 400');
  const box = await rows.boundingBox();
  if (box === null) throw new Error('The terminal is not on screen.');
  await page.mouse.move(box.x + 20, box.y + 20);
  await page.mouse.wheel(0, -2_000);
  await see(rows).not.toContainText('line 400');
  const place = await rows.locator('> div').first().textContent();
  screen.host.use(() => engine);
  await page.reload();
  await see(rows.locator('> div').first()).toHaveText(place ?? '');
});

test('prompts are gone to by keys, and how commands ended stands beside them', async () => {
  const page = await screen.open('busy');
  const engine = screen.host.engine();
  const [some] = engine.app().terminals;
  if (some === undefined) throw new Error('The scenario has no terminals.');
  engine.setApp({ terminals: [{ ...some, id: 'prompts', title: 'prompts' }] });
  const rows = page.locator('.xterm-rows');
  const top = rows.locator('> div').first();
  await see(rows).toContainText('command 11');
  await page.locator('.xterm-helper-textarea').focus();
  await page.keyboard.press('Control+Shift+ArrowUp');
  await see(top).toContainText(/command \d+/);
  const first = Number(/\d+/.exec((await top.textContent()) ?? '')?.[0]);
  await page.keyboard.press('Control+Shift+ArrowUp');
  await see(top).toContainText(`command ${first - 1}`);
  await see(page.getByRole('img', { name: 'exited with code 1' }).first()).toBeVisible();
  await see(page.getByRole('img', { name: 'succeeded' }).first()).toBeVisible();
  await page.keyboard.press('Control+Shift+ArrowDown');
  await see(top).toContainText(`command ${first}`);
  expect(screen.errors).toEqual([]);
});

test('what is selected goes into the prompt by button and by key', async () => {
  const page = await screen.open('busy');
  await tab(page, 'npm run dev').click();
  await page.mouse.dblclick(...(await middleOf(page.getByText('page reload'))));
  await page.getByRole('button', { name: 'Add the selection to the prompt' }).click();
  const composer = page.getByRole('textbox', { name: 'Message to Lathe' });
  await see(composer).toHaveValue(/page|reload/);
  await page.locator('.xterm-helper-textarea').focus();
  await page.keyboard.press('Control+Shift+L');
  await see(composer).toBeFocused();
  await see(composer).toHaveValue(/(page|reload)[\s\S]*(page|reload)/);
});

test('a place in a file opens in the editor with a modifier held, from the folder of its terminal', async () => {
  const page = await screen.open('busy');
  const engine = screen.host.engine();
  const [some] = engine.app().terminals;
  if (some === undefined) throw new Error('The scenario has no terminals.');
  engine.setApp({ terminals: [{ ...some, id: 'links', title: 'links', cwd: '/srv/web' }] });
  await see(page.getByRole('tab', { name: 'links' })).toHaveAttribute('aria-selected', 'true');
  // The terminal before has the same words.
  const middle = await middleOf(page.getByText('callback.test.ts:31:5').first());
  await page.mouse.move(...middle);
  await see(
    page.getByRole('status').filter({ hasText: 'src/auth/callback.test.ts:31:5' }),
  ).toBeVisible();
  const edits = () => engine.calls.filter(({ path }) => path === 'files.edit');
  await page.mouse.click(...middle);
  expect(edits()).toEqual([]);
  await page.keyboard.down('Control');
  await page.mouse.click(...middle);
  await page.keyboard.up('Control');
  await see
    .poll(() => edits().map(({ input }) => input))
    .toMatchObject([
      { path: 'src/auth/callback.test.ts', line: 31, column: 5, folder: '/srv/web' },
    ]);
  expect(screen.errors).toEqual([]);
});

test('colours that a program chose stay when the theme changes', async () => {
  const page = await screen.open('busy', { colorScheme: 'light' });
  const engine = screen.host.engine();
  const [some] = engine.app().terminals;
  if (some === undefined) throw new Error('The scenario has no terminals.');
  engine.setApp({ terminals: [{ ...some, id: 'colours', title: 'colours' }] });
  const rows = page.locator('.xterm-rows');
  const colourOf = (element: Locator) => element.evaluate((found) => getComputedStyle(found).color);
  // Contrast with what is behind it may change its shade.
  const isGreen = async () => {
    const colour = await colourOf(rows.getByText('chosen', { exact: true }));
    const [red = 0, green = 0, blue = 0] = (colour.match(/\d+/g) ?? []).map(Number);
    return green > 2 * red && green > 2 * blue;
  };
  await see.poll(isGreen).toBe(true);
  const light = await colourOf(rows);
  await page.emulateMedia({ colorScheme: 'dark' });
  await see.poll(() => colourOf(rows)).not.toBe(light);
  expect(await isGreen()).toBe(true);
});
