import type { Hiding, Located } from '../request';
import { copiesHere } from './git-copies';
import { limitsOf, SEARCHES_MORE, searchesTracked } from './git-limits';
import type { Word } from './words';

/**
 * Returns what a command of git does that its words do not show: prints committed files, runs programs. `places` are those
 * that words known at run time only name. Pure.
 */
export function hidingOfGit(
  words: readonly Word[],
  places: Readonly<Record<number, Located>>,
): Hiding[] {
  const values = words.map((word) => word.value ?? word.glob);
  const at = subcommandAt(values);
  if (at < 0) return [];
  const subcommand = values[at] ?? '';
  const rest = values.slice(at + 1);
  const isSet = (setting: RegExp) => values.slice(0, at).some((word) => setting.test(word ?? ''));
  const isShown = rest[0] === 'show' && isSet(/stash\.showPatch/i);
  const isOfOthers = isSet(/^diff\.submodule=d/i);
  const own = words
    .slice(1, at)
    .map(({ source }, i) => values[i + 1] ?? places[i + 1]?.path ?? TOP.exec(source)?.[1] ?? null);
  const found = (
    isLook(subcommand, rest)
      ? contentOf(`stash ${rest[0]}`, isShown ? ['-p', ...rest.slice(1)] : rest.slice(1))
      : contentOf(subcommand, isOfOthers ? ['--submodule=diff', ...rest] : rest)
  ).map((hiding) => fromFolder(hiding, own));
  const isOtherTree =
    CHECKS_OUT.test(subcommand) && own.some((word) => OTHER_TREE.test(word ?? ''));
  if (isOtherTree || own.some(setsTree) || (subcommand === 'config' && setsTree(rest.join(' '))))
    found.push({
      ...{ what: 'printsTracked', why: `git ${subcommand} writes files to another folder` },
      ...{ ofCommits: true, copies: true },
    });
  if (copiesHere(subcommand, words.slice(at + 1), own))
    found.push({
      ...{ what: 'prints', why: `git ${subcommand} copies what is committed on this machine` },
      ...{ ofCommits: true, copies: true },
    });
  const foreign = foreignProgram(words[at]?.value ?? null, rest);
  if (foreign !== null) found.push({ what: 'runs', why: foreign, isExtension: true });
  return found;
}

/** Adds the folder that git is told to go to, where what it shows is committed. */
function fromFolder(hiding: Hiding, own: readonly (string | null)[]): Hiding {
  const { limits, ...unlimited } = hiding;
  const isOther = own.some((word, at) => {
    const option = word?.includes('=') ? word : `${word}=${own[at + 1]}`;
    return setsTree(word) || (OTHER_TREE.test(word ?? '') && !OWN_TREE.test(option));
  });
  const folders = own.flatMap((word, at) => (word === '-C' ? [own[at + 1] ?? null] : []));
  if (isOther || folders.includes(null)) return { ...unlimited, folder: null };
  if (folders.length === 1 && folders[0] === 'git rev-parse --show-toplevel') return unlimited;
  const [first, ...others] = folders as string[];
  const folder = others.reduce(
    (from, to) => (to.startsWith('/') ? to : `${from}/${to}`),
    first ?? '',
  );
  const isAnyCase = own.some((word) => /^--icase/.test(word ?? ''));
  return { ...(isAnyCase ? unlimited : hiding), ...(first === undefined ? {} : { folder }) };
}

/** Tells whether a command of `git stash` only looks at what it keeps. */
const isLook = (subcommand: string, rest: readonly (string | null)[]): boolean =>
  subcommand === 'stash' && /^(?:show|list)$/.test(rest[0] ?? '');

/** Returns the place of the subcommand, behind git's own options; -1 when there is none. */
export const subcommandAt = (values: readonly (string | null)[]): number =>
  values.findIndex(
    (value, at) =>
      at > 0 && value?.startsWith('-') !== true && !GLOBAL_VALUED.test(values[at - 1] ?? ''),
  );

/** Subcommands that write committed files to the folder of work. */
const CHECKS_OUT =
  /^(?:am|checkout|checkout-index|cherry-pick|merge|pull|read-tree|rebase|reset|restore|revert|sparse-checkout|stash|switch)$/;
