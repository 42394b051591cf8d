import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** How long the terminal host and killed trees may take to be gone, on a machine in use too, and how often that is looked at. */
const GRACE_MS = 60_000;
const LOOK_MS = 50;

/**
 * The command lines of processes that belong to a Lathe home, once they had a moment to end: those that carry
 * it in their environment. Empty where there is no /proc to ask.
 */
export async function processesOf(latheHome: string): Promise<readonly string[]> {
  const deadline = Date.now() + GRACE_MS;
  for (;;) {
    const left = await look(latheHome);
    if (left.length === 0 || Date.now() > deadline) return left;
    await pause(LOOK_MS);
  }
}

/** Ends the processes that belong to a Lathe home, with its terminal host, which has the home in its words alone. */
export async function endProcessesOf(latheHome: string): Promise<void> {
  for (const pid of await pids()) {
    if (Number(pid) === process.pid) continue;
    const words = (await readOf(pid, 'cmdline')).split('\0');
    const isHost = words.includes('--run-folder') && words.includes(join(latheHome, 'run'));
    if (!isHost && (await commandIfOurs(pid, latheHome)) === null) continue;
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It ended meanwhile.
    }
  }
}

const pids = async (): Promise<readonly string[]> =>
  (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));

const readOf = (pid: string, name: string): Promise<string> =>
  readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '');

async function look(latheHome: string): Promise<readonly string[]> {
  const found = await Promise.all((await pids()).map((pid) => commandIfOurs(pid, latheHome)));
  return found.filter((command) => command !== null);
}

async function commandIfOurs(pid: string, latheHome: string): Promise<string | null> {
  if (Number(pid) === process.pid) return null;
  if (!(await readOf(pid, 'environ')).split('\0').includes(`LATHE_HOME=${latheHome}`)) return null;
  const command = (await readOf(pid, 'cmdline')).split('\0').join(' ').trim();
  return command === '' ? null : `${pid} ${command}`;
}
