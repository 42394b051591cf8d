import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startAuthServer } from '../../support/auth-server';
import { startScriptedApi } from '../../support/scripted-api';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { A_WHILE, AppPage } from '../support/app-page';
import { expect, startLathe, test } from '../support/lathe';
import { picturePage } from '../support/picture';
import { KEY, openScripted, writeFiles } from '../support/scripted-app';

test.slow();

const EVERYTHING = join(
  dirname(
    createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json'),
  ),
  'dist/index.js',
);

/** Puts a shell script into the user's own programs. */
async function program(home: string, name: string, script: string): Promise<void> {
  await mkdir(join(home, 'bin'), { recursive: true });
  await writeFile(join(home, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

for (const scheme of ['light', 'dark'] as const) {
  test(`the pictures of tool servers, ${scheme}`, async ({ browser }) => {
    const home = join(tmpdir(), `lathe-served-${scheme}`, 'ada');
    await rm(home, { recursive: true, force: true });
    const docs = await startAuthServer();
    const env = { PATH: `${home}/bin:${process.env['PATH']}` };
    const mcpServers = {
      reference: { command: 'reference-mcp', args: ['--stdio'], env },
      metrics: { command: 'metrics-mcp', args: ['--database', 'localhost:5432'], env },
      handbook: { type: 'http', url: docs.url },
    };
    await mkdir(join(home, '.claude'), { recursive: true });
    await program(home, 'reference-mcp', `exec "${process.execPath}" "${EVERYTHING}" stdio`);
    await program(home, 'metrics-mcp', 'echo "Error: no database at localhost:5432" >&2; exit 1');
    await writeFile(join(home, '.claude', 'settings.json'), JSON.stringify({ mcpServers }));
    const lathe = await startLathe(home, ['--demo']);
    const { page, shoot, close } = await picturePage(browser, scheme);
    try {
      const app = new AppPage(page);
      await app.openDemo(await lathe.link());
      await app.send('/mcp');
      const servers = page.getByRole('list', { name: 'Tool servers' }).locator('> li');
      await expect(servers.nth(0)).toContainText('needs a sign-in', A_WHILE);
      await expect(servers.nth(1)).toContainText('failed', A_WHILE);
      await expect(servers.nth(2)).toContainText('connected', A_WHILE);
      await servers
        .nth(0)
        .getByRole('button', { name: /^handbook/ })
        .click();
      await servers.nth(0).getByRole('button', { name: 'Sign in…' }).click();
      await expect(servers.nth(0)).toContainText('Open the page', A_WHILE);
      await shoot('settings-servers');
      await servers
        .nth(2)
        .getByRole('button', { name: /^reference/ })
        .click();
      await expect(servers.nth(2)).toContainText('demo://', A_WHILE);
      await shoot('settings-server-open');
      if (process.env['LATHE_LOOK']) {
        await page.setViewportSize({ width: 800, height: 700 });
        await page.screenshot({ path: `${process.env['LATHE_LOOK']}/narrow-${scheme}.png` });
      }
    } finally {
      await close();
      await lathe.stop();
      await docs.close();
      await rm(home, { recursive: true, force: true });
    }
  });
}

for (const scheme of ['light', 'dark'] as const) {
  test(`the picture of a form that a tool server sends, ${scheme}`, async ({ browser }) => {
    const home = join(tmpdir(), `lathe-form-${scheme}`, 'ada');
    await rm(home, { recursive: true, force: true });
    const reference = { command: process.execPath, args: [EVERYTHING, 'stdio'], alwaysLoad: true };
    await writeFiles(home, {
      '.claude/settings.json': JSON.stringify({
        mcpServers: { reference },
        permissions: { allow: ['mcp__reference'] },
      }),
    });
    const api = await startScriptedApi(
      [reply([toolUse('mcp__reference__trigger-elicitation-request', {})]), reply('Thank you.')],
      { apiKey: KEY },
    );
    const lathe = await startLathe(home);
    const { page, shoot, close } = await picturePage(browser, scheme);
    try {
      const app = await openScripted(page, lathe, api);
      await app.send('Ask me for what the register needs');
      const form = page.getByRole('dialog', { name: 'reference asks you' });
      await expect(form).toBeVisible(A_WHILE);
      await form.getByRole('textbox', { name: 'String', exact: true }).fill('Ann of Cleves');
      await form.getByRole('textbox', { name: 'Integer (optional)' }).fill('4.5');
      await form.getByRole('button', { name: 'Send' }).click();
      await expect(form.getByText('Write a whole number.')).toBeInViewport({ ratio: 1 });
      await shoot('server-form');
    } finally {
      await close();
      await lathe.stop();
      await api.close();
      await rm(home, { recursive: true, force: true });
    }
  });
}