/** Options of git by which that may be any folder: beside the one of a repository it is the current one. */
const OTHER_TREE = /^--(?:work-t|git-d)/;
/** The same where they name those of the folder that git runs in. */
const OWN_TREE = /^--(?:git-dir=(?:\.\/)?\.git|work-tree=\.)\/?$/;
/** The folder of the repository that git finds by itself. */
const TOP = /^"?\$\((git rev-parse --show-toplevel)\)"?$/;
/** Tells whether a setting makes another folder the one of work. */
const setsTree = (setting: string | null): boolean =>
  /(?:^|\s|-c)core\.worktree[\s=]+\S/i.test(setting ?? '') && !/--unset/.test(setting ?? '');

/** Options of git itself that take the next word. */
const GLOBAL_VALUED =
  /^(?:-C|-c|--git-dir|--work-tree|--namespace|--super-prefix|--config-env|--attr-source)$/;

/** The subcommands that come with git. Any other one is a program `git-name`, or an alias for anything. */
const OWN = new Set(
  (
    'add am annotate apply archimport archive backfill bisect blame branch bugreport bundle cat-file check-attr check-ignore check-mailmap check-ref-format checkout checkout-index ' +
    'cherry cherry-pick citool clean clone column commit commit-graph commit-tree config count-objects credential credential-cache credential-store cvsexportcommit cvsimport cvsserver ' +
    'daemon describe diagnose diff diff-files diff-index diff-pairs diff-tree difftool fast-export fast-import fetch fetch-pack filter-branch fmt-merge-msg for-each-ref for-each-repo ' +
    'format-patch fsck fsck-objects gc get-tar-commit-id grep gui hash-object help history hook http-backend http-fetch http-push imap-send index-pack init init-db instaweb ' +
    'interpret-trailers last-modified log ls-files ls-remote ls-tree mailinfo mailsplit maintenance merge merge-base merge-file merge-index merge-octopus merge-one-file merge-ours ' +
    'merge-recursive merge-resolve merge-subtree merge-tree mergetool mktag mktree multi-pack-index mv name-rev notes p4 pack-objects pack-redundant pack-refs patch-id prune ' +
    'prune-packed pull push quiltimport range-diff read-tree rebase receive-pack reflog refs remote remote-ext remote-fd repack replace replay repo request-pull rerere reset restore ' +
    'rev-list rev-parse revert rm send-email send-pack sh-i18n sh-setup shell shortlog show show-branch show-index show-ref sparse-checkout stage stash status stripspace submodule ' +
    'subtree survey svn switch symbolic-ref tag unpack-file unpack-objects update-index update-ref update-server-info upload-archive upload-pack var verify-commit verify-pack ' +
    // An extension that most people who have it call every day.
    'verify-tag version web--browse whatchanged worktree write-tree lfs'
  ).split(' '),
);

/** Returns why git would run a program that its settings name, or one called `git-…` that it does not bring; null when not. */
function foreignProgram(
  subcommand: string | null,
  rest: readonly (string | null)[],
): string | null {
  if (subcommand === null) return 'which subcommand git runs is only known at run time';
  if (!OWN.has(subcommand))
    return `git has no subcommand ${subcommand}: it would run the program git-${subcommand}, or an alias`;
  if (/^(?:difftool|mergetool)$/.test(subcommand) && !rest.includes('--tool-help'))
    return `git ${subcommand} runs a program that its settings name`;
  const strategy = foreignStrategy(subcommand, rest);
  if (strategy !== null) return `git would run the merge strategy ${strategy}, which is a program`;
  const helper = TALKS.test(subcommand) ? rest.find(isForeignAddress) : undefined;
  return helper ? `git would run a program for the address ${helper}` : null;
}

/** Strategies that come with git; another one is a program `git-merge-name`. */
const STRATEGIES = /^(?:recursive|resolve|ours|octopus|subtree|ort)$/;
/** Options that give a strategy: `-s` means something else to `cherry-pick` and `revert`. */
const STRATEGY: Readonly<Record<string, RegExp>> = {
  merge: /^(?:-[^-mFXS]*?s|--str(?:ategy|ateg|ate|at|a)?(?:=|$))/,
  pull: /^(?:-[^-XSj]*?s|--str(?:ategy|ateg|ate|at|a)?(?:=|$))/,
  rebase: /^(?:-[^-xXSC]*?s|--str(?:ategy|ateg|ate|at|a)?(?:=|$))/,
  'cherry-pick': /^--str(?:ategy|ateg|ate|at|a)?(?:=|$)/,
  revert: /^--str(?:ategy|ateg|ate|at|a)?(?:=|$)/,
};

