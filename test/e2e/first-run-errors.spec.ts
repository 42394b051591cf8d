import { mkdir, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { accessibilityFaults } from '../support/accessibility';
import { startScriptedApi } from '../support/scripted-api';
import { error } from '../support/scripted-api-replies';
import { AppPage } from './support/app-page';
import { expect, runCli, test } from './support/lathe';

/** A port that was free a moment ago and has nobody behind it. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

/** Starts a server that is no Messages API in four ways: a page, nothing there, unpaid, and silent. */
async function startOddServer() {
  const server = createHttpServer((req, res) => {
    if (req.url?.startsWith('/silent')) return;
    if (req.url?.startsWith('/page')) res.end('<!doctype html><title>Router</title>');
    else if (req.url?.startsWith('/unpaid'))
      res.writeHead(402, { 'content-type': 'application/json' }).end('{}');
    else res.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** What a stack trace looks like. */
const STACK = /^\s+at .+[:(]/m;

test('a second start on the same home gives a link and starts nothing; a link works once, and a folder that is not there is told', async ({
  page,
  browser,
  lathe,
}) => {
  await lathe.link();
  const again = await runCli(lathe.home, ['serve', '--no-open']);
  expect(again.exitCode).toBe(0);
  expect(again.output).toContain('already');
  const link = /http:\S+/.exec(again.output)?.[0] ?? '';
  await page.goto(link);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();

  await test.step('the link works once', async () => {
    const stranger = await (await browser.newContext()).newPage();
    await stranger.goto(link);
    await expect(stranger.getByRole('heading', { name: /Which folder/ })).toBeHidden();
    await expect(stranger.locator('body')).toContainText(/link|ticket/i);
    // A new one opens the app in the same tab.
    await stranger.goto(await lathe.link());
    await expect(stranger.getByRole('heading', { name: /Which folder/ })).toBeVisible();
    await stranger.context().close();
  });

  await test.step('a folder that is not there, and a file in its place', async () => {
    const app = new AppPage(page);
    await app.typePath(join(lathe.home, 'nowhere'));
    await expect(
      page
        .getByRole('alert')
        .or(page.getByText(/does not exist|no such folder/i))
        .first(),
    ).toBeVisible();
    await writeFile(join(lathe.home, 'note.txt'), '');
    await app.typePath(join(lathe.home, 'note.txt'));
    await expect(page.getByText(/not a folder|no folder/i).first()).toBeVisible();
    await app.typePath(join(lathe.home, 'projects'));
    await expect(page.getByText('No folders in here.')).toBeVisible();
    expect(await page.locator('body').innerText()).not.toMatch(STACK);
  });
});

test('settings that cannot be read are named with file and line', async ({ page, lathe }) => {
  const folder = join(lathe.home, 'projects', 'broken');
  await mkdir(join(folder, '.claude'), { recursive: true });
  await writeFile(
    join(folder, '.claude', 'settings.json'),
    '{\n  "model": "opus",\n  "permissions": [\n}\n',
  );
  const app = new AppPage(page);
  await app.openFolder(await lathe.link(), folder);
  await page.getByRole('button', { name: /Try the offline demo/ }).click();
  await expect(app.composer).toBeVisible();
  await expect(page.getByText(/settings\.json/).first()).toBeVisible();
  await expect(page.getByText(/settings\.json.*\b[34]\b/s).first()).toBeVisible();
});

test('a wrong key says so before the work begins, and what to do; it can be used all the same, and a host that cannot be reached is named', async ({
  page,
  lathe,
}) => {
  const api = await startScriptedApi([], { apiKey: 'the-right-one' });
  try {
    const app = new AppPage(page);
    await app.openFolder(await lathe.link(), join(lathe.home, 'projects'));
    await app.connect('a-wrong-one', api.url);
    await expect(page.getByText(/refused the key \(401\)/)).toBeVisible();
    await expect(page.getByText(/whole key was copied/)).toBeVisible();
    expect(api.requests).toEqual([]);
    expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
    await page.getByRole('button', { name: 'Use anyway' }).click();
    await expect(app.composer).toBeVisible();
    await app.send('hello');
    await expect(app.conversation).toContainText(/key/i);
    await expect(app.conversation).not.toContainText('a-wrong-one');
    expect(await app.conversation.innerText()).not.toMatch(STACK);
    // Once more with the key looked up anew, and no further.
    await expect(app.conversation).toContainText('The model could not answer');
    expect(api.requests.length).toBe(2);

    await api.close();
    await app.send('hello again');
    await expect(app.conversation).toContainText(/127\.0\.0\.1:\d+ cannot be reached/);
    expect(await app.conversation.innerText()).not.toMatch(STACK);
  } finally {
    await api.close();
  }
});

test('each way in which an endpoint can be wrong is told apart, until it is right; where it then fails it is tried again, visibly, and can be stopped', async ({
  page,
  lathe,
}) => {
  const api = await startScriptedApi(() => error(503, 'busy'), { apiKey: 'the-right-one' });
  const odd = await startOddServer();
  try {
    const app = new AppPage(page);
    await app.openFolder(await lathe.link(), join(lathe.home, 'projects'));
    await app.connect('the-right-one', `http://127.0.0.1:${await closedPort()}`);
    await expect(page.getByText(/127\.0\.0\.1:\d+ cannot be reached/)).toBeVisible();

    const endpoint = page.getByLabel('Endpoint');
    await endpoint.fill(`${odd.url}/page`);
    // What was wrong with the last one is no longer said of this one.
    await expect(page.getByText('cannot be reached')).toBeHidden();
    await endpoint.press('Enter');
    await expect(page.getByText(/not as a Messages API/)).toBeVisible();

    await endpoint.fill(`${odd.url}/nowhere`);
    await endpoint.press('Enter');
    await expect(page.getByText(/no Messages API at this address \(404\)/)).toBeVisible();

    await endpoint.fill(`${odd.url}/unpaid`);
    await endpoint.press('Enter');
    await expect(page.getByText(/asks for payment/)).toBeVisible();

    await endpoint.fill(`${odd.url}/silent`);
    await endpoint.press('Enter');
    await expect(
      page.getByRole('status').filter({ hasText: 'Trying the connection' }),
    ).toBeVisible();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect(page.getByText('Trying the connection')).toBeHidden();

    await endpoint.fill(api.url);
    await endpoint.press('Enter');
    await expect(app.composer).toBeVisible();
    expect(api.requests).toEqual([]);

    await app.send('hello');
    await expect(app.conversation).toContainText(/retry|trying again|attempt/i);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await expect(page.getByRole('button', { name: 'Stop', exact: true })).toBeHidden();
    expect(await app.conversation.innerText()).not.toMatch(STACK);
  } finally {
    await api.close();
    await odd.close();
  }
});

test('a port in use, an unknown flag, a folder that is not there: one clear line each', async ({
  home,
}) => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const address = taken.address();
  const port = typeof address === 'object' && address !== null ? String(address.port) : '';
  const inUse = await runCli(home, ['serve', '--no-open', '--port', port]);
  taken.close();
  expect(inUse).toMatchObject({ exitCode: 1, output: expect.stringContaining(port) });

  const unknown = await runCli(home, ['serve', '--prot', '1']);
  expect(unknown).toMatchObject({
    exitCode: 2,
    output: expect.stringContaining('Unknown flag --prot'),
  });

  const missing = await runCli(home, ['-p', 'hi', '--cwd', join(home, 'nowhere')]);
  expect(missing.exitCode).not.toBe(0);
  expect(missing.output).toContain('nowhere');

  for (const { output } of [inUse, unknown, missing]) expect(output).not.toMatch(STACK);
});
