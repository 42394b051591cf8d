import type { Page } from '@playwright/test';
import { startScriptedApi } from '../support/scripted-api';
import { reply } from '../support/scripted-api-replies';
import { expect, test } from './support/lathe';
import { KEY, openScripted } from './support/scripted-app';

test.slow();

/** Delays every message of the page's calls by `ms` each way, in order. */
async function slowNetwork(page: Page, ms: number): Promise<void> {
  await page.routeWebSocket(/\/rpc/, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((message) => void setTimeout(() => server.send(message), ms));
    server.onMessage((message) => void setTimeout(() => socket.send(message), ms));
  });
}

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

test('what is typed right after Ctrl+N goes into the new session, letter by letter', async ({
  page,
  lathe,
}) => {
  const prompts = ['first words', 'second words', 'third words', 'fourth words'];
  const api = await startScriptedApi(
    [reply('Hello.'), ...prompts.map((p) => reply(`Heard ${p}.`))],
    {
      apiKey: KEY,
    },
  );
  try {
    await slowNetwork(page, 300);
    const app = await openScripted(page, lathe, api);
    await app.send('begin');
    await expect(app.conversation).toContainText('Hello.');
    for (const prompt of prompts) {
      await page.keyboard.press('Alt+n');
      await page.keyboard.type(prompt);
      await expect(app.composer).toHaveValue(prompt);
      await page.keyboard.press('Enter');
      await expect(app.conversation).toContainText(`Heard ${prompt}.`);
      await expect(app.conversation).not.toContainText('begin');
    }
    // Each prompt began a session of its own: the model was told nothing of the ones before.
    const told = api.requests.map(({ body }) => JSON.stringify(body.messages));
    for (const [at, prompt] of prompts.entries()) {
      const others = ['begin', ...prompts].filter((other) => other !== prompt);
      const request = told.find((text) => text.includes(prompt)) ?? '';
      expect(request, `request ${at}`).toContain(prompt);
      for (const other of others) expect(request, `request ${at}`).not.toContain(other);
    }
  } finally {
    await api.close();
  }
});

test('a prompt sent while its session is being made reaches that session, also from the old one', async ({
  page,
  lathe,
}) => {
  const api = await startScriptedApi([reply('Hello.'), reply('New here.'), reply('Old here.')], {
    apiKey: KEY,
  });
  try {
    const app = await openScripted(page, lathe, api);
    await app.send('begin');
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
  } finally {
    await api.close();
  }
});

test('a popover opened before the session has appeared stays open, and keeps the focus', async ({
  page,
  lathe,
}) => {
  const api = await startScriptedApi([reply('Hello.')], { apiKey: KEY });
  try {
    const network = await stoppableNetwork(page);
    const app = await openScripted(page, lathe, api);
    await app.send('begin');
    await expect(app.conversation).toContainText('Hello.');
    network.stop();
    await page.keyboard.press('Alt+n');
    await expect(app.conversation).toBeHidden();
    await app.status.getByRole('button', { name: /sandbox/i }).click();
    const panel = page.getByRole('dialog', { name: 'Sandbox for commands' });
    await expect(panel).toBeVisible();
    network.go();
    await expect(app.status.getByRole('button', { name: /^Permission mode/ })).toBeVisible();
    await expect(app.conversation).toBeVisible();
    await expect(panel).toBeVisible();
    await expect(app.composer).not.toBeFocused();
    await page.keyboard.press('Escape');
    await expect(panel).toBeHidden();
  } finally {
    await api.close();
  }
});
