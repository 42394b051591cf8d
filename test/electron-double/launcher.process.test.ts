import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { basename, delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { tempFolder } from '../node/temp-folder';
import { startScriptedApi } from '../support/scripted-api';
import { reply, toolUse } from '../support/scripted-api-replies';
import { soon } from '../support/soon';
import { packApp } from './double/packed-app';
import { makeProgram } from './double/run-built-app';

const KEY = 'sk-test-launcher';

test('the launcher of a packed app runs the command line and opens windows, from PATH and wherever the app lies', async () => {
  const home = join(await tempFolder(), 'Mein Ordner – ü $x');
  await mkdir(home);
  const packed = await packApp(home);
  const { asApp } = await makeProgram(home, packed);
  const inPath = join(home, 'own programs');
  await mkdir(inPath);
  const launcher = join(packed.path, '..', 'bin', 'lathe');
  const command = basename(launcher);
  await symlink(launcher, join(inPath, command));
  const project = join(home, 'häfen & co');
  await mkdir(project);
  await writeFile(join(project, 'note.txt'), 'a needle in a file\n');
  const api = await startScriptedApi(
    [reply(toolUse('Bash', { command: 'cat note.txt; echo "[$NODE_OPTIONS]"' })), reply('Found.')],
    { apiKey: KEY },
  );
  const { PATH = '', LANG = 'C.UTF-8' } = process.env;
  const options = {
    cwd: project,
    env: {
      ...{ HOME: home, LATHE_HOME: join(home, 'lathe'), LANG },
      PATH: `${inPath}${delimiter}${PATH}`,
      ...{ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: api.url },
      ...{ NODE_OPTIONS: '--no-deprecation', DISPLAY: ':7' },
    },
  };
  const lathe = (...words: string[]) => promisify(execFile)(command, words, options);
  try {
    const doctor = await lathe('doctor');
    expect(doctor.stdout).toMatch(/✓ Terminals/);
    expect(doctor.stdout).toMatch(/✓ Search +ripgrep/);

    const { stdout } = await lathe('-p', 'two  words', '--allowedTools', 'Bash');
    expect(stdout).toContain('Found.');
    expect(JSON.stringify(api.requests[0]?.body.messages)).toContain('two  words');
    const told = JSON.stringify(api.requests.at(-1)?.body.messages);
    expect(told).toContain('a needle in a file');
    // Electron takes it away; commands have it all the same.
    expect(told).toContain('[--no-deprecation]');

    const opening = spawn(command, ['.', '--no-open'], options);
    onTestFinished(() => void opening.kill());
    const ended = once(opening, 'exit');
    let output = '';
    for (const stream of [opening.stdout, opening.stderr])
      stream.on('data', (text) => {
        output += text;
      });
    // The program only writes down what it was to open; to the superuser Chromium says no, and a browser is served.
    await soon(async () => {
      if (process.geteuid?.() === 0) expect(output).toContain('superuser');
      else expect(await readFile(asApp, 'utf8')).toBe(`${project}\n`);
    });
    opening.kill();
    await ended;
  } finally {
    await api.close();
  }
});
