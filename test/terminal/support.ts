import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { TerminalSpec } from '../../src/main/engine/ports';
import type { TerminalClient } from '../../src/main/terminal/client/terminal-client';
import type { TerminalInfo } from '../../src/shared/terminal';
import type { TestTerminals } from '../support/terminal-client';

/** Tests beside this one look for processes by the ids of their terminals, too. */
const ours = randomBytes(4).toString('hex');
let last = 0;

/** Returns what runs one line of bash in the test's folder. */
export function bash(
  terminals: Pick<TestTerminals, 'folder'>,
  command: string,
  extra: Partial<TerminalSpec> = {},
): TerminalSpec {
  last += 1;
  return {
    id: `t${last}-${ours}`,
    kind: 'command',
    sessionId: 'ses',
    project: terminals.folder,
    title: command,
    command,
    // As the agent's commands are run, so that most of them get a shell that was started ahead.
    argv: ['/bin/bash', '-c', 'eval "$1"', 'bash', command],
    cwd: terminals.folder,
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: terminals.folder, LANG: 'C.UTF-8' },
    cols: 80,
    rows: 24,
    ...extra,
  };
}

/** An interactive bash with a short prompt. */
export const shell = (terminals: TestTerminals, extra: Partial<TerminalSpec> = {}): TerminalSpec =>
  bash(terminals, 'bash', {
    kind: 'shell',
    argv: ['/bin/bash', '--norc', '--noprofile', '-i'],
    env: {
      PATH: process.env['PATH'] ?? '/usr/bin:/bin',
      HOME: terminals.folder,
      LANG: 'C.UTF-8',
      PS1: '$ ',
      TERM: 'xterm-256color',
    },
    ...extra,
  });

/** Starts a terminal or fails the test. */
export async function spawned(
  client: Pick<TerminalClient, 'spawn'>,
  spec: TerminalSpec,
): Promise<TerminalInfo> {
  const info = await client.spawn(spec);
  if (!info.ok) throw new Error(info.error.message);
  return info.value;
}

/** Resolves when the terminal's latest output holds the text. */
export function untilOutput(
  client: Pick<TerminalClient, 'onProgress'>,
  id: string,
  part: string,
): Promise<void> {
  return new Promise((resolve) => {
    const end = client.onProgress(id, ({ tail }) => {
      if (!tail.includes(part)) return;
      end();
      resolve();
    });
  });
}

/** Returns true when a process is alive. One that is dead and only not collected yet (a zombie) is not. */
export function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

/** Children of a process that are stopped: its spare shells. */
export const stoppedChildren = (parent: number): readonly number[] =>
  readdirSync('/proc').flatMap((name) => {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      const [state, ppid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return state === 'T' && Number(ppid) === parent ? [Number(name)] : [];
    } catch {
      return [];
    }
  });

/** Waits, without a fixed time, until something is so. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 10));
}
