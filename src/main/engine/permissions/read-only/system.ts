import { type CommandShape, HARMLESS, text } from './command-shape';

/** Names of pages and programs, no files: a page may be a program for the formatter. */
const namesOnly = (words: readonly string[]): boolean =>
  words.every((word) => /^-|^[\w][\w.+:-]*$/.test(word)) && words.length > 0;

/** Tells whether a path stays in the folder by its text. Only its time is looked at. */
const isBelow = (word: string): boolean => !/^[/~]|(^|\/)\.\.(\/|$)/.test(word);

/** Operands that are no files. */
const noPaths = (words: readonly string[]): boolean => words.every((word) => !/^\+|\//.test(word));

/** Commands about text, time and the machine. They touch no file of the user's. */
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

/** Programs that print their version and nothing else when asked to like this, whatever the folder holds. */
const SAY_VERSION =
  'node npm npx bun deno python python3 pip pip3 cargo rustc rustup go java javac ruby gem gcc g++ cc clang clang++ make cmake ninja docker kubectl helm terraform git gh tsc php perl bash zsh sh jq yq rg fd curl wget ssh psql mysql sqlite3 redis-cli dotnet swift kotlin scala ghc lua R julia zig nim elixir tmux vim nvim emacs tar grep sed awk find ls cat sort'.split(
    ' ',
  );
/** Programs with ways of their own to ask. Python runs on with `-v`, Go and others know a subcommand. */
const OWN_WAYS: Readonly<Record<string, RegExp>> = {
  node: /^(-v|--version)$/,
  npm: /^(-v|--version)$/,
  python: /^(-V|--version)$/,
  python3: /^(-V|--version)$/,
  pip: /^(-V|--version)$/,
  pip3: /^(-V|--version)$/,
  cargo: /^(-V|--version)$/,
  rustc: /^(-V|--version)$/,
  go: /^version$/,
  java: /^-{1,2}version$/,
  javac: /^-{1,2}version$/,
  ruby: /^(-v|--version)$/,
  perl: /^(-v|--version)$/,
  php: /^(-v|--version)$/,
  make: /^(-v|--version)$/,
  tsc: /^(-v|--version)$/,
  docker: /^(-v|--version)$/,
  git: /^(-v|--version|version)$/,
  rg: /^(-V|--version)$/,
  terraform: /^(-v|--version|version)$/,
  ssh: /^-V$/,
  tmux: /^-V$/,
};

/** Tells whether a program with exactly this one argument only prints its version. */
export function isVersionQuery(name: string, argument: string): boolean {
  const own = Object.hasOwn(OWN_WAYS, name) ? OWN_WAYS[name] : undefined;
  if (own) return own.test(argument);
  return argument === '--version' && SAY_VERSION.includes(name);
}

const TABLE = '-aq -f: --all --filter= --format= --no-trunc --quiet';

/** Programs with subcommands that only report, with the options that keep it so. Keys are two or three words. */
export const REPORTS: Readonly<Record<string, CommandShape>> = {
  'docker ps': text('-aqls -fn: --all --no-trunc --filter= --format= --latest --quiet --size'),
  'docker images': text('-aq -f: --all --digests --filter= --format= --no-trunc --quiet'),
  'docker logs': text('-ft -n: --follow --since= --tail= --timestamps --until= --details'),
  'docker inspect': text('-s -f: --format= --size --type='),
  'docker version': text(''),
  'docker info': text('-f: --format='),
  'docker image ls': text(TABLE),
  'docker container ls': text(`${TABLE} -ns: --latest --size`),
  'docker network ls': text(TABLE),
  'docker volume ls': text(TABLE),
  'docker system df': text('-v --verbose --format='),
  'docker top': text(''),
  'docker port': text(''),
  'docker history': text('-Hq --no-trunc --quiet --format= --human'),
  'docker diff': text(''),
  'docker stats': text('-a --no-stream --all --format= --no-trunc'),
  'openssl version': text('-abdefopv'),
  'npm ls': text('-agl --all --json --long --depth= --parseable --prod --dev --global'),
  'npm list': text('-agl --all --json --long --depth= --parseable --prod --dev --global'),
  'npm root': text('-g --global'),
  'npm prefix': text('-g --global'),
  'kubectl version': text('--client -o: --output=', {
    also: (words) => words.includes('--client'),
  }),
  'ip addr': text('', { maxOperands: 1, also: (words) => words.every((w) => w === 'show') }),
  'ip a': text('', { maxOperands: 0 }),
};
