/**
 * Keys that make git neither run a program, nor fetch, nor look at files outside: what `git init`, `git clone` and
 * daily work leave in a repository. A list of what is allowed, for git learns new keys that run things.
 */
const HARMLESS: readonly RegExp[] = [
  /^core\.(repositoryformatversion|filemode|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|safecrlf|eol|longpaths|quotepath|abbrev|untrackedcache|preloadindex|sparsecheckout|sparsecheckoutcone|whitespace|protectntfs|protecthfs|commitgraph|compression)$/,
  /^extensions\.(objectformat|refstorage|worktreeconfig|relativeworktrees|noop)$/,
  /^remote\..+\.(url|pushurl|fetch|push|tagopt|prune|gh-resolved)$/,
  /^branch\..+\.(remote|merge|rebase|pushremote|description|vscode-merge-base|gh-merge-base)$/,
  /^branch\.autosetup(merge|rebase)$/,
  /^user\.(name|email)$/,
  /^(pull|rebase|push|fetch|init|merge)\.(rebase|ff|default|autosetupremote|prune|defaultbranch|autostash|autosquash|conflictstyle)$/,
  /^color\.[a-z]+$/,
  /^(gc|maintenance)\.(auto|strategy)$/,
  /^lfs\.repositoryformatversion$/,
];

/** No value of a bare repository, or of a working tree elsewhere, is a daily thing. */
const NOT_BARE = /^core\.bare = (false|no|off|0)$/i;

const HEADER = /^\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]\s*(?:[#;].*)?$/;
const ENTRY = /^([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?$/;

/**
 * The first thing in a text of git configuration that is not known to be harmless, in its own words; null when all
 * is. Lines git might read otherwise than this does (continued, or behind a header) are not harmless. Pure.
 */
export function harmIn(text: string): string | null {
  let section = '';
  for (const raw of text.split(/\r?\n/)) {
    const line = raw.trim();
    if (line === '' || /^[#;]/.test(line)) continue;
    const header = HEADER.exec(line);
    if (header) {
      section = `${(header[1] ?? '').toLowerCase()}${header[2] === undefined ? '' : `.${header[2]}`}`;
      continue;
    }
    const entry = ENTRY.exec(line);
    if (!entry || line.endsWith('\\')) return `the line "${line.slice(0, 80)}"`;
    const key = `${section}.${(entry[1] ?? '').toLowerCase()}`;
    const known = HARMLESS.some((harmless) => harmless.test(key));
    if (!known && !NOT_BARE.test(`${key} = ${entry[2] ?? ''}`)) return key.slice(0, 80);
  }
  return null;
}
