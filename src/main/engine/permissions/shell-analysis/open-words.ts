import path from 'node:path';
import { FILE_READERS } from '../read-only/files';
import { PLAIN_READERS } from '../read-only/system';
import type { Hiding, Located } from '../request';
import { holdsNumber, type Surroundings } from './arithmetic';
import { type Input, isInterpreter, takesCodeFile } from './interpreters';
import { LAUNCHERS, NAMES_THINGS, RUNNERS, SHELLS, TAKES_NAMES } from './launchers';
import { takesPrograms } from './program-options';
import { programIn } from './variables';
import type { Word } from './words';

/**
 * What a program may do with a word that is only known at run time. Programs that neither start nor read what they are
 * given are not in question, and those that read files as all their use is are looked at as readers.
 */
type Use = 'none' | 'reads' | 'runs';

/**
 * Returns what a command may do with words only known at run time: start what they hold, if nobody knows the program, or
 * read the file that they name. Pure.
 */
export function hidingInOpenWords(
  name: string,
  words: readonly Word[],
  around: Surroundings,
): Hiding[] {
  const use = useOf(name, words);
  const isOption = !/^(?:npm|npx|curl)$/.test(name) && (takesPrograms(name) || isInterpreter(name));
  if (use === 'none' && !isOption) return [];
  const open = words.slice(1).filter(({ value, glob }) => value === null && glob === null);
  if (open.length === 0) return [];
  const isSure = isSettled(around.line);
  const unknown = open.filter((word) => !isSure || !isKnown(word, around, use !== 'reads'));
  const cut = open.filter((word) => !unknown.includes(word) && isCutAtBlanks(word));
  const found = hidingIn(name, use, isOption, unknown);
  return found ? withNames(found, unknown) : cutApart(hidingIn(name, use, isOption, cut));
}

/** Adds the names that files given to a command have, when it is given nothing else that is not known. */
function withNames(found: Hiding[], unknown: readonly Word[]): Hiding[] {
  const names = unknown.flatMap((word) => word.names ?? []);
  return unknown.every((word) => word.names)
    ? found.map((hiding) => ({ ...hiding, names }))
    : found;
}

/** Returns what `xargs` lets a program do with the names it is given, when the line does not show them. Pure. */
export function hidingInNames(words: readonly Word[], input: Input): Hiding[] {
  const at = words.findIndex(
    ({ value }, i) =>
      i > 0 && !/^-|^\d+$/.test(value ?? '') && !/^-[IdaELPsn]$/.test(words[i - 1]?.value ?? ''),
  );
  const name = path.posix.basename(words[at]?.value ?? '');
  if (at < 0 || input.kind === 'text') return [];
  const use = useOf(name, words.slice(at));
  const [word] = words;
  return word ? (hidingIn(name, use, false, [{ ...word, value: null, source: '' }]) ?? []) : [];
}

function hidingIn(
  name: string,
  use: Use,
  isOption: boolean,
  unknown: readonly Word[],
): Hiding[] | null {
  if (unknown.length === 0) return null;
  if (use === 'runs')
    return [
      {
        what: 'runs',
        why: `nobody knows whether ${name} starts what it is given, and some of that is only known at run time`,
      },
    ];
  // What `find` gives a command begins with where it was told to start.
  if (isOption && unknown.some((word) => word.names === undefined && beginsOpen(word)))
    return [
      {
        what: 'runs',
        why: `${name} may be given an option, only known at run time, that runs something`,
      },
    ];
  return use === 'reads' && unknown.some(mayNameFile)
    ? [{ what: 'reads', why: `${name} may read a file that is only known at run time` }]
    : null;
}

const cutApart = (found: Hiding[] | null): Hiding[] =>
  found?.map((hiding) => ({ ...hiding, ifCut: true })) ?? [];

