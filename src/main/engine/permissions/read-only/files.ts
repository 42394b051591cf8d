import { type CommandShape, HARMLESS, paths, text } from './command-shape';

/** `@file` stands for options that are written in the file. */
const NO_OPTION_FILES: Partial<CommandShape> = {
  also: (words) => words.every((word) => !word.startsWith('@')),
};
const DIGEST = paths(
  '-bctwz --binary --check --text --tag --zero --status --quiet --strict --warn',
);
const FD: CommandShape = {
  options:
    '-0aFgHiIlLpqsu1 -cdeEjStT: -# --hidden --no-ignore --no-ignore-vcs --unrestricted --case-sensitive --ignore-case --glob --regex --fixed-strings --absolute-path --list-details --follow --full-path --max-depth= --min-depth= --exact-depth= --type= --extension= --exclude= --size= --changed-within= --changed-before= --max-results= --color= --print0 --quiet --prune --strip-cwd-prefix --threads= --version --help',
  operands: 'pattern',
};
const GREP =
  '-abcEFGhHiILlnoPqsTUvVwxyZz -ABCem: -rR -# --after-context= --before-context= --context= --regexp= --max-count= --extended-regexp --fixed-strings ' +
  '--basic-regexp --perl-regexp --ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --count --color= --color --colour= --colour ' +
  '--files-with-matches --files-without-match --only-matching --quiet --silent --no-messages --byte-offset --with-filename --no-filename --line-number ' +
  '--null --null-data --text --binary-files= --exclude= --exclude-dir= --include= --recursive --dereference-recursive --initial-tab --label= --line-buffered --version --help';

/** Packers that write to standard output, list or test; otherwise they replace the file. */
const UNPACK =
  '-cdfkltqvn123456789 --stdout --to-stdout --decompress --uncompress --list --test --verbose --quiet';
