import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { spawn } from 'node-pty';
import { expect, test } from 'vitest';
import { NODE_WORDS } from '../../support/node-words';
import { startScriptedApi } from '../../support/scripted-api';
import { reply } from '../../support/scripted-api-replies';
import { CLI, lathe, makeWorkspace } from './lathe';

test('what hooks want emitted goes to standard error where that is a terminal, and nowhere else', async () => {
  const workspace = await makeWorkspace();
  const api = await startScriptedApi(() => reply('Fine.'));
  const prints = (sequence: string) => ({
    hooks: [
      { type: 'command', command: `printf %s '${JSON.stringify({ terminalSequence: sequence })}'` },
    ],
  });
  const hooks = {
    Stop: [prints('\u001b]9;Tests passed\u0007\u001b]52;c;aGk=\u0007')],
    SessionEnd: [prints('\u001b]2;bye\u001b\\')],
  };
  await mkdir(join(workspace.home, '.claude'));
  await writeFile(join(workspace.home, '.claude', 'settings.json'), JSON.stringify({ hooks }));
  const own = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'test-key' };
  try {
    const words = ['-p', 'hello', '--output-format', 'json'];
    const program = [process.execPath, ...NODE_WORDS, CLI, ...words];
    const pty = spawn('sh', ['-c', 'exec "$@" > out.json', 'sh', ...program], {
      cwd: workspace.project,
      env: { PATH: process.env['PATH'], HOME: workspace.home, ...own },
    });
    let seen = '';
    pty.onData((data) => {
      seen += data;
    });
    const code = await new Promise((resolve) => pty.onExit(({ exitCode }) => resolve(exitCode)));
    expect(code).toBe(0);
    expect(seen).toContain('\u001b]9;Tests passed\u0007');
    expect(seen).toContain('\u001b]2;bye\u001b\\');
    expect(seen).not.toContain(']52');
    const printed = await readFile(join(workspace.project, 'out.json'), 'utf8');
    expect(JSON.parse(printed)).toMatchObject({ result: 'Fine.' });
    const piped = lathe(workspace, ['-p', 'hello'], own);
    piped.child.stdin.end();
    const { stdout, stderr } = await piped.finished;
    expect(stdout).toBe('Fine.\n');
    expect(stderr).toContain('which was dropped: OSC 52');
    expect(stderr).not.toContain('\u001b');
  } finally {
    await api.close();
    await workspace.remove();
  }
});

test('an answer moves nothing in the terminal that shows it, and a pipe gets every byte', async () => {
  const workspace = await makeWorkspace();
  const evil = 'Done.\u001b]52;c;aGk=\u0007\u001b[2J\tönd\r\nlast\u009b1A';
  const api = await startScriptedApi(() => reply(evil));
  const own = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'test-key' };
  try {
    const [program, ...words] = [process.execPath, ...NODE_WORDS, CLI, '-p', 'hello'];
    const pty = spawn(program, words, {
      cwd: workspace.project,
      env: { PATH: process.env['PATH'], HOME: workspace.home, ...own },
    });
    let seen = '';
    pty.onData((data) => {
      seen += data;
    });
    await new Promise((resolve) => pty.onExit(resolve));
    expect(seen).toContain('Done.\uFFFD]52;c;aGk=\uFFFD\uFFFD[2J\tönd\r\nlast\uFFFD1A\r\n');
    for (const obeyed of ['\u001b', '\u0007', '\u009b']) expect(seen).not.toContain(obeyed);
    const piped = lathe(workspace, ['-p', 'hello'], own);
    piped.child.stdin.end();
    expect((await piped.finished).stdout).toBe(`${evil}\n`);
  } finally {
    await api.close();
    await workspace.remove();
  }
});
