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

/** Returns how much the shell of a pty has written, once that does not change any more. */
async function settled(pty: Pty): Promise<string | null> {
  let [last, same]: [string | null, number] = [null, 0];
  await until(() => {
    const now = pty.writtenBy(pty.pid);
    same = now === last ? same + 1 : 0;
    last = now;
    return same > 20;
  });
  return last;
}

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
    await seen('$ ');
    // What the shell printed has come; it writes no more until a key comes.
    const before = await settled(pty);
    go();
    await seen('job asks');
    expect(pty.writtenBy(pty.pid)).toBe(before);
    type(pty, 'echo "m"ore\r');
    await seen('more');
    expect(pty.writtenBy(pty.pid)).not.toBe(before);
    type(pty, 'kill %1; exit\r');
  });
});