/** Tells whether a shell cuts a folder in a word, out of quotes, where its name has blanks. */
const isCutAtBlanks = ({ source }: Word): boolean =>
  !source.includes('"') && /\$(?:\{?(?:\w*PWD|HOME|TMPDIR)\b|\((?!\())|`/.test(source);

function useOf(name: string, words: readonly Word[]): Use {
  if (READS_FILES.has(name)) return 'reads';
  const program = codeFileAt(name, words);
  if (program !== null)
    return READS_FILES.has(program) || TAKES_TEXT.has(program) ? 'reads' : 'runs';
  const isKnown =
    TAKES_TEXT.has(name) ||
    NAMES_THINGS.has(name) ||
    BUILTINS.test(name) ||
    TAKES_NAMES.test(name) ||
    RUNNERS.has(name) ||
    LAUNCHERS.has(name) ||
    Object.hasOwn(PLAIN_READERS, name) ||
    Object.hasOwn(FILE_READERS, name);
  return isKnown || SHELLS.has(name) || isInterpreter(name) || name === '' ? 'none' : 'runs';
}

/**
 * Returns the script or module that an interpreter or a shell is given with words of its own behind it; null for none.
 * What it does with them is as unknown as what any other program does.
 */
function codeFileAt(name: string, words: readonly Word[]): string | null {
  const isShell = SHELLS.has(name);
  const valued = isShell ? /^(?:[-+][oO]|--(?:rcfile|init-file))$/ : takesCodeFile(name);
  if (valued === null) return null;
  const ends = isShell ? /^-[a-zA-Z]*[cs]/ : /^-[a-zA-Z]*[ceEps]/;
  for (let at = 1; at < words.length; at++) {
    const value = words[at]?.value ?? null;
    if (value === null) return null;
    if (value === '-m' && /^(?:python|pypy)/.test(name)) return words[at + 1]?.value ?? null;
    if (!/^[-+]/.test(value)) return path.posix.basename(value);
    if (ends.test(value) || value === '-') return null;
    if (valued.test(value)) at++;
  }
  return null;
}

/** Builtins that are looked at elsewhere, and writers of files. */
const BUILTINS =
  /^(?:shift|return|exit|break|continue|wait|kill|jobs|fg|bg|disown|umask|ulimit|getopts|let|mapfile|readarray|type|hash|alias|unalias|shopt|history|fc|complete|compgen|bind|enable|times|logout|local|coproc|\[\[|which|git-.*|shred|unlink|patch|sponge|bsdtar|g?tar|mkfifo|mknod|link|nano|emacs|gzip)$/;

/** Programs that do no more with their words than print, count, wait or look them up somewhere else than on the disk. */
const TAKES_TEXT = new Set(
  (
    'ping ping6 dig nslookup host whois traceroute mtr ifconfig ip route netstat ss lsof fuser notify-send say logger wall write tput clear reset ' +
    'http https httpie xh grpcurl ab wrk hey vegeta redis-cli createdb dropdb createuser dropuser pg_ctl pg_isready lpr lp crictl minikube kind k9s ' +
    'flyctl fly vercel netlify wrangler firebase heroku pulumi cdk sam serverless eas doctl linode-cli hcloud vault consul nomad pip-compile nvm fnm volta rbenv pyenv asdf ' +
    'useradd usermod userdel groupadd passwd mount umount swapon swapoff sysctl modprobe hostnamectl timedatectl localectl loginctl systemd-analyze update-alternatives ' +
    'kubectx kubens argocd flux istioctl skaffold eksctl gsutil bq az gcloud aws'
  ).split(' '),
);

/** Programs that read, as data or as code to look at, the files they are given, and start none of them by name. */
const READS_FILES = new Set(
  (
    'curl wget scp sftp rsync rclone s3cmd gpg gpg2 openssl age sops ssh-add ssh-keygen prettier biome eslint stylelint tsc tslint markdownlint black ruff isort flake8 mypy pylint pyright ' +
    'bandit gofmt goimports golangci-lint rustfmt clang-format clang-tidy shellcheck shfmt yamllint hadolint tflint xmllint htmlhint jsonlint ajv open xdg-open code subl less more most pandoc ' +
    'convert magick identify ffmpeg ffprobe exiftool pdftotext qpdf dot vitest jest mocha ava playwright cypress pytest py.test tox nox unittest rspec phpunit phpcs phpstan rubocop ' +
    'gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 7z 7za 7zr unrar rar ar jar cpio pax zip unzip mysqldump pg_dump pg_restore sqlite3 mongosh mongoimport mongoexport ' +
    'iconv dos2unix unix2dos recode enca split csplit shuf uniq tac nl paste join column fmt strings hexdump xxd od diffstat colordiff delta bat lolcat figlet ' +
    'pbcopy xclip xsel wl-copy qrencode protoc thrift flatc swagger openapi-generator json.tool http.server pip venv build twine compileall py_compile zipfile tarfile'
  ).split(' '),
);

/** Returns true where a program may read a file: a word that begins open, or is open behind a sign that files stand behind. */
const mayNameFile = (word: Word): boolean =>
  !/^["']?[a-z][a-z+.-]*:\/\/(?!\$)/i.test(word.source) &&
  (beginsOpen(word) ||
    /(?:[@=:,/]|\bfile:\/*)["']?[$`]/.test(word.source) ||
    /^[^"'\s]*[\w.-](?:\$\(|`)/.test(word.source));

/** Tells whether nothing stands before the part of a word that is only known at run time, or an option's letter alone. */
const beginsOpen = ({ source }: Word): boolean => /^(?:["']?(?:-\w)?["']?[$`]|[{~<])/.test(source);

/** Signs of a line that may change what a name, a variable or a builtin in it means. */
const UNSETTLES =
  /\b(?:eval|source|alias|function|enable|hash|coproc|trap)\b|(?:^|[\s;&|({])\.\s|\(\s*\)|(?<![\w${])(?:PATH|IFS|HOME|PWD|OLDPWD|USER|LOGNAME|HOSTNAME|TMPDIR|CDPATH|BASH_\w+|GIT_\w+|PKG_CONFIG\w*)(?!\w)|\$\{(?:HOME|PWD|USER|LOGNAME|HOSTNAME)[^}]|\b(?:export|declare|typeset|local|readonly|read|mapfile|readarray|unset|getopts|printf|wait|env)\b[^;&|\n]*["'\\$`})]\w*\+?=|\b(?:read|mapfile|readarray|unset|getopts|printf\s+-v)\b[^;&|\n<]*[\\$`{*?]/;

/** Tells whether names, variables and builtins mean all through a line what they mean before it. */
export const isSettled = (line: string): boolean => !UNSETTLES.test(line);

/** Tells whether everything in a word that is only known at run time can be no program, option or file of anybody's choice. */
function isKnown(word: Word, around: Surroundings, mayInherit: boolean): boolean {
  if (word.source === '') return false;
  if (placeOf(word, around.line) !== null) return true;
  const parts = partsOf(word.source);
  return (
    parts?.every((part, at) => {
      if (typeof part === 'string') return true;
      const before = parts[at - 1] ?? '';
      const after = parts[at + 1] ?? '';
      if (typeof before !== 'string' || typeof after !== 'string') return false;
      // Between other texts it may be empty, and they one name.
      const isAlone = /^$|[=:,]$/.test(before) && after === '';
      if (mayInherit && isAlone && isInherited(part.expansion, around.line)) return true;
      const kind = outputOf(part.expansion, around);
      if (kind === null) return false;
      // A folder with more behind it is a path like any other; letters before a number may make a name with it.
      if (kind === 'folder')
        return before === '' || /[=:,]$/.test(before) ? after === '' || /^[:,]/.test(after) : false;
      const isApart = /^$|[^A-Za-z./]$|^-[A-Za-z]$/.test(before);
      return isApart && !/^[A-Za-z0-9/]/.test(after);
    }) === true
  );
}

/** Tells whether all that is only known at run time in a text are numbers, plain names and what `mktemp` makes. */
export function fillsInPlain({ source }: Word, around: Surroundings): boolean {
  if (!isSettled(around.line.replace(/\btrap\b/g, ''))) return false;
  const parts = partsOf(source.replace(/\\"/g, "'"));
  return (
    parts?.every((part) => {
      if (typeof part === 'string') return true;
      const name = /^\$\{?(\w+)\}?$/.exec(part.expansion)?.[1];
      const set = name === undefined ? part.expansion : setTo(name, around.line);
      return MADE.test(set ?? '') || outputOf(part.expansion, around) === 'text';
    }) === true
  );
}

/** The files and folders that `mktemp` makes. */
const MADE = /^\$\(mktemp(?: [\w./=-]+)*\)$/;

type Part = string | { readonly expansion: string };

/** Returns the fixed texts and expansions of a word, quotes taken off; null when they cannot be told apart. */
function partsOf(source: string): Part[] | null {
  const parts: Part[] = [];
  let fixed = '';
  let isQuoted = false;
  for (let at = 0; at < source.length; at++) {
    const sign = source.charAt(at);
    if (sign === '"') isQuoted = !isQuoted;
    else if (sign === "'" && !isQuoted) {
      const end = source.indexOf("'", at + 1);
      if (end < 0) return null;
      fixed += source.slice(at + 1, end);
      at = end;
    } else if (sign === '$' || sign === '`') {
      const expansion = EXPANSION.exec(source.slice(at))?.[0];
      if (expansion === undefined) return null;
      parts.push(fixed, { expansion });
      fixed = '';
      at += expansion.length - 1;
    } else if (sign === '\\' || (!isQuoted && /[{}~<>*?[\]]/.test(sign))) return null;
    else fixed += sign;
  }
  return [...parts, fixed].filter(
    (part, at, all) => part !== '' || (at > 0 && at < all.length - 1),
  );
}

/** One expansion, if there is no other in it but in the arithmetic. */
const EXPANSION =
  /^(?:\$\(\((?:[^()$`]|\([^()$`]*\)|\$\{?\w+\}?)*\)\)|\$\([^()`$]*(?:"?\$PWD"?)?[^()`$]*\)|`[^`\\$]*`|\$\{#?\w+\}|\$\w+|\$[?#$!])/;

/** Variables of the shell or the system that hold a folder or a plain name. */
const FOLDERS = /^(?:PWD|OLDPWD|HOME|TMPDIR)$/;
const NAMES = /^(?:USER|LOGNAME|HOSTNAME|UID|EUID|[?#$!])$/;

/** Returns what an expansion can only be: a number or a plain name of the system's, or one folder. Null for anything else. */
function outputOf(expansion: string, around: Surroundings): 'text' | 'folder' | null {
  if (/^\$\(\(|^\$\{#|^\$[?#$!]$/.test(expansion)) return 'text';
  const name = /^\$\{?(\w+)\}?$/.exec(expansion)?.[1];
  if (name !== undefined) {
    if (FOLDERS.test(name)) return 'folder';
    if (NAMES.test(name)) return 'text';
    const set = setTo(name, around.line);
    if (set !== null) return outputOf(set, around);
    return isSetHere(name, around.line) && holdsNumber(name, around) ? 'text' : null;
  }
  const command = expansion.replace(/^\$\(|^`|[)`]$/g, '').trim();
  if (TEXTS.test(command)) return 'text';
  return FOLDER.test(command) ? 'folder' : null;
}

/**
 * Tells whether an expansion is a variable of the environment that the line never sets, and that holds no program: no line
 * chooses what is in it.
 */
function isInherited(expansion: string, line: string): boolean {
  const name = /^\$\{?([A-Z][A-Z0-9_]*)\}?$/.exec(expansion)?.[1];
  if (
    name === undefined ||
    FOLDERS.test(name) ||
    /^(?:SHELL|PATH|BASH.*|.*PATH|IFS|REPLY|MAPFILE|OPTARG|PS\d|HIST.*|COMP_.*|FUNCNAME|DIRSTACK)$/.test(
      name,
    )
  )
    return false;
  const isSet =
    new RegExp(`(?<![\\w$]|\\$\\{)${name}(?!\\w)`).test(line) ||
    new RegExp(`\\$\\{${name}[^}]`).test(line);
  return !isSet && programIn(name, null) === undefined;
}

/** Returns the substitution that a line sets a variable to, when it sets it but once. */
function setTo(name: string, line: string): string | null {
  const mentions = line.match(new RegExp(`(?<![\\w$]|\\$\\{)${name}(?!\\w)`, 'g')) ?? [];
  if (mentions.length !== 1) return null;
  const [, , value = null] =
    new RegExp(`(?:^|[\\s;&|(])${name}=("?)(\\$\\([^()\`$]*\\))\\1(?=[\\s;&|)]|$)`).exec(line) ??
    [];
  return value;
}

const isSetHere = (name: string, line: string): boolean =>
  new RegExp(`(?:(?:^|[\\s;&|(])${name}=|\\bfor\\s+${name}\\s)`).test(line);

/** Commands that print a number, a digest of git, a time in digits, or a plain name of the machine's. */
const TEXTS =
  /^(?:nproc|arch|whoami|tty|(?:hostname|uname|id|getconf|sw_vers)(?: -?[\w]+)*|(?:cat |< ?)?\/etc\/hostname|wc -[lcwm](?: ?<? ?[\w./-]+)?|date(?: -[uI](?:[a-z]+)?)?(?: \+["']?(?:%[-_0]?[YmdHMSsFTjuVyNI]|[-_:.T/ 0-9])+["']?)?|jobs -p|seq(?: -?\d+)+|pgrep [\w. -]+|lsof -t[\w :.-]*|git rev-parse (?:--verify |--short(?:=\d+)? )*(?:HEAD|@)(?:[~^]\d*)*|git rev-list --count [\w./~^-]+|git log -1 --(?:format|pretty)=["']?(?:format:)?%[hHtTc]t?["']?|stat -[cf] ?["']?%[sYXzm]["']?[\w ./-]+|uuidgen|openssl rand -hex \d+|(?:pkg-config|pkgconf)(?: --(?:cflags|libs|modversion|exists|static))+(?: [\w.+-]+)+|go list(?: -m)?(?: [\w./-]+)*|xcrun --show-sdk-path|tput (?:cols|lines|sgr0|bold|setaf \d))$/;
/** Tells whether each of so many words that are only known at run time is a folder that a command prints. */
export const areFolders = (text: string, count: number): boolean => {
  let folders = 0;
  const rest = text.replace(/(?<=\s)("?)\$\(([^()]*)\)\1(?=\s|$)/g, (whole, _, command: string) => {
    if (!FOLDER.test(command.trim())) return whole;
    folders += 1;
    return '';
  });
  return folders === count && !/[$`{]/.test(rest);
};

/** Commands that print the path of one folder. */
const FOLDER =
  /^(?:pwd(?: -[LP])?|git rev-parse --(?:show-toplevel|absolute-git-dir|git-dir|show-cdup)|git --exec-path|mktemp(?: -[dqu])*|npm (?:root|prefix|bin)(?: -g)?|go env (?:GOPATH|GOROOT|GOBIN)|brew --prefix(?: [\w@.-]+)?|xcode-select -p|(?:realpath|readlink -f|cd) \.|dirname "?\$PWD"?|python3? -m site --user-base)$/;

/** The folder that a command runs in, at the start of a word, and a plain path below it. */
const PLACE = /^("?)(?:\$PWD|\$\{PWD\}|\$\(pwd(?: -[LP])?\)|`pwd`)("?)(\/[\w./@+-]*)?("?)$/;

/** Returns the path that a word names from the folder it runs in; null when it may name another. */
function placeOf({ value, glob, source }: Word, line: string): Located | null {
  const [found, opens = '', closes = '', rest = '', ends = ''] = PLACE.exec(source) ?? [];
  if (found === undefined || value !== null || glob !== null || !isSettled(line)) return null;
  return opens === closes + ends ? { path: `.${rest}`, isBare: opens === '' } : null;
}

/**
 * Returns the places that words name, by their index. Where the folder has `moved` only those in quotes count, for its
 * name may have blanks; where a `cd` leads is followed by its text.
 */
export function placesIn(
  words: readonly Word[],
  line: string,
  moved: boolean,
): Record<number, Located> {
  const found: Record<number, Located> = {};
  if (/^(?:cd|pushd)$/.test(words[0]?.value ?? '')) return found;
  words.forEach((word, at) => {
    const place = placeOf(word, line);
    if (place !== null && !(place.isBare && moved)) found[at] = place;
  });
  return found;
}

/** Tells whether a word is one word whatever is filled in: `"$@"` and `"${!X}"` may be several. */
export const isOneWord = ({ source }: Word): boolean =>
  !/[$`*?[{~]/.test(source.replace(/"(?:\\.|\$!|[^"\\@!])*"|'[^']*'/g, ''));

/** Numbers that the shell fills in by itself, and variables. */
const FILLED_IN = /\$(?:[!?#$]|\{#\w+\}|(\w+)|\{(\w+)\})/g;

/**
 * Tells whether a word known only at run time may be an option, or have one among the words that it is split into. One
 * that begins with a letter and is not split is none, nor is a number.
 */
export function mayBeOption(word: Word, around: Surroundings): boolean {
  const { value, source } = word;
  if (value !== null || (/^"?[\w%./:=+]/.test(source) && isOneWord(word))) return false;
  const filled = source.replaceAll('"', '').replace(FILLED_IN, (whole, plain, braced) => {
    const name: string | undefined = plain ?? braced;
    return name === undefined || isSetToNumber(name, around) ? '1' : whole;
  });
  return !/^%?\d+$/.test(filled);
}

/** Tells whether a line itself sets a variable, and only ever to numbers. */
const isSetToNumber = (name: string, around: Surroundings): boolean =>
  holdsNumber(name, around) && new RegExp(`(?<![\\w$])${name}=`).test(around.line);
