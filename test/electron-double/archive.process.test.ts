import { execFile, spawnSync } from 'node:child_process';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { PDFDocument } from '@cantoo/pdf-lib';
import { createPackage } from '@electron/asar';
import { expect, test } from 'vitest';
import { AppPage } from '../e2e/support/app-page';
import { tempFolder } from '../node/temp-folder';
import { see, startChromium } from '../support/chromium';
import { startScriptedApi } from '../support/scripted-api';
import { reply, toolUse } from '../support/scripted-api-replies';
import { soon } from '../support/soon';
import { createElectronDouble } from './double/electron-double';
import { packApp } from './double/packed-app';
import { runBuiltApp } from './double/run-built-app';

const KEY = 'sk-test-double';

test('the packed app works from its archive, and takes archives of a project for files', async () => {
  const folder = await tempFolder();
  const packed = await packApp(folder);
  const project = join(folder, 'harbour');
  await mkdir(project);
  await writeFile(join(project, 'note.txt'), 'a needle in a file\n');
  await mkdir(join(folder, 'inside'));
  await writeFile(join(folder, 'inside', 'packed.txt'), 'packed\n');
  const shipped = join(project, 'shipped.asar');
  await createPackage(join(folder, 'inside'), shipped);
  await copyFile(shipped, join(folder, 'before'));
  const pdf = await PDFDocument.create();
  pdf.addPage();
  await writeFile(join(project, 'tides.pdf'), await pdf.save());
  const changes = 'cat note.txt > shipped.asar && echo made > new.asar && echo fine';
  const api = await startScriptedApi(
    [
      reply(toolUse('Grep', { pattern: 'needle', output_mode: 'content', path: 'note.txt' })),
      reply(toolUse('Bash', { command: changes, description: 'Change the files' })),
      reply([
        toolUse('Read', { file_path: join(project, 'new.asar') }),
        toolUse('Read', { file_path: join(project, 'tides.pdf'), pages: '1' }),
      ]),
      reply('All changed.'),
    ],
    { apiKey: KEY },
  );
  const browser = await startChromium();
  const double = createElectronDouble({
    context: await browser.newContext({ reducedMotion: 'reduce' }),
    packaged: true,
  });
  const app = await runBuiltApp(double, { packed });
  try {
    const home = dirname(app.latheHome);
    await mkdir(join(home, '.claude'));
    await writeFile(
      join(home, '.claude', 'settings.json'),
      JSON.stringify({ permissions: { allow: ['Bash', 'Edit'] } }),
    );
    const page = await soon(() => {
      const shown = double.windows[0]?.page;
      if (!shown) throw new Error('No page yet');
      return shown;
    });
    expect(double.windows[0]?.options.webPreferences?.preload).toContain('app.asar');
    double.answers.folder = { canceled: false, filePaths: [project] };
    const screen = new AppPage(page);
    await page.getByRole('button', { name: 'Choose a folder' }).click();
    await page.getByRole('button', { name: 'Trust and open' }).click();
    await screen.connect(KEY, api.url);
    await screen.send('go');
    await see(screen.conversation).toContainText('All changed.');
    const told = JSON.stringify(api.requests.at(-1)?.body.messages);
    expect(told).toContain('note.txt:1:a needle in a file');
    expect(told).toContain('fine');
    expect(told).toContain('made');
    expect(told).toContain('application/pdf');
    expect(told).not.toContain('tool_use_error');

    await screen.conversation.getByRole('button', { name: /Bash/ }).first().click();
    await screen.conversation.getByRole('button', { name: 'Undo…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore 2 files' }).click();
    await see(screen.conversation).toContainText('Undid what a call changed: 2 files');
    // By a program: here an archive is a folder, too.
    await promisify(execFile)('cmp', [shipped, join(folder, 'before')]);

    // A thread of the archive searches; the one above cut the pages.
    await page.getByRole('searchbox', { name: /Find sessions/ }).fill('All changed');
    await see(page.getByRole('button', { name: 'All changed.' })).toBeVisible();

    await screen.openShell();
    await screen.typeInTerminal('echo $((40 + 2)) needles');
    await see(screen.terminals).toContainText('42 needles');

    const { stdout } = spawnSync(
      packed.program,
      [join(packed.path, 'out', 'main', 'cli.js'), 'doctor'],
      { env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' }, cwd: project, encoding: 'utf8' },
    );
    expect(stdout).toMatch(/✓ Terminals/);
    expect(stdout).toMatch(/✓ Search +ripgrep/);
  } finally {
    await app.stop();
    await browser.close();
    await api.close();
  }
});
