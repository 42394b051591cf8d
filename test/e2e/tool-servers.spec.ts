import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { accessibilityFaults } from '../support/accessibility';
import { reply, toolUse } from '../support/scripted-api-replies';
import { A_WHILE } from './support/app-page';
import { expect, test } from './support/lathe';
import { lastTold, played, writeFiles } from './support/scripted-app';

test.slow();

const EVERYTHING = join(
  dirname(
    createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json'),
  ),
  'dist/index.js',
);

/** The user's own server, which every trusted project has. */
const settings = JSON.stringify({
  mcpServers: {
    all: { command: process.execPath, args: [EVERYTHING, 'stdio'], alwaysLoad: true },
  },
  permissions: { allow: ['mcp__all'] },
});

test('a server asks with a form, and hears what was filled in; a prompt of it is a command', async ({
  page,
  home,
  lathe,
}) => {
  await writeFiles(home, { '.claude/settings.json': settings });
  await played(
    { page, lathe },
    [
      reply('It is sunny.'),
      reply([toolUse('mcp__all__trigger-elicitation-request', {})]),
      reply('Thank you.'),
    ],
    async (app, api) => {
      // The command waits for its server, so the tools behind it are there.
      await app.send('/mcp__all__args-prompt "New York"');
      await expect(app.conversation).toContainText('It is sunny.', A_WHILE);
      expect(JSON.stringify(api.requests[0]?.body.messages)).toContain('weather in New York?');

      await app.send('ask me');
      const dialog = page.getByRole('dialog', { name: 'all asks you' });
      await expect(dialog).toBeVisible(A_WHILE);
      await dialog.getByRole('textbox', { name: 'String', exact: true }).fill('Ann of Cleves');
      await dialog.getByRole('textbox', { name: 'Integer (optional)' }).fill('4.5');
      await dialog.getByRole('group', { name: 'Boolean (optional)' }).getByLabel('Yes').check();
      expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
      await dialog.getByRole('button', { name: 'Send' }).click();
      await expect(dialog).toContainText('Write a whole number.');
      await dialog.getByRole('textbox', { name: 'Integer (optional)' }).fill('7');
      await dialog.getByRole('button', { name: 'Send' }).click();
      await expect(app.conversation).toContainText('Thank you.', A_WHILE);
      expect(lastTold(api)).toContain('Ann of Cleves');
    },
  );
});
