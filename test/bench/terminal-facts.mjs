import { closeSync, globSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Returns the pid of the terminal host of a home; 0 when there is none. */
export function terminalHostPid(home) {
  const [record] = globSync(join(home, '.lathe', 'run', 'terminal-host-v*.json'));
  return record === undefined ? 0 : JSON.parse(readFileSync(record, 'utf8')).pid;
}

/** Resolves with the output files of a home's tasks as soon as none of them grows any more. */
export async function outputsUnder(home, count) {
  const find = () => globSync(join(home, '.lathe', 'projects', '**', 'tasks', '*.output'));
  const sizes = () => find().map((file) => statSync(file).size);
  for (let before = ''; ; ) {
    const now = sizes().join();
    if (now === before && find().length >= count) return find();
    before = now;
    await delay(2_000);
  }
}

/**
 * Returns true when a file holds the numbers from 1 on, each once and in order, as `seq` prints them in a terminal. Looks
 * at its end and its size: a line that is missing or there twice would change one of the two.
 */
export function wholeNumbers(file) {
  const { size } = statSync(file);
  const tail = Buffer.alloc(Math.min(size, 200));
  const opened = openSync(file, 'r');
  readSync(opened, tail, 0, tail.length, size - tail.length);
  closeSync(opened);
  const lines = tail.toString().split('\r\n');
  // What ends it does so in the middle of a line.
  const cut = lines.pop();
  const last = Number(lines.at(-1));
  return size === sizeOfNumbers(last) + cut.length && `${last + 1}`.startsWith(cut);
}

/** Returns the bytes of the lines 1 to `last`, each with its line end of two. */
function sizeOfNumbers(last) {
  let size = 0;
  for (let digits = 1, from = 1; from <= last; digits += 1, from *= 10)
    size += (Math.min(last, from * 10 - 1) - from + 1) * (digits + 2);
  return size;
}