/** Returns the first strategy that git does not bring; null when there is none. */
function foreignStrategy(subcommand: string, rest: readonly (string | null)[]): string | null {
  const option = Object.hasOwn(STRATEGY, subcommand) ? STRATEGY[subcommand] : undefined;
  if (option === undefined) return null;
  for (const [at, word] of rest.entries()) {
    if (word === '--') return null;
    const found = option.exec(word ?? '');
    if (!found) continue;
    const attached = word?.slice(found[0].length) ?? '';
    const strategy = attached === '' ? (rest[at + 1] ?? 'only known at run time') : attached;
    if (!STRATEGIES.test(strategy)) return strategy;
  }
  return null;
}

/** Subcommands that take the address of another repository. */
const TALKS =
  /^(?:archive|clone|fetch|fetch-pack|http-fetch|http-push|ls-remote|pull|push|remote|request-pull|send-pack|submodule|subtree)$/;

/** Tells whether git has no way of its own to talk to an address, so that it runs `git-remote-name`. */
export const isForeignAddress = (word: string | null): boolean =>
  /^(?:--?[\w-]+=)?[A-Za-z0-9][\w.+-]*::/.test(word ?? '') ||
  /^(?:--?[\w-]+=)?(?!(?:https?|ftps?|ssh|git|file|git\+ssh|ssh\+git):\/\/)[A-Za-z][\w.+-]*:\/\//i.test(
    word ?? '',
  );

/** Options by which a comparison prints lines of files, whatever summary it prints besides. */
const GIT_PATCH =
  /^(?:-[^-SGOln]*[puU]|--patch(?:-with-\w+)?$|--unified(?:=|$)|--binary$|--check$|--dd$)/;

/** Tells whether an option has a comparison print lines of files, unless it is told to print a summary. */
const printsLines = (word: string): boolean =>
  GIT_PATCH.test(word) ||
  /^(?:-[^-SGOln]*[cLW]|-m$|--cc$|--word-diff|--color-words|--function-context|--remerge-diff|--diff-merges)/.test(
    word,
  );

/** Subcommands of git that print what is committed, alone or with one of the options. */
const GIT_PRINTS: Readonly<Record<string, RegExp | typeof printsLines | null>> = {
  show: null,
  diff: null,
  'diff-tree': printsLines,
  'diff-index': printsLines,
  'diff-files': printsLines,
  'diff-pairs': printsLines,
  log: printsLines,
  reflog: printsLines,
  whatchanged: printsLines,
  'rev-list': /^--(?:patch|filter-print)/,
  grep: null,
  stash: /^(?:-\w*p\w*|--patch|--unified|-U)/,
  // With any option it no longer prints the summary that it does alone.
  'stash show': /^-/,
  'stash list': printsLines,
  'format-patch': null,
  'fast-export': null,
  archive: null,
  bundle: null,
  difftool: null,
  'range-diff': null,
  'merge-tree': null,
  'cat-file': /^(?:-p|blob|--(?:batch|textconv|filters).*)$/,
  add: /^(?:-\w*[pie]|--patch|--interactive|--edit)$/,
  checkout: /^(?:-\w*p|--patch)$/,
  // In other places they are no files that a rule names.
  'checkout-index': /^--(?:te|pre)/,
  worktree: /^add$/,
  restore: /^(?:-\w*p|--patch)$/,
  reset: /^(?:-\w*p|--patch)$/,
  commit: /^(?:-\w*[pv]|--patch|--verbose|--interactive|--dry-run)$/,
  status: /^(?:-\w*v\w*|--verbose)$/,
  am: /^--show-current-patch/,
  rebase: /^--show-current-patch/,
  'request-pull': /^-p$/,
  // Copies of committed files, under other names.
  'read-tree': /^--prefix/,
  init: /^--sep/,
  bisect: /^(?:view|visualize)$/,
  rerere: /^diff$/,
  // Programs with a window or an address, and what serves a repository to others.
  gui: null,
  citool: null,
  instaweb: null,
  daemon: null,
  'http-backend': null,
  'upload-pack': null,
  'upload-archive': null,
  'pack-objects': null,
  'send-email': null,
  'unpack-file': null,
  send: null,
};

/** Other programs that print what is committed: always, or with these words behind their name. */
const VIEWERS: Readonly<Record<string, RegExp | null>> = {
  tig: null,
  gitk: null,
  lazygit: null,
  gitui: null,
  'git-cola': null,
  hub: /\b(?:diff|show)\b|\blog\b.* -p\b/,
  gh: /\bpr diff\b/,
  glab: /\bmr diff\b/,
  jj: /\b(?:diff|show|interdiff)\b|\blog\b.* (?:-p|--patch|--git)\b/,
  hg: /\b(?:diff|export|qdiff)\b|\b(?:log|incoming|outgoing|tip)\b.* (?:-\w*p|--patch)\b/,
  svn: /\bdiff\b|\blog\b.* --diff\b/,
  fossil: /\bg?diff\b/,
  bzr: /\bdiff\b|\blog\b.* (?:-p|--show-diff)\b/,
  brz: /\bdiff\b|\blog\b.* (?:-p|--show-diff)\b/,
};

