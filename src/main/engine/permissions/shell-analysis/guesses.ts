import { isHarmlessAwkProgram, isHarmlessSedScript } from '../read-only/scripts';
import { NO_COMMAND, type ShellCommand } from '../request';

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

/**
 * Text in front of a command: `e` of sed, `!` of editors and pagers, `exec=` of tar, `EXEC:` of
 * socat.
 */
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

/** Tells whether an awk or sed program may run commands. */
function runsAsides(name: string, values: readonly (string | null)[]): boolean {
  const scripts = values.filter((value) => value !== null && !value.startsWith('-'));
  if (/^[gmn]?awk$/.test(name)) return !scripts.every((text) => isHarmlessAwkProgram(text ?? ''));
  if (name !== 'sed') return false;
  const given = values.filter((_, at) => /^(-\w*e|--expression)$/.test(values[at - 1] ?? ''));
  const programs = given.length > 0 ? given : scripts.slice(0, 1);
  return !programs.every((text) => isHarmlessSedScript(text ?? ''));
}

const MAX_RAW_COMMANDS = 300;

/**
 * Returns the commands of a line that could not be parsed, found by cutting at everything that may
 * separate commands. Too many rather than too few: they only serve to let deny and ask rules match.
 */
export function rawCommands(line: string): ShellCommand[] {
  const commands: ShellCommand[] = [];
  const separator =
    /(?:[;&|\n(){}`]|(?!\t)\p{Cc})+|\$\(|[<>]\(|(?:\b(?:do|then|else|if|while|until|time)|!)\s/gu;
  const add = (start: number, end: number) => {
    const text = line.slice(start, end).trim();
    if (text === '' || commands.length >= MAX_RAW_COMMANDS) return;
    const words = text
      .replace(/\\\n/g, '')
      .split(/\s+/)
      .map((word) => word.replace(/["'\\]/g, ''));
    commands.push({ ...NO_COMMAND, words, text: words.join(' '), start, end, role: 'inner' });
  };
  let from = 0;
  for (const match of line.matchAll(separator)) {
    add(from, match.index);
    from = match.index + match[0].length;
  }
  add(from, line.length);
  return commands;
}
