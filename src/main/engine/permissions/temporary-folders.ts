import type { ShellCommand } from './request';
import { isSettled } from './shell-analysis/open-words';

/** A variable that holds a folder which the line makes for it, from a place in the line on. */
export interface Fresh {
  readonly variable: string;
  readonly from: number;
}

/** A call of `mktemp`. */
const MAKES = 'mktemp(?: [\\w./=-]+)*';
/** A variable that a line sets, before anything else may be skipped, to what `mktemp` makes. */
const FRESH = new RegExp(
  `^(?:[^(){}|&$\`]*[;\\n][ \\t]*)?(\\w+)=("?)\\$\\(${MAKES}\\)\\2(?=\\s*(?:;|\\n|&&|\\|\\||$))`,
);
/** Words and signs of a line that may skip the setting of a variable, or make it a text or a comment. */
const MAY_SKIP = /\b(?:if|then|else|elif|while|until|for|case|do)\b|<<|#[^\n]*$/;
/** Variables that the shell sets itself. */
const OWN =
  /^(?:_|REPLY|OPT(?:ARG|IND|ERR)|MAPFILE|COPROC|S?RANDOM|SECONDS|LINENO|E?UID|PPID|GROUPS|DIRSTACK|HISTCMD|(?:BASH|EPOCH|COMP|READLINE|FUNC|PIPE)\w*)$/;
/** A single `&`: what stands in front of it runs in a shell of its own. */
const APART = /(?<![&>])&(?![&>])/;

/** Returns the variable that a line sets to a folder made by `mktemp`, and nothing else may set; null where there is none. */
export function freshIn(line: string): Fresh | null {
  const [set, variable] = FRESH.exec(line) ?? [];
  if (set === undefined || variable === undefined || OWN.test(variable)) return null;
  const start = set.lastIndexOf(`${variable}=`);
  if (MAY_SKIP.test(set) || quoteAt(line, start) !== '') return null;
  const [list = ''] = /^[^;\n]*/.exec(line.slice(set.length).replace(/(&&|\|\|)\s+/g, '$1')) ?? [];
  if (APART.test(list) || !isSettled(line.replace(/\btrap\b/g, ''))) return null;
  // Everywhere else its name stands behind a dollar sign or is a part of a path, quotes in it or not.
  const mentions = new RegExp(
    `(?:(?<![\\w$/.-]|\\$\\{)|-v)${variable}(?![\\w/])|\\$\\{${variable}(?:\\[[^\\]]*\\])?:?=`,
    'g',
  );
  const found = line.replace(/["'\\]/g, '').match(mentions) ?? [];
  return found.length === 1 ? { variable, from: set.length } : null;
}

/** Returns a command with such a folder named where it stands alone, and nothing is glued to it by quotes. */
export function withFresh(command: ShellCommand, fresh: Fresh | null): ShellCommand {
  if (fresh === null || fresh.from > command.start) return command;
  const { text } = command;
  const { variable } = fresh;
  // In a text that runs later, the output stands in the place of the variable, and quotes may be escaped.
  const use = new RegExp(
    `(?<=\\s)((?:\\\\?["'])?)\\$(?:${variable}|\\{${variable}\\}|\\(${MAKES}\\))\\1(?![\\w[])`,
    'g',
  );
  const named = text.replace(use, (found: string, own: string, at: number) => {
    const around = quoteAt(text, at);
    const behind = text.slice(at + found.length);
    const rest = around !== '' && behind.startsWith(around) ? behind.slice(1) : behind;
    return /^(?:[\s;)]|$)/.test(rest) && (own === '' || own !== around) ? './fresh' : found;
  });
  return { ...command, text: named };
}

/** Returns the quote that is open at a place of a text; empty outside of quotes. */
function quoteAt(text: string, place: number): string {
  let open = '';
  for (let at = 0; at < place; at++) {
    const char = text.charAt(at);
    if (char === '\\' && open !== "'") at += 1;
    else if (char === open) open = '';
    else if (open === '' && /["']/.test(char)) open = char;
  }
  return open;
}