/** Returns what a program beside git prints of what is committed. Pure. */
export function hidingOfViewer(name: string, words: readonly Word[]): Hiding[] {
  const shown = Object.hasOwn(VIEWERS, name) ? VIEWERS[name] : undefined;
  if (shown === undefined) return [];
  const rest = words.slice(1).map(({ value }) => value);
  const isSummary = rest.some((word) => GIT_SUMMARIES.test(word ?? ''));
  // Their commands may be called like a folder.
  const files = rest.filter((word) => word === null || /^-|\.\w+$/.test(word));
  const limits = limitsOf('diff', files, null);
  if (isSummary || !(shown?.test(rest.join(' ')) ?? true) || limits === 'named') return [];
  const why = `${name} prints committed files that the line does not name`;
  return [{ what: 'prints', why, ofCommits: true, ...(limits ? { limits } : {}) }];
}

/** Options that leave names or counts of what would be printed. */
const GIT_SUMMARIES =
  /^(?:--stat|--shortstat|--numstat|--dirstat|--summary|--name-only|--name-status|--raw|--quiet|-s|--no-patch|-q)(?:=|$)/;
/** Subcommands to which those options mean that. */
const COMPARES =
  /^(?:show|diff(?:-\w+)?|log|reflog|whatchanged|rev-list|range-diff|status|stash (?:show|list))$/;

const fits = (option: RegExp | typeof printsLines, word: string): boolean =>
  typeof option === 'function' ? option(word) : option.test(word);

/** `git show` and its like print committed files that the line does not name. */
function contentOf(subcommand: string, rest: readonly (string | null)[]): Hiding[] {
  const option = Object.hasOwn(GIT_PRINTS, subcommand) ? GIT_PRINTS[subcommand] : undefined;
  if (option === undefined) return [];
  const ended = rest.indexOf('--');
  const options = ended < 0 ? rest : rest.slice(0, ended);
  const isOpen = /^(?:log|reflog|diff-\w+|whatchanged|rev-list|cat-file|stash (?:show|list))$/.test(
    subcommand,
  );
  if (option !== null && !options.some((word) => (word === null ? isOpen : fits(option, word))))
    return [];
  const isSummary =
    COMPARES.test(subcommand) &&
    options.some((word) => GIT_SUMMARIES.test(word ?? '')) &&
    !options.some((word) => GIT_PATCH.test(word ?? ''));
  const limits = limitsOf(subcommand, options, ended < 0 ? null : rest.slice(ended + 1));
  if (isSummary || limits === 'named') return [];
  // Behind `--` all words are paths, and those before it have been looked at.
  const isSearch = subcommand === 'grep' && !options.some((word) => SEARCHES_MORE.test(word ?? ''));
  const isNow =
    ended < 0 &&
    (isSearch || CURRENT.test(subcommand)) &&
    !options.some((word) => SHOWS_OTHERS.test(word ?? ''));
  const isCurrent = isNow ? ({ isCurrent: true } as const) : {};
  return [
    {
      what: printsTracked(subcommand, options) ? 'printsTracked' : 'prints',
      why: `git ${subcommand} prints committed files that the line does not name`,
      ofCommits: true,
      ...(limits ? { limits: { ...limits, ...isCurrent } } : {}),
    },
  ];
}

/** Subcommands that show what is tracked now, unless they are given a revision. */
const CURRENT = /^(?:diff|diff-files|status|add|commit|restore)$/;

/** Tells whether only files that are tracked now count: no other revision is printed. Of what is copied those are enough. */
const printsTracked = (subcommand: string, options: readonly (string | null)[]): boolean =>
  /^(?:checkout-index|worktree)$/.test(subcommand) ||
  (subcommand === 'grep' && searchesTracked(options)) ||
  (CURRENT.test(subcommand) &&
    options.every(
      (word) => word === 'HEAD' || (word?.startsWith('-') === true && !SHOWS_OTHERS.test(word)),
    ));

/** Options by which a comparison shows files that are not tracked here: any of the disk, or those of submodules. */
const SHOWS_OTHERS = /^--(?:no-index$|sub[a-z]*=d)/;