const TO_OUTPUT: Partial<CommandShape> = {
  also: (words) =>
    words.some((word) => /^(-[a-z]*[clt]|--(to-)?stdout|--list|--test)/.test(word)) &&
    !words.some((word) => /^-[a-z]*f/.test(word)),
};
const ZGREP: CommandShape = {
  options: '-cEFhHiIlLnoqsvwx -ABCem: --ignore-case --line-number --count --invert-match',
  operands: 'pattern',
};

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
    '-abBdeEinNpqrsTtuwyZ -CUIFxLW: -# --brief --report-identical-files --context --context= --unified --unified= --ed --normal --side-by-side --width= --recursive --new-file --ignore-case --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-trailing-space --exclude= --text --minimal --color --color= --strip-trailing-cr --label= --show-c-function --suppress-common-lines --left-column --no-dereference --ignore-matching-lines= --tabsize= --new-line-format= --old-line-format= --unchanged-line-format=',
  ),
  cmp: paths('-bls -in: --print-bytes --verbose --silent --quiet --bytes= --ignore-initial='),
  diff3: paths('-AeE3imTxX --text --merge --easy-only --show-all --show-overlap --initial-tab'),
  sdiff: paths(
    '-abBdEilstWZ -wI: --suppress-common-lines --left-column --width= --ignore-case --ignore-all-space --ignore-space-change --ignore-blank-lines --text --minimal',
  ),
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
    { wary: true },
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
  strings: paths('-aw -ntes: --all --bytes= --radix= --encoding=', NO_OPTION_FILES),
  md5sum: DIGEST,
  sha1sum: DIGEST,
  sha256sum: DIGEST,
  sha512sum: DIGEST,
  b2sum: DIGEST,
  cksum: paths(''),
  sum: paths('-rs --sysv'),
  sha224sum: DIGEST,
  sha384sum: DIGEST,
  base64: paths('-diD -w: -b: --decode --ignore-garbage --wrap='),
  base32: paths('-di -w: --decode --ignore-garbage --wrap='),
  join: paths(
    '-iz -aejotv12: --check-order --nocheck-order --header --ignore-case --zero-terminated',
  ),
  unexpand: paths('-a -t: --all --first-only --tabs='),
  tsort: paths(''),
  pr: paths(
    '-acdfFJmrtTvW -DehilnNoSsw: -# --columns= --across --double-space --header= --length= --merge --omit-header --width=',
  ),
  zcat: paths(''),
  bzcat: paths(''),
  xzcat: paths(''),
  gzip: paths(UNPACK, TO_OUTPUT),
  gunzip: paths(UNPACK, TO_OUTPUT),
  bzip2: paths(UNPACK, TO_OUTPUT),
  bunzip2: paths(UNPACK, TO_OUTPUT),
  xz: paths(UNPACK, TO_OUTPUT),
  unxz: paths(UNPACK, TO_OUTPUT),
  zipinfo: paths('-1hlmstvzT'),
  // Without `-l`, `-t`, `-v` or `-Z` it unpacks; behind the archive only members are named.
  unzip: paths('-ltvqZ1z', { also: (words) => /^-[ltvZ]/.test(words[0] ?? '') }),
  objdump: paths(
    '-adDfhprstTxCw -Mmj: --disassemble --disassemble-all --section= --syms --headers --all-headers --file-headers --section-headers --dynamic-syms --reloc --full-contents --demangle --no-show-raw-insn --wide',
    NO_OPTION_FILES,
  ),
  dir: paths('-aAlhR1'),
  vdir: paths('-aAhR1'),
  size: paths('-ABdotx --format= --radix=', NO_OPTION_FILES),
  readelf: paths(
    '-aAdehlnrsSuVW --all --file-header --program-headers --section-headers --sections --symbols --syms --dyn-syms --headers --notes --relocs --dynamic --version-info --wide',
    NO_OPTION_FILES,
  ),
  nm: paths(
    '-aACDgnoprSu --debug-syms --demangle --dynamic --extern-only --numeric-sort --print-size --size-sort --undefined-only --defined-only',
    NO_OPTION_FILES,
  ),
  bat: paths(
    '-Anp -lrH: --plain --number --show-all --style= --color= --paging= --language= --line-range= --highlight-line= --decorations= --theme= --wrap= --no-pager',
    // What it shows its output with is a program of the environment's choice.
    { also: (words) => words.every((word) => !/^(always|auto|--paging=(?!never$).*)$/.test(word)) },
  ),
  eza: paths(
    '-1aAdDFghHiIlLmnrRsStTuUx -L: --all --long --tree --git --icons --header --level= --sort= --color= --group-directories-first --reverse --recurse --oneline',
  ),
  exa: paths(
    '-1aAdDFghHiIlLmnrRsStTuUx -L: --all --long --tree --git --icons --header --level= --sort= --color= --group-directories-first --reverse --recurse --oneline',
  ),
  shasum: paths('-bcqst -a: --binary --check --text --algorithm='),
  grep: { options: GREP, operands: 'pattern' },
  egrep: { options: GREP, operands: 'pattern' },
  fgrep: { options: GREP, operands: 'pattern' },
  zgrep: ZGREP,
  zegrep: ZGREP,
  zfgrep: ZGREP,
  bzgrep: ZGREP,
  xzgrep: ZGREP,
  rg: {
    options:
      '-acFHhIiLlNnoPpqSsUuvwx0. -ABCEegjMmTtdr: -# --after-context= --before-context= --context= --regexp= --glob= --iglob= --max-columns= --max-columns-preview --max-count= --max-depth= --maxdepth= --type= --type-not= --type-list --threads= --case-sensitive --ignore-case --smart-case --color= --column --no-column --count --count-matches --crlf --files --files-with-matches --files-without-match --fixed-strings --follow --heading --no-heading --hidden --no-hidden --invert-match --json --line-number --no-line-number --line-regexp --multiline --multiline-dotall --no-config --no-ignore --no-ignore-vcs --no-messages --only-matching --passthru --pcre2 --pretty --quiet --replace= --sort= --sortr= --stats --text --trim --unrestricted --vimgrep --with-filename --no-filename --word-regexp --null --version --help --encoding=',
    operands: 'pattern',
  },
  ag: {
    options:
      '-acfHiIlLnoQsStuUvwz0 -ABCGm: --after= --before= --context= --color --nocolor --column --count --files-with-matches --files-without-matches --file-search-regex= --follow --group --nogroup --heading --noheading --hidden --ignore= --ignore-case --ignore-dir= --invert-match --literal --max-count= --numbers --nonumbers --only-matching --silent --smart-case --case-sensitive --stats --unrestricted --vimgrep --word-regexp --depth= --version --js --ts --python --html --css --go --rust',
    operands: 'pattern',
  },
  fd: FD,
  fdfind: FD,
  tree: paths(
    '-aACdDfFghiJlnNpqQrsStuUvxX -ILP: --all --dirsfirst --filesfirst --du --gitignore --noreport --prune --si --sort= --charset= --filelimit= --matchdirs --ignore-case --inodes --device',
    { wary: true },
  ),
  jq: {
    options:
      '-acCejMnrsS --compact-output --color-output --monochrome-output --exit-status --null-input --raw-output --raw-input --slurp --sort-keys --ascii-output --join-output --tab --indent= --seq --stream --raw-output0 --version',
    operands: 'pattern',
    // Its programs can print the environment and load modules.
    also: (words) => !words.some((word) => /\$ENV|\b(env|import|include)\b/.test(word)),
  },
  yq: {
    options:
      '-ePrjMCNnS -opI: --prettyPrint --output-format= --input-format= --raw-output --colors --no-colors --no-doc --exit-status --null-input --version',
    operands: 'pattern',
    // Its programs can read files and the environment, and run commands.
    also: (words) =>
      !words.some((word) =>
        /\b(load|\w*env|eval|system|input|import|include|split)/i.test(
          word.replace(/^(e|ea|eval|eval-all)$/, ''),
        ),
      ),
  },
  basename: text('-az -s: --multiple --suffix= --zero', HARMLESS),
  dirname: text('-z --zero', HARMLESS),
};
