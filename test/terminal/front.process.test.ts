import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPty, type Pty } from '../../src/main/terminal/host/pty';
import { until } from './support';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'front-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Starts an interactive shell; `seen` resolves when it has printed a text. */
function startShell(): { readonly pty: Pty; seen(text: string): Promise<void> } {
  let all = '';
  const opened = openPty(
    {
      ...{ argv: ['/bin/bash', '--norc', '--noprofile', '-i'], cwd: folder, cols: 80, rows: 24 },
      env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', PS1: '$ ', TERM: 'xterm-256color' },
    },
    {
      output: (chunk) => {
        all += chunk.toString();
      },
      exited: () => undefined,
    },
  );
  if (!opened.ok) throw new Error(opened.error.message);
  return { pty: opened.value, seen: (text) => until(() => all.includes(text)) };
}

const type = (pty: Pty, text: string) => pty.write(Buffer.from(text));

/** Makes a pipe with a name, at which a program waits for a line. */
function pipe(name: string): { readonly path: string; go(): void } {
  const path = join(folder, name);
  execFileSync('mkfifo', [path]);
  return { path, go: () => writeFileSync(path, 'go\n') };
}

describe.runIf(process.platform === 'linux')('what is known of the programs in a terminal', () => {
  test('a job of a shell at its prompt is seen to print, and the shell is not', async () => {
    const { pty, seen } = startShell();
    const { path, go } = pipe('job');
    await seen('$ ');
    type(pty, `(read -r _; printf 'jo''b asks'; read -r _) <>${path} &\r`);
    await seen('[1]');
    await until(() => pty.foreground() === pty.pid && pty.rest().kind === 'waits');
    const before = pty.activity();
    go();
    await seen('job asks');
    const after = pty.activity();
    expect(after?.written).toBe(before?.written);
    expect(after?.reaped).toBe(before?.reaped);
    expect(after?.behind).not.toBe(before?.behind);
    type(pty, 'echo "m"ore\r');
    await seen('more');
    expect(pty.activity()?.written).not.toBe(before?.written);
    type(pty, 'kill %1; exit\r');
  });

  test('a program that waits for something else does not wait for input', async () => {
    const { pty, seen } = startShell();
    const { path, go } = pipe('other');
    await seen('$ ');
    type(pty, `bash -c 'printf "sta"rted; read -r _ <>${path}; printf "no"w; read -rsn 1 _'\r`);
    await seen('started');
    await until(() => pty.rest().kind === 'sleeps');
    go();
    await seen('now');
    await until(() => pty.rest().kind === 'waits');
    type(pty, 'x');
    type(pty, 'exit\r');
  });
});
