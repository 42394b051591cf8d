import { isHarmlessGitKey } from '../git-programs';
import { isForeignAddress } from './git-hiding';
import type { Word } from './words';

/**
 * Programs that run another one named in an option: the option, in every spelling, with its value attached or in the
 * next word. Letters before the last may be other options (`rsync -aze ssh`).
 */
const OPTIONS: Readonly<Record<string, RegExp>> = {
  tar: /^(?:-[a-zA-Z]*?[IF]|--use-c[a-z-]*(?:=|$)|--to-c[a-z-]*(?:=|$)|--checkpoint-a[a-z]*(?:=|$)|--(?:info|new-volume)-s[a-z]*(?:=|$)|--rsh-c[a-z]*(?:=|$)|--rmt-c[a-z]*(?:=|$))/,
  sort: /^--comp[a-z-]*(?:=|$)/,
  install: /^--strip-p[a-z]*(?:=|$)/,
  split: /^--f[a-z]*(?:=|$)/,
  zip: /^(?:-TT|--unzip-command(?:=|$))/,
  ssh: /^-[a-zA-Z0-9]*?o/,
  scp: /^-[a-zA-Z0-9]*?[oS]/,
  sftp: /^-[a-zA-Z0-9]*?[oSD]/,
  rsync: /^(?:-[a-zA-Z]*?e|--rsh(?:=|$)|--rsync-path(?:=|$))/,
  man: /^(?:-[a-zA-Z]*?[PH]|--pager(?:=|$)|--html(?:=|$))/,
  wget: /^(?:--use-askpass(?:=|$)|-e|--execute(?:=|$))/,
  apt: /^(?:-o|--option(?:=|$))/,
  dpkg: /^--(?:pre|post)-invoke(?:=|$)/,
  gcc: /^-wrapper$/,
  go: /^--?(?:exec|toolexec|vettool)(?:=|$)/,
  cargo: /^--config(?:=|$)/,
  rustc: /^-C/,
  strace: /^-o(?=\|)/,
  mysql: /^--pager(?:=|$)/,
  ag: /^--pager(?:=|$)/,
  tcpdump: /^-z/,
  nmap: /^--script/,
  gpg: /^--photo-viewer(?:=|$)/,
  mypy: /^--python-executable(?:=|$)/,
  pyright: /^--pythonpath(?:=|$)/,
  rpm: /^--pipe(?:=|$)/,
  svn: /^--(?:editor-cmd|diff-cmd|diff3-cmd|config-option)(?:=|$)/,
  hg: /^--config(?:=|$)/,
  java: /^-XX:On(?:Error|OutOfMemoryError)=/,
  less: /^\+!/,
  script: /^(?:-[a-zA-Z]*?c|--c[a-z]*(?:=|$))/,
  su: /^(?:-[a-zA-Z]*?c|--(?:session-)?c[a-z]*(?:=|$))/,
  just: /^--(?:shell|chooser)(?:=|$)/,
  prove: /^(?:-[a-zA-Z]*?e|--exe?c?(?:=|$))/,
  npm: /^--(?:script-shell|git|editor|viewer|init-module|shell)(?:=|$)/,
  helm: /^--post-renderer(?:=|$)/,
  ncat: /^(?:-[ec]|--(?:sh-)?exec(?:=|$))/,
};

const SAME: Readonly<Record<string, string>> = {
  bsdtar: 'tar',
  gtar: 'tar',
  'apt-get': 'apt',
  aptitude: 'apt',
  'g++': 'gcc',
  cc: 'gcc',
  'c++': 'gcc',
  clang: 'gcc',
  'clang++': 'gcc',
  more: 'less',
  gpg2: 'gpg',
  nc: 'ncat',
  netcat: 'ncat',
  runuser: 'su',
  flock: 'su',
  sg: 'su',
  npx: 'npm',
};

/** Tells whether a program runs another one that an option of it names. */
export const takesPrograms = (name: string): boolean =>
  Object.hasOwn(OPTIONS, name) || Object.hasOwn(SAME, name);

