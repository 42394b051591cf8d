import { readdirSync, readFileSync } from 'node:fs';

/** How often memory is looked at. Milliseconds. */
const LOOK_MS = 20;
/** `USER_HZ`, the unit of times in /proc: 100 on every Linux that Node supports. */
const TICKS_PER_SECOND = 100;

/** User and system time of all children of this process that have ended, with what they waited for. Milliseconds. */
export function childCpuMs() {
  const stat = readProc('self', 'stat');
  const [cutime, cstime] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(13, 15);
  return ((Number(cutime) + Number(cstime)) * 1000) / TICKS_PER_SECOND;
}

/**
 * Watches every process with this home in its environment that is a Node program (so not the commands of a turn). `stop`
 * gives the sum of the greatest resident sizes the kernel noted for each (`VmHWM`): shared pages count in every process,
 * and peaks count as if they came at one moment, so it is never too little.
 */
export function watchMemory(home) {
  const peaks = new Map();
  const foreign = new Set();
  const look = () => {
    for (const pid of readdirSync('/proc')) {
      if (!/^\d+$/.test(pid) || foreign.has(pid)) continue;
      if (!isOurs(pid, home, foreign)) continue;
      const status = readProc(pid, 'status');
      const parent = /^PPid:\s+(\d+)/m.exec(status)?.[1];
      // Between fork and exec a command's process is a copy of its parent, not yet itself.
      if (parent !== undefined && readProc(parent, 'cmdline') === readProc(pid, 'cmdline'))
        continue;
      const kilobytes = /^VmHWM:\s+(\d+)/m.exec(status)?.[1];
      if (process.env.DBG)
        console.log(
          pid,
          parent,
          kilobytes,
          readProc(pid, 'cmdline').replaceAll('\0', ' ').slice(0, 200),
          /State.*/.exec(status)?.[0],
        );
      if (kilobytes !== undefined) peaks.set(pid, Number(kilobytes) * 1024);
    }
  };
  const timer = setInterval(look, LOOK_MS);
  return {
    stop: () => {
      clearInterval(timer);
      return [...peaks.values()].reduce((sum, bytes) => sum + bytes, 0);
    },
  };
}

function isOurs(pid, home, foreign) {
  const environment = readProc(pid, 'environ');
  if (environment !== '' && !environment.includes(`HOME=${home}\0`)) foreign.add(pid);
  return environment.includes(`HOME=${home}\0`) && /^[^\0]*node\0/.test(readProc(pid, 'cmdline'));
}

function readProc(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
