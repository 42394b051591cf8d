import type { Locator, Page } from '@playwright/test';
import { type RecordedRequest, startScriptedApi } from '../support/scripted-api';
import { reply } from '../support/scripted-api-replies';
import { A_WHILE } from './support/app-page';
import { expect, test } from './support/lathe';
import { SLOWNESSES, slowDown } from './support/network';
import { KEY, openScripted } from './support/scripted-app';

test.slow();

/** Holds the page's calls back while stopped, in order. */
async function stoppableNetwork(page: Page): Promise<{ stop(): void; go(): void }> {
  let held: (() => void)[] | null = null;
  await page.routeWebSocket(/\/rpc/, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((message) => {
      if (held === null) server.send(message);
      else held.push(() => server.send(message));
    });
  });
  return {
    stop: () => {
      held = [];
    },
    go: () => {
      for (const send of held ?? []) send();
      held = null;
    },
  };
}

/** Returns the prompts of the test below that a request holds. */
const promptsOf = ({ body }: RecordedRequest): readonly string[] =>
  JSON.stringify(body.messages.filter(({ role }) => role === 'user')).match(
    /\w+-\d+ to the end/g,
  ) ?? [];

for (const slowness of SLOWNESSES)
  test(`with a slow ${slowness}, what is typed at once goes where it belongs, letter by letter`, async ({
    page,
    lathe,
  }) => {
    const api = await startScriptedApi((request) => reply(`Heard ${promptsOf(request).at(-1)}.`), {
      apiKey: KEY,
    });
    try {
      const begin = await slowDown(page, slowness);
      const app = await openScripted(page, lathe, api);
      await begin();
      await app.send('first-0 to the end');
      await expect(app.conversation).toContainText('Heard first-0 to the end.');
      // Right after the key for a new session, and into one that is still being made.
      const made = Array.from({ length: 12 }, (_, at) => `new-${at} to the end`);
      for (const [at, prompt] of made.entries()) {
        await page.keyboard.press('Alt+n');
        await page.keyboard.type(prompt);
        await expect(app.composer).toHaveValue(prompt);
        await page.keyboard.press('Enter');
        if (at % 4 < 3) continue;
        await expect(app.conversation).toContainText(`Heard ${prompt}.`, A_WHILE);
        await expect(app.conversation).not.toContainText('first');
      }
      await expect(app.conversation).toContainText(`Heard ${made.at(-1)}.`, A_WHILE);
      // As soon as the window opens, into the session that it shows.
      const opened = Array.from({ length: 3 }, (_, at) => `open-${at} to the end`);
      for (const prompt of opened) {
        await page.reload();
        await expect(app.composer).toBeVisible(A_WHILE);
        await page.keyboard.type(prompt);
        await page.keyboard.press('Enter');
        await expect(app.conversation).toContainText(`Heard ${prompt}.`, A_WHILE);
      }
      await expect.poll(() => api.requests.length).toBe(1 + made.length + opened.length);
      // Each prompt began a session of its own: the model was told nothing of the others.
      const told = api.requests.map((request) => promptsOf(request).join());
      for (const prompt of made) expect(told, prompt).toContain(prompt);
      expect(told.at(-1)).toBe([made.at(-1), ...opened].join());
    } finally {
      await api.close();
    }
  });

/**
 * Watches in each frame, as it is painted, whether a panel begins where its button does. The function that it returns gives the
 * distances that it saw, in pixels.
 */
async function watchPlaces(panel: Locator, button: Locator): Promise<() => Promise<number[]>> {
  const [element, trigger] = [await panel.elementHandle(), await button.elementHandle()];
  if (element === null || trigger === null) throw new Error('There is no panel or no button.');
  const seen = await element.evaluateHandle((shown, anchor) => {
    const distances: number[] = [];
    const probe = document.body.appendChild(document.createElement('div'));
    probe.style.cssText = 'position: fixed; width: 1px';
    const left = (one: Element) => one.getBoundingClientRect().left;
    // Observers of sizes are called after all that a frame changes, and before it is painted.
    new ResizeObserver(() => {
      const distance = Math.round(left(anchor) - left(shown));
      if (shown.isConnected && distance !== 0) distances.push(distance);
    }).observe(probe);
    const next = () => {
      probe.style.width = probe.style.width === '1px' ? '2px' : '1px';
      if (shown.isConnected) requestAnimationFrame(next);
      else probe.remove();
    };
    next();
    return distances;
  }, trigger);
  return () => seen.jsonValue();
}

test('a prompt sent while its session is being made reaches that session, also from the old one, and a popover opened meanwhile stays and keeps the focus', async ({
  page,
  lathe,
}) => {
  const network = await stoppableNetwork(page);
  const api = await startScriptedApi([reply('Hello.'), reply('New here.'), reply('Old here.')], {
    apiKey: KEY,
  });
  try {
    const app = await openScripted(page, lathe, api);
    await app.send('begin');
    await test.step('a prompt reaches the session that is being made, and the old one', async () => {
      await expect(app.conversation).toContainText('Hello.');
      await page.context().setOffline(false);
      await app.composer.fill('half a thought');
      await page.keyboard.press('Alt+n');
      await page.keyboard.type('for the new one');
      await page.keyboard.press('Enter');
      await expect(app.conversation).toContainText('New here.');
      await expect(app.composer).toHaveValue('');
      await app.sessions
        .getByRole('button', { name: /^begin|Hello/ })
        .first()
        .click();
      await expect(app.composer).toHaveValue('half a thought');
      await page.keyboard.press('End');
      await page.keyboard.type(', finished');
      await page.keyboard.press('Enter');
      await expect(app.conversation).toContainText('Old here.');
      expect(JSON.stringify(api.requests.at(-1)?.body.messages)).toContain(
        'half a thought, finished',
      );
    });

    await test.step('a popover opened before the session has appeared stays open, and keeps the focus', async () => {
      network.stop();
      await page.keyboard.press('Alt+n');
      await expect(app.conversation).toBeHidden();
      await app.status.getByRole('button', { name: /sandbox/i }).click();
      const panel = page.getByRole('dialog', { name: 'Sandbox for commands' });
      await expect(panel).toBeVisible();
      const strayed = await watchPlaces(
        panel,
        app.status.getByRole('button', { name: /sandbox/i }),
      );
      network.go();
      await expect(app.status.getByRole('button', { name: /^Permission mode/ })).toBeVisible();
      await expect(app.conversation).toBeVisible();
      await expect(panel).toBeVisible();
      await expect(app.composer).not.toBeFocused();
      expect(await strayed()).toEqual([]);
      await page.keyboard.press('Escape');
      await expect(panel).toBeHidden();
    });
  } finally {
    await api.close();
  }
});
