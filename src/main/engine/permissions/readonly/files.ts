import type { CommandShape } from './shape';

const paths = (options: string, extra: Partial<CommandShape> = {}): CommandShape => ({
  options,
  operands: 'paths',
  ...extra,
});
const text = (options: string, extra: Partial<CommandShape> = {}): CommandShape => ({
  options,
  operands: 'text',
  ...extra,
});
const HARMLESS = { harmless: true } as const;
const DIGEST = paths(
  '-bctwz --binary --check --text --tag --zero --status --quiet --strict --warn',
);
const GREP =
  '-abcEFGhHiILlnoPqsTUvVwxyZz -ABCem: -rR -# --after-context= --before-context= --context= --regexp= --max-count= --extended-regexp --fixed-strings ' +
  '--basic-regexp --perl-regexp --ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --count --color= --color --colour= --colour ' +
  '--files-with-matches --files-without-match --only-matching --quiet --silent --no-messages --byte-offset --with-filename --no-filename --line-number ' +
  '--null --null-data --text --binary-files= --exclude= --exclude-dir= --include= --recursive --dereference-recursive --initial-tab --label= --line-buffered --version --help';

/** Coreutils and friends that only read, with the options that keep it so. */
export const FILE_READERS: Readonly<Record<string, CommandShape>> = {
  ls: paths(
    '-aAbBcCdDfFgGhHiklLmnNopqQrRsStuUvxXZ1 -IwT: --all --almost-all --author --escape --block-size= --ignore-backups --color --color= --directory --classify --classify= --file-type --format= --full-time --group-directories-first --no-group --human-readable --si --dereference --dereference-command-line --hide= --hyperlink= --indicator-style= --inode --ignore= --kibibytes --numeric-uid-gid --literal --quote-name --quoting-style= --reverse --recursive --size --sort= --time= --time-style= --tabsize= --width= --context --zero --help --version',
    HARMLESS,
  ),
  cat: paths(
    '-AbeEnstTuv --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting --help --version',
    HARMLESS,
  ),
  head: paths(
    '-qvz -nc: -# --bytes= --lines= --quiet --silent --verbose --zero-terminated',
    HARMLESS,
  ),
  tail: paths(
    '-fFqvz -ncs: -# --bytes= --lines= --follow --follow= --quiet --silent --verbose --zero-terminated --sleep-interval= --retry',
    HARMLESS,
  ),
  wc: paths('-clmwL --bytes --chars --lines --words --max-line-length --total='),
  nl: paths('-p -bdfhilnsvw: --body-numbering= --number-format= --number-width='),
  tac: paths('-br -s: --before --regex --separator='),
  rev: paths(''),
  stat: paths('-Ltx -cf: --dereference --format= --printf= --terse --file-system', HARMLESS),
  du: paths(
    '-0abcDhHkLlmPsSx -dBt: --all --apparent-size --block-size= --bytes --total --dereference --max-depth= --human-readable --summarize --separate-dirs --one-file-system --exclude= --threshold= --time --si --inodes',
  ),
  df: paths(
    '-ahHiklPTv -tx: --all --human-readable --inodes --portability --total --print-type --type=',
  ),
  file: paths('-bihLkNr0 --brief --mime --mime-type --mime-encoding --dereference --no-pad'),
  readlink: paths(
    '-efmnqsvz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --zero',
  ),
  realpath: paths(
    '-emLPqsz --canonicalize-existing --canonicalize-missing --logical --physical --quiet --strip --no-symlinks --zero --relative-to= --relative-base=',
  ),
  diff: paths(
    '-abBdeEinNpqrsTtuwyZ -CUIFxLW: -# --brief --report-identical-files --context --context= --unified --unified= --ed --normal --side-by-side --width= --recursive --new-file --ignore-case --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-trailing-space --exclude= --text --minimal --color --color= --strip-trailing-cr --label= --show-c-function',
  ),
  cmp: paths('-bls -in: --print-bytes --verbose --silent --quiet --bytes= --ignore-initial='),
  comm: paths('-123z --check-order --nocheck-order --output-delimiter= --total --zero-terminated'),
  cut: paths(
    '-nsz -bcdf: --bytes= --characters= --delimiter= --fields= --complement --only-delimited --output-delimiter=',
  ),
  paste: paths('-sz -d: --delimiters= --serial'),
  fold: paths('-bs -w: --bytes --spaces --width='),
  expand: paths('-i -t: --initial --tabs='),
  fmt: paths('-cstu -wp: --width= --split-only --uniform-spacing'),
  column: paths('-tnex -csNo: --table --separator= --output-separator='),
  sort: paths(
    '-bcCdfghiMmnRrsuVz -kt: --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort --human-numeric-sort --ignore-nonprinting --month-sort --numeric-sort --reverse --version-sort --check --check= --key= --merge --stable --field-separator= --unique --zero-terminated',
  ),
  // A second operand of uniq and xxd is written.
  uniq: paths(
    '-cdDiuz -fsw: --count --repeated --all-repeated --ignore-case --unique --skip-fields= --skip-chars= --check-chars=',
    { maxOperands: 1 },
  ),
  xxd: paths('-abCeEipu -cglos: ', { maxOperands: 1 }),
  od: paths(
    '-abcdfhilovx -AjNStw: --address-radix= --skip-bytes= --read-bytes= --format= --width= --traditional',
  ),
  hexdump: paths('-bcCdovx -ns: --canonical --length= --skip='),
  strings: paths('-aw -ntes: --all --bytes= --radix= --encoding='),
  md5sum: DIGEST,
  sha1sum: DIGEST,
  sha256sum: DIGEST,
  sha512sum: DIGEST,
  b2sum: DIGEST,
  cksum: paths(''),
  shasum: paths('-bcqst -a: --binary --check --text --algorithm='),
  grep: { options: GREP, operands: 'pattern' },
  egrep: { options: GREP, operands: 'pattern' },
  fgrep: { options: GREP, operands: 'pattern' },
  rg: {
    options:
      '-acFHhIiLlNnoPpqSsUuvwx0. -ABCEegjMmTtdr: -# --after-context= --before-context= --context= --regexp= --glob= --iglob= --max-columns= --max-columns-preview --max-count= --max-depth= --maxdepth= --type= --type-not= --type-list --threads= --case-sensitive --ignore-case --smart-case --color= --column --no-column --count --count-matches --crlf --files --files-with-matches --files-without-match --fixed-strings --follow --heading --no-heading --hidden --no-hidden --invert-match --json --line-number --no-line-number --line-regexp --multiline --multiline-dotall --no-config --no-ignore --no-ignore-vcs --no-messages --only-matching --passthru --pcre2 --pretty --quiet --replace= --sort= --sortr= --stats --text --trim --unrestricted --vimgrep --with-filename --no-filename --word-regexp --null --version --help --encoding=',
    operands: 'pattern',
  },
  tree: paths(
    '-aACdDfFghiJlnNpqQrsStuUvxX -ILP: --all --dirsfirst --filesfirst --du --gitignore --noreport --prune --si --sort= --charset= --filelimit= --matchdirs --ignore-case --inodes --device',
  ),
  jq: {
    options:
      '-acCejMnrsS --compact-output --color-output --monochrome-output --exit-status --null-input --raw-output --raw-input --slurp --sort-keys --ascii-output --join-output --tab --indent=',
    operands: 'pattern',
    // Its programs can print the environment and load modules.
    also: (words) => !words.some((word) => /\$ENV|\b(env|import|include)\b/.test(word)),
  },
  basename: text('-az -s: --multiple --suffix= --zero', HARMLESS),
  dirname: text('-z --zero', HARMLESS),
};

