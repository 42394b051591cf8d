import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { accessibilityFaults } from '../support/accessibility';
import { startAuthServer } from '../support/auth-server';
import { reply, toolUse } from '../support/scripted-api-replies';
import { A_WHILE } from './support/app-page';
import { faults } from './support/faults';
import { expect, test } from './support/lathe';
import { lastTold, played, writeFiles } from './support/scripted-app';

test.slow();

const EVERYTHING = join(
  dirname(
    createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json'),
  ),
  'dist/index.js',
);

test('a server asks with a form, and hears what was filled in; a prompt of it is a command; the page of tool servers shows how each is, what it offers and said, and signs in', async ({
  page,
  home,
  lathe,
}) => {
  const docs = await startAuthServer();
  const everything = { command: process.execPath, args: [EVERYTHING, 'stdio'], alwaysLoad: true };
  const settings = {
    mcpServers: {
      all: everything,
      broken: { command: process.execPath, args: ['-e', 'throw Error(7)'] },
      docs: { type: 'http', url: docs.url },
      refused: everything,
    },
    permissions: { allow: ['mcp__all'] },
    deniedMcpServers: [{ serverName: 'refused' }],
  };
  await writeFiles(home, { '.claude/settings.json': JSON.stringify(settings) });
  const script = [
    reply('It is sunny.'),
    reply([toolUse('mcp__all__trigger-elicitation-request', {})]),
    reply('Thank you.'),
  ];
  try {
    await played({ page, lathe }, script, async (app, api) => {
      await test.step('a form, and a prompt that is a command', async () => {
        // The command waits for its server, so the tools behind it are there.
        await app.send('/mcp__all__args-prompt "New York"');
        await expect(app.conversation).toContainText('It is sunny.', A_WHILE);
        expect(JSON.stringify(api.requests[0]?.body.messages)).toContain('weather in New York?');

        await app.composer.pressSequentially('read @all:demo');
        const options = page.getByRole('listbox', { name: 'Files' }).getByRole('option');
        await expect(options.first()).toContainText('all:demo://');
        await page.keyboard.press('Escape');
        await app.composer.fill('');

        await app.send('ask me');
        const dialog = page.getByRole('dialog', { name: 'all asks you' });
        await expect(dialog).toBeVisible(A_WHILE);
        await dialog.getByRole('textbox', { name: 'String', exact: true }).fill('Ann of Cleves');
        await dialog.getByRole('textbox', { name: 'Integer (optional)' }).fill('4.5');
        await dialog.getByRole('group', { name: 'Boolean (optional)' }).getByLabel('Yes').check();
        expect.soft(await faults(page, '[role="dialog"]')).toEqual([]);
        await page.reload();
        const name = dialog.getByRole('textbox', { name: 'String', exact: true });
        await expect(name).toHaveValue('Ann of Cleves', A_WHILE);
        await expect(
          dialog.getByRole('group', { name: 'Boolean (optional)' }).getByLabel('Yes'),
        ).toBeChecked();
        await expect(dialog).toHaveAttribute('data-armed', 'true');
        await dialog.getByRole('button', { name: 'Send' }).click();
        await expect(dialog.getByText('Write a whole number.')).toBeInViewport({ ratio: 1 });
        await dialog.getByRole('textbox', { name: 'Integer (optional)' }).fill('7');
        await dialog.getByRole('button', { name: 'Send' }).click();
        await expect(app.conversation).toContainText('Thank you.', A_WHILE);
        expect(lastTold(api)).toContain('Ann of Cleves');
      });

      await test.step('how each server is, what it offers and said, and the sign-in', async () => {
        await app.send('/mcp');
        const servers = page.getByRole('list', { name: 'Tool servers' }).locator('> li');
        const [all, broken, guarded] = [servers.nth(0), servers.nth(1), servers.nth(2)];
        await expect(all).toContainText('connected', A_WHILE);
        await expect(broken).toContainText('failed', A_WHILE);
        await expect(guarded).toContainText('needs a sign-in', A_WHILE);

        await all.getByRole('button', { name: /^all/ }).click();
        await expect(all.getByRole('region', { name: /^Tools/ })).toContainText('echo', A_WHILE);
        await expect(all.getByRole('region', { name: /^Prompts/ })).toContainText('args-prompt');
        await expect(all.getByRole('region', { name: /^Resources/ })).toContainText(
          'demo://',
          A_WHILE,
        );
        await expect(all.getByRole('region', { name: 'Log' })).toContainText('Connected: ');
        expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
        await all.getByRole('button', { name: 'Turn off for this conversation' }).click();
        await expect(all).toContainText('off', A_WHILE);
        await all.getByRole('button', { name: 'Turn on' }).click();
        await expect(all).toContainText('connected', A_WHILE);

        await broken.getByRole('button', { name: /^broken/ }).click();
        await expect(broken).toContainText('Error: 7', A_WHILE);

        await guarded.getByRole('button', { name: /^docs/ }).click();
        await guarded.getByRole('button', { name: 'Sign in…' }).click();
        const waiting = guarded.getByRole('status');
        await expect(waiting).toContainText(`Sign in at ${new URL(docs.url).host}`, A_WHILE);
        expect.soft(await accessibilityFaults(page, { within: '[role="dialog"]' })).toEqual([]);
        const popup = page.waitForEvent('popup');
        await waiting.getByRole('button', { name: 'Open the page' }).click();
        await expect((await popup).locator('p')).toContainText('You can close this page.', A_WHILE);
        await expect(guarded).toContainText('signed in', A_WHILE);
        await expect(guarded).toContainText('2 tools', A_WHILE);
        await guarded.getByRole('button', { name: 'Sign out' }).click();
        await expect(guarded).toContainText('needs a sign-in', A_WHILE);
      });

      await test.step('a server that settings deny is shown as denied, with the file that says so', async () => {
        const refused = page.getByRole('list', { name: 'Tool servers' }).locator('> li').nth(3);
        const server = refused.getByRole('button', { name: /^refused/ });
        await expect(server).toContainText('denied in settings', A_WHILE);
        await server.click();
        await expect(refused).toContainText('It is denied by deniedMcpServers in');
        await expect(refused.getByRole('button', { name: 'Try again' })).toHaveCount(0);
      });
    });
  } finally {
    await docs.close();
  }
});
