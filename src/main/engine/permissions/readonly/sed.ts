/** How far `s` has got in a sed script; null where it is not understood. */
type Step = (script: string, at: number) => number | null;

/** Commands that only move, print, delete or stop. No e, r, R, w, W; texts of a, i and c run to the end of the line. */
const PLAIN_COMMANDS = /^(?:[dDpPnNgGhHxlz=F]|q\s*\d*|Q\s*\d*|b\s*\w*|t\s*\w*|:\s*\w+)/;
const ADDRESS = /^(?:\d+(?:~\d+)?|\$)/;
const FLAGS = /^[gpiIM\d]*/;

/**
 * Whether a sed script only prints or changes what it prints. Understands less than sed does: whatever it does not
 * know is refused.
 */
export function isHarmlessSedScript(script: string): boolean {
  let at = 0;
  while (at < script.length) {
    const gap = /^[\s;}]+/.exec(script.slice(at))?.[0].length ?? 0;
    at += gap;
    if (at >= script.length) break;
    const next = readCommand(script, at);
    if (next === null) return false;
    at = next;
    // Two commands need something between them.
    if (at < script.length && !/^\s*[;}\n]/.test(script.slice(at))) return false;
  }
  return script.trim() !== '';
}

const readCommand: Step = (script, start) => {
  let at = skipSpace(script, readAddress(script, start));
  if (at === null) return null;
  if (script[at] === ',') {
    const sign = /^,\s*[+~]?/.exec(script.slice(at))?.[0].length ?? 1;
    const from = at + sign;
    at = readAddress(script, from);
    if (at === from) return null;
    at = skipSpace(script, at);
    if (at === null) return null;
  }
  const bang = /^(?:!\s*)*/.exec(script.slice(at))?.[0].length ?? 0;
  at += bang;
  const rest = script.slice(at);
  if (rest.startsWith('{')) {
    const inside = skipSpace(script, at + 1);
    return inside === null ? null : readCommand(script, inside);
  }
  if (rest.startsWith('s') || rest.startsWith('y')) return readSubstitution(script, at);
  const plain = PLAIN_COMMANDS.exec(rest);
  return plain ? at + plain[0].length : null;
};

const skipSpace = (script: string, at: number | null): number | null =>
  at === null ? null : at + (/^[ \t]*/.exec(script.slice(at))?.[0].length ?? 0);

const readAddress: Step = (script, at) => {
  const simple = ADDRESS.exec(script.slice(at));
  if (simple) return at + simple[0].length;
  if (script[at] !== '/') return at;
  const end = readDelimited(script, at + 1, '/');
  return end === null ? null : end + (script[end] === 'I' ? 1 : 0);
};

const readSubstitution: Step = (script, at) => {
  const delimiter = script[at + 1] ?? '';
  if (!/^[^\w\s\\[\]]$/.test(delimiter)) return null;
  const middle = readDelimited(script, at + 2, delimiter);
  const end = middle === null ? null : readDelimited(script, middle, delimiter);
  if (end === null) return null;
  if (script[at] === 'y') return end;
  return end + (FLAGS.exec(script.slice(end))?.[0].length ?? 0);
};

/**
 * Behind the next delimiter that no backslash hides. Systems disagree about one inside brackets, so a bracket has to
 * end before it.
 */
function readDelimited(script: string, start: number, delimiter: string): number | null {
  for (let at = start; at < script.length; at++) {
    const char = script[at];
    if (char === '\\') at++;
    else if (char === '\n') return null;
    else if (char === delimiter) {
      const part = script.slice(start, at).replace(/\\./g, '');
      return /\[(?!\^?\]?[^\]]*\])/.test(part) ? null : at + 1;
    }
  }
  return null;
}