/** Commands about text, time and the machine. They touch no file of the person's. */
export const PLAIN_READERS: Readonly<Record<string, CommandShape>> = {
  echo: text('', HARMLESS),
  true: text('', HARMLESS),
  false: text('', HARMLESS),
  ':': text('', HARMLESS),
  pwd: { options: '-LP', operands: 'none' },
  seq: text('-w -fs: --equal-width --format= --separator='),
  sleep: text(''),
  tr: text('-cCdst --complement --delete --squeeze-repeats --truncate-set1'),
  printf: text('', { also: (words) => words.length > 0 && !/^-/.test(words[0] ?? '-') }),
  which: text('-a --all', HARMLESS),
  type: text('-afpPt', HARMLESS),
  command: text('-vV', { also: (words) => /^-[vV]$/.test(words[0] ?? '') }),
  whoami: { options: '', operands: 'none' },
  id: text('-agGnruz --user --group --groups --name --real'),
  groups: text(''),
  uname: { options: '-amnrspvio --all', operands: 'none' },
  arch: { options: '', operands: 'none' },
  hostname: { options: '-fsI --fqdn --short', operands: 'none' },
  nproc: { options: '--all', operands: 'none' },
  uptime: { options: '-ps --pretty --since', operands: 'none' },
  free: { options: '-bkmghtwl --human --mega --giga --total', operands: 'none' },
  tty: { options: '-s', operands: 'none' },
  date: {
    options: '-uRI -d: --utc --universal --rfc-email --iso-8601 --iso-8601= --rfc-3339= --date=',
    operands: 'text',
    also: (words) =>
      words.every(
        (word, i) => /^[-+]/.test(word) || words[i - 1] === '-d' || words[i - 1] === '--date',
      ),
  },
  // The BSD letter `e` prints environments, and so keys.
  ps: text('-aAdefFlTwHjL -op: --forest --sort= --no-headers', {
    also: (words) => words.every((word) => /^-|^\d+$|^(ax|aux|auxw|auxww)$|,/.test(word)),
  }),
  exit: text('', HARMLESS),
  return: text('', HARMLESS),
  break: text('', { maxOperands: 1 }),
  continue: text('', { maxOperands: 1 }),
  shift: text('', { maxOperands: 1 }),
  wait: text(''),
};

/** Programs that print their version and nothing else. */
export const VERSION_QUERIES: Readonly<Record<string, RegExp>> = {
  node: /^(-v|--version)$/,
  python: /^(-V|--version)$/,
  python3: /^(-V|--version)$/,
  go: /^version$/,
  gcc: /^--version$/,
  make: /^(-v|--version)$/,
  java: /^-{1,2}version$/,
  ruby: /^(-v|--version)$/,
  docker: /^(-v|--version)$/,
  git: /^(-v|--version|version)$/,
};
