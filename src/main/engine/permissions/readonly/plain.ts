import { type CommandShape, HARMLESS, text } from './shape';

/** Names of pages and programs, no files: a page may be a program for the formatter. */
const namesOnly = (words: readonly string[]): boolean =>
  words.every((word) => /^-|^[\w][\w.+:-]*$/.test(word)) && words.length > 0;

/** A path that does not leave the folder by its text. Only its time is looked at. */
const isBelow = (word: string): boolean => !/^[/~]|(^|\/)\.\.(\/|$)/.test(word);

/** Operands that are no files. */
const noPaths = (words: readonly string[]): boolean => words.every((word) => !/^\+|\//.test(word));

/** Commands about text, time and the machine. They touch no file of the person's. */
export const PLAIN_READERS: Readonly<Record<string, CommandShape>> = {
  echo: text('*', HARMLESS),
  true: text('*', HARMLESS),
  false: text('*', HARMLESS),
  ':': text('*', HARMLESS),
  pwd: { options: '-LP', operands: 'none' },
  seq: text('-w -fs: --equal-width --format= --separator='),
  sleep: text(''),
  tr: text('-cCdst --complement --delete --squeeze-repeats --truncate-set1'),
  // `%n` sets a variable; behind the format nothing is an option.
  printf: text('', {
    freeAfter: 1,
    also: (words) => words.length > 0 && !/^-|%[^%a-zA-Z]*n/.test(words[0] ?? '-'),
  }),
  expr: text('*', HARMLESS),
  factor: text(''),
  numfmt: text(
    '-d: --to= --from= --field= --format= --grouping --header --invalid= --padding= --suffix= --delimiter=',
  ),
  getconf: text('-a'),
  locale: text('-acmk --all-locales --charmaps --category-name --keyword-name'),
  cal: text('-13hjmy -ABdHm:'),
  ncal: text('-13hjmyw -ABdHm:'),
  printenv: text('-0', { also: (words) => words.some((word) => !word.startsWith('-')) }),
  pgrep: text(
    '-acfilnovwxA -dgGOPrstuU: --list-name --list-full --inverse --count --full --ignore-case --newest --oldest --exact --delimiter= --parent= --euid= --uid=',
  ),
  lscpu: text('-abceJpxy --all --json'),
  lsblk: text('-abdfilmnJOprSt -o: --all --fs --json --output= --list --tree'),
  who: text('-abdHlmpqrstTu --count --heading', { also: noPaths, maxOperands: 2 }),
  w: text('-fhiosu'),
  last: text('-adFiwx -n: -#'),
  vmstat: text('-adfmnswt -S:'),
  ss: text(
    '-abeilmnopPrstuwxZ046 --all --listening --numeric --processes --tcp --udp --unix --summary --options',
  ),
  netstat: text(
    '-aelnoprstuvW46cCgiM --all --listening --numeric --programs --tcp --udp --route --statistics',
  ),
  lsof: text('-abCEhlnNoOPRtUvVwX -cdgiopPsTu:', { also: noPaths }),
  tput: text(''),
  help: text('-dms'),
  history: text('', { also: (words) => words.every((word) => /^\d+$/.test(word)) }),
  jobs: text('-lnprs'),
  ulimit: text('-aHS', { maxOperands: 0 }),
  umask: text('-Sp', { maxOperands: 0 }),
  man: text('-akfw --all --apropos --whatis --where --path', { also: namesOnly }),
  apropos: text('', { also: namesOnly }),
  whatis: text('', { also: namesOnly }),
  whereis: text('-bms', { also: namesOnly }),
  which: text('-a --all', HARMLESS),
  type: text('-afpPt', HARMLESS),
  command: text('-vV', { also: (words) => /^-[vV]$/.test(words[0] ?? '') }),
  whoami: { options: '', operands: 'none' },
  id: text('-agGnruz --user --group --groups --name --real'),
  groups: text(''),
  uname: { options: '-amnrspvio --all', operands: 'none' },
  dmesg: { options: '-HkTtuwx', operands: 'none' },
  arch: { options: '', operands: 'none' },
  hostname: { options: '-fsI --fqdn --short', operands: 'none' },
  nproc: { options: '--all', operands: 'none' },
  uptime: { options: '-ps --pretty --since', operands: 'none' },
  free: { options: '-bkmghtwl --human --mega --giga --total', operands: 'none' },
  tty: { options: '-s', operands: 'none' },
  date: {
    options:
      '-uR -I? -dr: --utc --universal --rfc-email --iso-8601 --iso-8601= --rfc-3339= --date=',
    operands: 'text',
    also: (words) =>
      words.every(
        (word, i) =>
          /^[-+]/.test(word) ||
          /^(-u?d|--date)$/.test(words[i - 1] ?? '') ||
          (/^-u?r$/.test(words[i - 1] ?? '') && isBelow(word)),
      ),
  },
  // The BSD letter `e` prints environments, and so keys.
  ps: text('-aAdefFlTwHjL -opuU: --forest --sort= --no-headers --pid= --user=', {
    also: (words) =>
      words.every(
        (word, i) =>
          /^-|^\d+$|^(ax|aux|auxf|auxw|auxww|axf|axu)$|,/.test(word) ||
          (/^-[a-zA-Z]*[opuU]$/.test(words[i - 1] ?? '') && !/^e$|environ/.test(word)),
      ),
  }),
  stty: text('-ag', { also: (words) => words.every((word) => /^(-a|-g|size|speed)$/.test(word)) }),
  lsusb: text('-tv -s:'),
  lspci: text('-tvnk -s:'),
  sw_vers: text('-productName -productVersion -buildVersion', { maxOperands: 0 }),
  exit: text('', HARMLESS),
  return: text('', HARMLESS),
  break: text('', { maxOperands: 1 }),
  continue: text('', { maxOperands: 1 }),
  shift: text('', { maxOperands: 1 }),
  wait: text(''),
};
