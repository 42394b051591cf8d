import { reply } from '../support/scripted-api-replies';
import { expect, test } from './support/lathe';
import { played, writeFiles } from './support/scripted-app';

test.slow();

/** Waits for the file `go` where it is told of quays, and names no ship. */
const HOOK = `let all = '';
process.stdin.on('data', (piece) => (all += piece)).on('end', async () => {
  const { delta } = JSON.parse(all);
  while (delta.includes('Quay') && !require('node:fs').existsSync(process.env.HOME + '/go'))
    await new Promise((resolve) => setTimeout(resolve, 50));
  const displayContent = delta.replaceAll(/Anna|Bertha/g, '**a ship**');
  console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: 'MessageDisplay', displayContent } }));
});`;

test('what a hook has shown in place of an answer comes line by line, and stays after a reload', async ({
  page,
  lathe,
}) => {
  const command = `"${process.execPath}" "$HOME/display.cjs"`;
  const hooks = { MessageDisplay: [{ hooks: [{ type: 'command', command }] }] };
  await writeFiles(lathe.home, {
    '.claude/settings.json': JSON.stringify({ hooks }),
    'display.cjs': HOOK,
  });
  const said = ['Anna lies at the pier.', '', 'Quay 4 has Bertha.', '', 'Nothing is at sea.'];
  const answer = reply(said.join('\n'), { pieceChars: 4, paceMs: 20 });
  await played({ page, lathe }, [answer, reply('So it is.')], async (app, api) => {
    await app.send('where are they');
    await expect(app.conversation).toContainText('a ship lies at the pier.');
    // All of it has come, and is held back.
    await expect.poll(() => api.requests.length).toBe(1);
    await expect(app.conversation).not.toContainText('Quay');
    await expect(app.conversation).not.toContainText('Anna');
    await writeFiles(lathe.home, { go: '' });
    await expect(app.conversation).toContainText('Quay 4 has a ship.');
    await expect(app.conversation).toContainText('Nothing is at sea.');
    await expect(app.conversation).not.toContainText('MessageDisplay');
    await page.reload();
    await expect(app.conversation).toContainText('Quay 4 has a ship.');
    await expect(app.conversation).not.toContainText('Bertha');
    await app.send('are you sure');
    await expect(app.conversation).toContainText('So it is.');
    expect(JSON.stringify(api.requests.at(-1)?.body.messages)).toContain('Quay 4 has Bertha.');
  });
});
