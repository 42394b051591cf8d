import { readdir, readFile } from 'node:fs/promises';
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

/** Ends the processes that belong to a Lathe home. */
export async function endProcessesOf(latheHome: string): Promise<void> {
  for (const line of await look(latheHome)) {
    try {
      process.kill(Number.parseInt(line, 10), 'SIGKILL');
    } catch {
      // It ended meanwhile.
    }
  }
}

async function look(latheHome: string): Promise<readonly string[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(pids.map((pid) => commandIfOurs(pid, latheHome)));
  return found.filter((command) => command !== null);
}

async function commandIfOurs(pid: string, latheHome: string): Promise<string | null> {
  if (Number(pid) === process.pid) return null;
  const read = (name: string) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '');
  if (!(await read('environ')).split('\0').includes(`LATHE_HOME=${latheHome}`)) return null;
  const command = (await read('cmdline')).split('\0').join(' ').trim();
  return command === '' ? null : `${pid} ${command}`;
}
