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
 * Watches every process with this home in its environment that is a Node program or the shell that guards one (so not the
 * commands of a turn). `stop`
 * gives the peaks over all looks, in bytes: `shared`, every process's own pages (RssAnon, RssShmem) and, once, the largest
 * set of pages that are files (RssFile: mostly Node's own program, which processes share); `added`, their resident sizes
 * (VmRSS) simply added up. 0 where the system does not tell.
 */
export function watchMemory(home) {
  const foreign = new Set();
  const peak = { shared: 0, added: 0 };
  const look = () => {
    const counts = ownPids(home, foreign).map(memoryOf);
    const sum = (pick) => counts.reduce((total, count) => total + pick(count), 0);
    const shared = sum(({ own }) => own) + Math.max(0, ...counts.map(({ file }) => file));
    peak.shared = Math.max(peak.shared, shared);
    peak.added = Math.max(
      peak.added,
      sum(({ own, file }) => own + file),
    );
  };
  const timer = setInterval(look, LOOK_MS);
  return {
    stop: () => {
      clearInterval(timer);
      return peak;
    },
  };
}

function ownPids(home, foreign) {
  return readdirSync('/proc').filter(
    (pid) => /^\d+$/.test(pid) && !foreign.has(pid) && isOurs(pid, home, foreign),
  );
}

/** Between fork and exec the process of a command is a copy of its parent, not yet itself: it counts as nothing. */
function memoryOf(pid) {
  const status = readProc(pid, 'status');
  const bytes = (name) =>
    1024 * Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
  const parent = /^PPid:\s+(\d+)/m.exec(status)?.[1] ?? '';
  if (readProc(parent, 'cmdline') === readProc(pid, 'cmdline')) return { own: 0, file: 0 };
  return { own: bytes('RssAnon') + bytes('RssShmem'), file: bytes('RssFile') };
}

function isOurs(pid, home, foreign) {
  const environment = readProc(pid, 'environ');
  if (environment !== '' && !environment.includes(`HOME=${home}\0`)) foreign.add(pid);
  return environment.includes(`HOME=${home}\0`) && isLathe(readProc(pid, 'cmdline'));
}

const isLathe = (cmdline) => /^[^\0]*node\0/.test(cmdline) || cmdline.includes('\0--finish\0');

function readProc(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
