import type { CommandShape } from './command-shape';

const revisions = (options: string, extra: Partial<CommandShape> = {}): CommandShape => ({
  options,
  operands: 'revisions',
  wary: true,
  ...extra,
});

const DIFF =
  '-abBCDMpRrstuwWz -GSUl: -# --patch --no-patch --unified= --raw --patch-with-raw --minimal --patience --histogram --diff-algorithm= --stat --stat= --compact-summary --numstat --shortstat --dirstat --dirstat= --cumulative --summary --patch-with-stat --name-only --name-status --color --color= --no-color --color-moved --color-moved= --word-diff --word-diff= --word-diff-regex= --color-words --color-words= --no-renames --rename-empty --check --full-index --binary --abbrev --abbrev= --find-renames --find-renames= --find-copies --find-copies= --diff-filter= --pickaxe-all --pickaxe-regex --relative --relative= --text --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-space-at-eol --ignore-cr-at-eol --inter-hunk-context= --function-context --exit-code --quiet --no-ext-diff --no-textconv --ignore-submodules --ignore-submodules= --submodule --submodule= --no-prefix --staged --cached --merge-base --src-prefix= --dst-prefix= --no-indent-heuristic';
const LOG = `${DIFF} -cgimEFiP -nL: --oneline --graph --all --branches --branches= --tags --tags= --remotes --remotes= --decorate --decorate= --no-decorate --follow --full-diff --log-size --source --max-count= --skip= --since= --after= --until= --before= --author= --committer= --grep= --all-match --invert-grep --regexp-ignore-case --extended-regexp --fixed-strings --perl-regexp --merges --no-merges --first-parent --not --reverse --topo-order --date-order --author-date-order --format= --pretty --pretty= --abbrev-commit --no-abbrev-commit --date= --relative-date --parents --children --left-right --cherry-pick --cherry --cherry-mark --left-only --right-only --ancestry-path --walk-reflogs --no-walk --simplify-by-decoration --boundary --count --notes --no-notes --name-only --cc -z --no-mailmap --use-mailmap --reflog`;
const BLAME =
  '-bcefklnpstwCM -L: --root --show-stats --porcelain --line-porcelain --incremental --date= --since= --abbrev= --show-name --show-number --show-email';

