import { isHarmlessAwkProgram } from '../readonly/awk';
import { isHarmlessSedScript } from '../readonly/sed';

/** Programs that run code in their arguments which is no shell line. */
const INTERPRETERS = new Set(
  'python python2 python3 pypy pypy3 ipython perl ruby node nodejs deno bun php lua luajit Rscript julia ghc runghc osascript tclsh wish expect pwsh powershell cmd swift scala groovy irb iex elixir gdb lldb sqlite3 psql mysql bind complete mapfile readarray alias'.split(
    ' ',
  ),
);

/** Programs that run a command they are given in an option or behind a sign of their own. */
const ASIDE = new Set(
  'ed ex vi vim nvim view emacs less more most man info tar rsync make gmake cmake socat nc ncat crontab scp sftp zip'.split(
    ' ',
  ),
);

/** What stands in front of a command: `e` of sed, `!` of editors and pagers, `exec=` of tar, `EXEC:` of socat. */
const LEAD =
  /^\s*(?:[\d,$]*e\s+|\+?:?!+\s*|spawn\s+|exec[=:\s]\s*|EXEC:|SYSTEM:|\.(?:shell|system)\s+|[\w.-]+=!?)/;

/** `e` of sed behind an address, a brace or another command: the rest of the line is what it runs. */
const SED_RUNS = /(?:^|[^\w\\])\d*e[ \t]+(\S.*)/gm;

/**
 * Texts that may be commands in what a program that runs code is given: guesswork, for denials only. Lists of words
 * are joined.
 */
export function codeIn(name: string, values: readonly (string | null)[]): string[] {
  const runs = INTERPRETERS.has(name) || ASIDE.has(name) || runsAsides(name, values);
  if (!runs) return [];
  return values.flatMap((value) => {
    if (value === null || !/[\s[(,=:!]/.test(value)) return [];
    const option = /^--?[\w-]+=?(.*)$/s.exec(value)?.[1];
    const text = option === undefined || option === '' ? value : option;
    const once = text.replace(LEAD, '');
    const aside = name === 'sed' ? [...text.matchAll(SED_RUNS)].map(([, run = '']) => run) : [];
    const readings = new Set([text, once, once.replace(LEAD, ''), ...aside]);
    return [...readings].map((part) => part.replace(/[[\],]/g, ' '));
  });
}

/** awk and sed run commands only where their program says so. */
function runsAsides(name: string, values: readonly (string | null)[]): boolean {
  const scripts = values.filter((value) => value !== null && !value.startsWith('-'));
  if (/^[gmn]?awk$/.test(name)) return !scripts.every((text) => isHarmlessAwkProgram(text ?? ''));
  if (name !== 'sed') return false;
  const given = values.filter((_, at) => /^(-\w*e|--expression)$/.test(values[at - 1] ?? ''));
  const programs = given.length > 0 ? given : scripts.slice(0, 1);
  return !programs.every((text) => isHarmlessSedScript(text ?? ''));
}