/** Keys of `ssh -o` that name no program. */
const SSH_KEYS =
  /^(?!ProxyCommand|LocalCommand|RemoteCommand|KnownHostsCommand|AuthorizedKeysCommand|XAuthLocation|PKCS11Provider|SecurityKeyProvider|Match|Include|PermitLocalCommand)\w+/i;

/**
 * Returns the programs, as shell texts, that options of a command name; null for one only known at run time. A value
 * that is known and runs nothing is left out.
 */
export function programsInOptions(name: string, words: readonly Word[]): (string | null)[] {
  if (name === 'git') return programsOfGit(words);
  const own = Object.hasOwn(SAME, name) ? (SAME[name] ?? name) : name;
  const option = Object.hasOwn(OPTIONS, own) ? OPTIONS[own] : undefined;
  if (!option) return [];
  return valuesOf(words, option).flatMap((value) => {
    if (value === null) return [null];
    if (/^s(?:sh|cp|ftp)$/.test(own) && SSH_KEYS.test(value) && /[=\s]/.test(value)) return [];
    if (own === 'man' && value === '') return [];
    // `exec=` of tar, `Key=value` of ssh, `Key::=value` of apt, `wrapper,argument` of gcc.
    const text = value.replace(/^(?:exec[=\s]|\|+|[\w:.-]+?(?:::)?(?:=|\s(?=\S))(?=\S))/, '');
    const texts = own === 'gcc' ? [value.replaceAll(',', ' ')] : [value, text];
    return [...new Set(texts)].filter((one) => /[A-Za-z$`]/.test(one));
  });
}

/** Returns the values of an option, wherever it stands; null for those only known at run time. */
function valuesOf(words: readonly Word[], option: RegExp): (string | null)[] {
  return words.slice(1).flatMap((word, at) => {
    const text = word.value ?? /^-[\w-]+=?/.exec(word.source)?.[0] ?? '';
    const found = option.exec(text);
    if (!found) return [];
    if (word.value === null) return [null];
    const attached = text.slice(found[0].length);
    return [attached === '' ? (words[at + 2]?.value ?? null) : attached];
  });
}

/** Options of subcommands that name programs, with their abbreviations. */
const GIT_OPTIONS: Readonly<Record<string, RegExp>> = {
  clone: /^(?:-u|--upl[a-z-]*(?:=|$))/,
  fetch: /^--upl[a-z-]*(?:=|$)/,
  pull: /^--upl[a-z-]*(?:=|$)/,
  'ls-remote': /^(?:--upl[a-z-]*(?:=|$)|--exe[a-z]*(?:=|$))/,
  push: /^(?:--rece[a-z-]*(?:=|$)|--exe[a-z]*(?:=|$))/,
  'send-pack': /^(?:--rece[a-z-]*(?:=|$)|--exe[a-z]*(?:=|$))/,
  'fetch-pack': /^(?:--upl[a-z-]*(?:=|$)|--exe[a-z]*(?:=|$))/,
  archive: /^--exe[a-z]*(?:=|$)/,
  difftool: /^(?:-[a-z]*?x|--ext[a-z]*(?:=|$))/,
  grep: /^(?:-[a-zA-Z]*?O|--open[a-z-]*(?:=|$))/,
  rebase: /^(?:-[a-z]*?x|--exe[a-z]*(?:=|$))/,
  'filter-branch': /^--(?:[a-z]+-filter|setup)(?:=|$)/,
  'send-email': /^--(?:sendmail-cmd|smtp-server|to-cmd|cc-cmd|header-cmd)(?:=|$)/,
  daemon: /^--access-hook(?:=|$)/,
  instaweb: /^(?:-d|--httpd(?:=|$)|-b|--browser(?:=|$))/,
  'web--browse': /^(?:-b|--browser(?:=|$)|-t|--tool(?:=|$))/,
};

/** Subcommands that run whatever stands behind them. */
const GIT_RUNNERS = new Set(
  'shell web--browse remote-ext remote-fd p4 svn cvsserver for-each-repo hook credential merge-index'.split(
    ' ',
  ),
);

/** Subcommands that do what another one does. */
const GIT_PLUMBING: ReadonlyMap<string, string> = new Map([
  ['send-pack', 'push'],
  ['fetch-pack', 'fetch'],
]);

function programsOfGit(words: readonly Word[]): (string | null)[] {
  const found: (string | null)[] = [];
  const values = words.map((word) => word.value);
  let at = 1;
  for (; at < values.length && values[at]?.startsWith('-') !== false; at++) {
    const option = values[at] ?? null;
    if (option === null) {
      if (words[at]?.source.startsWith('-')) found.push(null);
      break;
    }
    const attached = /^(?:-c|--config-env=|--exec-path=)(.+)$/s.exec(option)?.[1];
    if (option === '--config-env') found.push(null);
    else if (option === '-c' || (attached !== undefined && option.startsWith('-c')))
      found.push(...programOfSetting(attached ?? values[++at] ?? null));
    else if (/^--(?:config-env|exec-path)=/.test(option)) found.push(null);
    else if (/^(?:-C|--git-dir|--work-tree|--namespace|--super-prefix)$/.test(option)) at++;
  }
  const subcommand = values[at] ?? '';
  const rest = values.slice(at + 1);
  for (const word of rest) if (/^ext::/.test(word ?? '')) found.push(word?.slice(5) ?? null);
  if (GIT_RUNNERS.has(subcommand)) found.push(null);
  const same = subcommand === 'subtree' ? rest[0] : GIT_PLUMBING.get(subcommand);
  if (same) found.push(`git ${same}`);
  if (subcommand === 'config') found.push(...programOfConfig(rest));
  if (/^(?:clone|init)$/.test(subcommand))
    for (const value of valuesOf(words.slice(at), /^(?:-c|--config)(?:=|$)?/))
      found.push(...programOfSetting(value));
  const option = Object.hasOwn(GIT_OPTIONS, subcommand) ? GIT_OPTIONS[subcommand] : undefined;
  return option ? [...found, ...valuesOf(words.slice(at), option)] : found;
}

/** `key=value` of `git -c`: what it may run, unless the key is known to run nothing. */
function programOfSetting(setting: string | null): (string | null)[] {
  const [, key = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(setting ?? '') ?? [];
  if (setting === null) return [null];
  // `url.<address>.insteadOf` holds an address in its name.
  if (isForeignAddress(key.replace(/^\w+\./, ''))) return [null];
  if (isHarmlessGitKey(key.toLowerCase())) return isForeignAddress(value) ? [null] : [];
  // Without `!` an alias stands for another subcommand.
  const isAlias = /^alias\./i.test(key) && !value.startsWith('!');
  return [isAlias ? `git ${value}` : value.replace(/^!/, '')];
}

/** Options of `git config` that take the next word. */
const CONFIG_VALUED = /^(?:-f|--file|--blob|--type|--default|--comment|--value|--url)$/;

/** `git config key value`, in the forms that write. */
function programOfConfig(words: readonly (string | null)[]): (string | null)[] {
  // A section of another name may be one of aliases.
  if (words.some((word) => /^(?:--)?ren[a-z]*-?[a-z]*$/.test(word ?? ''))) return [null];
  const operands = words.filter(
    (word, at) => word?.startsWith('-') !== true && !CONFIG_VALUED.test(words[at - 1] ?? ''),
  );
  const [key = null, value] = operands[0] === 'set' ? operands.slice(1) : operands;
  if (value === undefined) return [];
  return key === null ? [null] : value === null ? [null] : programOfSetting(`${key}=${value}`);
}

/** The letters that may stand joined before the one whose value a script is (`env -iS'…'`). */
const MAX_JOINED = 4;

/** Returns what may be a script in an option: behind its `=`, or behind its letter or joined letters. */
export function attachedTexts(option: string): string[] {
  if (!/^-.*\s/s.test(option)) return [];
  const value = /^-[^=]*=(.*)$/s.exec(option)?.[1] ?? '';
  const joined = /^-[^-]\w*/.exec(option)?.[0].length ?? 0;
  const behind = Array.from({ length: Math.min(joined - 1, MAX_JOINED) }, (_, i) =>
    option.slice(i + 2),
  );
  return [value, ...behind].filter((text) => /\s/.test(text));
}