/** Tells that no format contains `%G…`, which makes git run the signature program. */
const noSignatures = (words: readonly string[]) =>
  !words.some((word) => /%[-+ ]?G|%\(?(signature|contents:signature)|show-signature/.test(word));

/**
 * Tells whether `git branch` or `git tag` lists: it has no name to make something of, or says that
 * it lists. Options that take a commit make it list too.
 */
function listsOnly(words: readonly string[]): boolean {
  const names = words.filter(
    (word, i) => !word.startsWith('-') && !VALUED.test(words[i - 1] ?? ''),
  );
  return (
    names.length === 0 ||
    words.some((word) =>
      /^(-[avrin]*l[avrin]*|-n\d*|--list|--(no-)?contains|--(no-)?merged|--points-at)(=|$)/.test(
        word,
      ),
    )
  );
}

/**
 * Tells whether `git config` only reads: it lists, is told to get, or is given a name and no value.
 */
function readsConfig(words: readonly string[]): boolean {
  const names = words.filter((word) => !word.startsWith('-'));
  if (names.length > 1) return false;
  const asks = words.some((word) => /^(--get|--get-all|--get-regexp|--list|-l)$/.test(word));
  return asks || /^[\w-]+\./.test(names[0] ?? '');
}

/** Options of both whose value is always the next word. */
const VALUED = /^--(sort|format|points-at)$/;

/** Git subcommands that only read, with the options that keep it so. Keys may have two words. */
export const GIT_READERS: Readonly<Record<string, CommandShape>> = {
  status: revisions(
    '-bsvz -u: --short --branch --show-stash --porcelain --porcelain= --long --verbose --untracked-files --untracked-files= --ignored --ignored= --ignore-submodules= --column --no-column --ahead-behind --no-ahead-behind --renames --no-renames --null',
  ),
  diff: revisions(DIFF),
  log: revisions(LOG, { also: noSignatures }),
  show: revisions(LOG, { also: noSignatures }),
  shortlog: revisions('-cens --numbered --summary --email --all --no-merges --since= --until=', {
    also: noSignatures,
  }),
  reflog: revisions(LOG, {
    also: (words) =>
      noSignatures(words) && !words.some((word) => /^(expire|delete|drop|write)$/.test(word)),
  }),
  'stash list': revisions(LOG, { also: noSignatures }),
  'stash show': revisions(DIFF),
  blame: revisions(BLAME),
  annotate: revisions(BLAME),
  branch: revisions(
    '-arvil --all --remotes --list --verbose --show-current --color --color= --no-color --column --no-column --sort= --format= --abbrev= --no-abbrev --ignore-case --contains --contains= --no-contains --no-contains= --merged --merged= --no-merged --no-merged= --points-at=',
    {
      // `git branch name` makes one: names are only patterns behind --list, commits behind --contains.
      also: (words) => noSignatures(words) && listsOnly(words),
    },
  ),
  tag: revisions(
    '-li -n? --list --ignore-case --sort= --format= --contains --contains= --no-contains --no-contains= --merged --merged= --no-merged --no-merged= --points-at= --column --no-column --color --color=',
    { also: (words) => noSignatures(words) && listsOnly(words) },
  ),
  remote: revisions('-v --verbose', { operands: 'none' }),
  'remote show': revisions('', { operands: 'none' }),
  cherry: revisions('-v --verbose --abbrev='),
  'range-diff': revisions(DIFF),
  whatchanged: revisions(LOG, { also: noSignatures }),
  'symbolic-ref': revisions('-q --short --quiet', { maxOperands: 1 }),
  submodule: revisions('', { operands: 'none' }),
  'submodule status': revisions('--recursive --cached'),
  'notes list': revisions(''),
  'notes show': revisions(''),
  'bisect log': revisions('', { operands: 'none' }),
  'remote get-url': revisions('--all --push'),
  'worktree list': revisions('-vz --verbose --porcelain', { operands: 'none' }),
  'rev-parse': revisions(
    '-q --abbrev-ref --abbrev-ref= --short --short= --verify --quiet --show-toplevel --show-prefix --show-cdup --git-dir --absolute-git-dir --git-common-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository --symbolic-full-name --symbolic --all --branches --tags --remotes --show-superproject-working-tree --git-path= --sq --revs-only --no-revs --flags --no-flags',
  ),
  'rev-list': revisions(LOG, { also: noSignatures }),
  'ls-files': revisions(
    '-cdikmostuvzf -x: --cached --deleted --modified --others --ignored --stage --unmerged --killed --exclude= --exclude-standard --directory --no-empty-directory --error-unmatch --full-name --abbrev --abbrev= --recurse-submodules --eol --deduplicate --format=',
  ),
  'ls-tree': revisions(
    '-dlrtz --long --name-only --name-status --object-only --full-name --full-tree --abbrev --abbrev= --format=',
  ),
  'cat-file': revisions('-epst --allow-unknown-type'),
  'merge-base': revisions('-a --all --octopus --is-ancestor --fork-point --independent'),
  'name-rev': revisions('--tags --name-only --all --always'),
  describe: revisions(
    '--all --tags --contains --abbrev= --candidates= --exact-match --long --match= --exclude= --always --first-parent --dirty --dirty= --broken',
  ),
  'for-each-ref': revisions(
    '--count= --sort= --format= --points-at= --merged --merged= --no-merged --contains --contains= --ignore-case --color=',
    { also: (words) => !words.some((word) => /%\(signature|%\(contents:signature/.test(word)) },
  ),
  'show-ref': revisions(
    '-dqs --head --heads --branches --tags --hash --hash= --abbrev --verify --quiet',
  ),
  'count-objects': revisions('-vH --verbose --human-readable', { operands: 'none' }),
  'check-attr': revisions('-az --all --cached'),
  'show-branch': revisions(
    '-ar --all --remotes --list --current --topo-order --date-order --sha1-name --no-name --merge-base --independent --sparse',
  ),
  'hash-object': revisions('-t:'),
  // Without one of these it changes files.
  apply: revisions(
    '-vRp: --stat --numstat --summary --check --verbose --reverse --cached --index',
    {
      also: (words) => words.some((word) => /^--(stat|numstat|summary|check)$/.test(word)),
    },
  ),
  'check-ignore': revisions('-nqvz --quiet --verbose --non-matching --no-index'),
  'diff-tree': revisions(`${DIFF} --no-commit-id --root -mc --cc`),
  'diff-files': revisions(DIFF),
  'diff-index': revisions(DIFF),
  grep: {
    options:
      '-acEFGhHiILlnoPpqvwWz -ABCem: -# --after-context= --before-context= --context= --max-depth= --cached --untracked --ignore-case --invert-match --word-regexp --text --count --name-only --files-with-matches --files-without-match --only-matching --line-number --column --extended-regexp --basic-regexp --fixed-strings --perl-regexp --heading --break --show-function --function-context --color --color= --no-color --and --or --not --all-match --quiet --threads= --full-name',
    operands: 'revisions',
  },
  'config list': revisions('-z --local --global --show-origin --show-scope --name-only', {
    operands: 'none',
  }),
  'config get': revisions('--all --local --global --show-origin --type='),
  config: revisions(
    '-lz --get= --get-all= --get-regexp= --list --show-origin --show-scope --local --global --name-only',
    {
      also: readsConfig,
    },
  ),
};

/** Options before the subcommand that change nothing. `-c`, `-C`, `--git-dir` and the like are not among them. */
export const GIT_GLOBAL_OPTIONS = new Set([
  '--no-pager',
  '-P',
  '--no-optional-locks',
  '--literal-pathspecs',
]);
