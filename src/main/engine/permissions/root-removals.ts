import { posix } from 'node:path';
import {
  baseOf,
  clearsItsFolder,
  isDeepRemoval,
  RECURSIVE,
  removalGiven,
  removesFound,
} from './folder-removals';
import { criticalRemovalReason } from './paths';
import type { ShellCommand, Touches } from './request';
import {
  FIXED_FOLDER,
  REMOVED_PATH,
  REMOVES_TREE,
  UNKNOWN_CLIMB,
  UNKNOWN_FOLDER,
  UNKNOWN_START,
} from './shell-analysis/empty-variables';
import { isInterpreter } from './shell-analysis/interpreters';
import { SHELLS, startsNothing } from './shell-analysis/launchers';
import { areFolders, isSettled } from './shell-analysis/open-words';
import { type ShellContext, withPlaces } from './shell-paths';
import { type Fresh, withFresh } from './temporary-folders';

/**
 * Tells whether a command removes, or changes who may use, all below a place that is only known at run time and may be at
 * the root of the disk.
 */
export function mayRemoveAtRoot(
  shell: ShellContext,
  open: ShellCommand,
  use: Touches['use'],
  fresh: Fresh | null,
): boolean {
  const command = withFresh(withPlaces(open, shell.context), fresh);
  return (
    (use !== 'reads' && (removesInText(command) || removesCritical(shell, command))) ||
    removesInFolder(command) ||
    removesUnknownNames(command) ||
    (mayEmptyToRoot(command) && !onlyFinds(command, shell.request.command)) ||
    mayEmptyToCritical(shell, command)
  );
}

/** The program that stands in the place of a variable that is not set, or that a command prints by itself or by its path. */
const SHOWN =
  /^"?(?:\$\{\w+:?[-=+]|(?:\$\(|`)\s*(?:\\?(?:command|builtin)\s+)?\\?(?:\/[\w/]*\/)?(?:echo|printf|which|type|command(?=\s+-\w*v))(?:\s+-[\w-]*)*(?:\s+["']?%s(?:\\n)?["']?)?\s+)["']?((?!-)[\w./-]+)["')`}]*/;
/** Other names of archivers that take the same options. */
const SAME_ARCHIVER = /^bsd(?=tar$)|(?<=^7z)[arz]$/;

const nameOf = ({ words, text }: ShellCommand): string =>
  baseOf(words[0] ?? SHOWN.exec(text)?.[1] ?? null).replace(SAME_ARCHIVER, '');

/** Returns the text of a command without the program that it shows: how that is found says nothing about a path. */
const behindShown = ({ words, text }: ShellCommand): string =>
  words[0] === null ? text.replace(SHOWN, '') : text;

/** Tells whether a command removes what is in the folder it runs in, where that is not known or may be the root of the disk. */
function removesInFolder(command: ShellCommand): boolean {
  const { words, globs, directories, mayBeAtRoot } = command;
  if (directories?.includes(null) && clearsItsFolder(command)) return true;
  if (!mayBeAtRoot) return false;
  if (nameOf(command) === 'git') return reachesBelow(command);
  const isHere = words.some((word, at) => at > 0 && /^[^-/~]/.test(word ?? globs?.[at] ?? '/'));
  return isHere && (reachesBelow(command) || removesFound(command) || isRecursive(command));
}

/** Programs that print names of what is there, or what the line tells them to. */
const PRINTS_NAMES =
  /^(?:\S*\/)?g?(?:(?:find|fd|fdfind|ls|v?dir|tree|du|git|locate|mdfind|echo|printf|seq|basename|dirname|realpath|stat)\s|(?:[ef]?grep|rg|ag|ack)\s(?:.*\s)?(?:-[a-zA-Z]*[lL]|--files))/;
/** The output of a command, at the beginning of a word. */
const PRINTED = /(?:^|\s)["']*(?:\$\(|`)/;

/** Tells whether a command makes names out of others with something that is only known at run time. */
const writesOpen = (command: ShellCommand): boolean =>
  /^(?:[mn]?awk|sed|perl)$/.test(nameOf(command)) && command.words.includes(null);

/** Tells whether `xargs` removes what it is given, and those names stand in a file or begin with a variable. */
function removesUnknownNames(command: ShellCommand): boolean {
  const removal = removalGiven(command);
  if (removal === null) return false;
  const { pipedFrom = [], input, openInput } = command;
  const [origin] = pipedFrom.filter(({ words }) => words.length > 0);
  const isDeep = isDeepRemoval(removal);
  const isFound = origin !== undefined && /^(?:find|fd|fdfind)$/.test(nameOf(origin));
  const texts = [openInput ?? '', ...pipedFrom.map(({ text }) => text.replace(/'[^']*'/g, "''"))];
  const isOpen = texts.some((text) => UNKNOWN_START.test(` ${text}`)) || pipedFrom.some(writesOpen);
  if (isOpen) return isDeep || isFound;
  if (!isDeep) return false;
  const isFromFile = command.words.some((word) => /^(?:-a|--arg-file)/.test(word ?? ''));
  if (isFromFile || PRINTED.test(openInput ?? '')) return true;
  return input === undefined && openInput === undefined && !PRINTS_NAMES.test(`${origin?.text} `);
}

/**
 * Tells whether a removal may reach the root or home: `rm -rf "$DIR"/*` starts at the root when the
 * variable is empty; `rm -rf /{a,b}` starts there anyway; `$HOME`, `$PWD`, `~name` and the output
 * of a command may be a folder that must not go.
 */
function mayEmptyToRoot(command: ShellCommand): boolean {
  const name = nameOf(command);
  const text = behindShown(command);
  const isOpen = command.words.some((word, at) => word === null && !command.globs?.[at]);
  if (isOpen && reachesBelow(command)) return UNKNOWN_FOLDER.test(withoutArchive(command));
  if (isOpen && removesFound(command) && UNKNOWN_START.test(startsOf(command))) return true;
  if (isOpen && isRecursive(command) && UNKNOWN_START.test(text)) return true;
  if (!/^(rm|rmdir|shred|unlink|find)$/.test(name)) return false;
  if (command.words.some((word) => /^[A-Za-z]:[\\/]*$/.test(word ?? ''))) return true;
  if (!isOpen) return false;
  const emptiable = /(?:^|\s)["']?\$(?:\w+|\{[^}]*\}|\([^)]*\))["']?\/["']?(?:\*|\.|$|\s|["'])/;
  const important = /(?:^|\s)["']?(?:\$\{?(?:HOME|PWD|OLDPWD)\b|\$\(|`|~[a-z+-])/;
  const braces = text.split(/\s+/).filter((word) => /\{.*(,|\.\.)/.test(word));
  return (
    emptiable.test(text) ||
    (important.test(text) && !/(?:HOME|PWD)\}?["']?\/["']?[\w.-]/.test(text)) ||
    braces.some((word) => /^["']?[/~.]|[{,][/~.]/.test(word))
  );
}

/**
 * Tells whether a recursive removal or change of rights names a critical folder when a variable behind it is empty: `/usr/$X`,
 * `/usr$X`.
 */
function mayEmptyToCritical(shell: ShellContext, command: ShellCommand): boolean {
  const name = nameOf(command);
  const isDeep =
    name === 'rm' ? has(command, RECURSIVE) : /^ch/.test(name) && reachesBelow(command);
  if (!isDeep || !command.words.includes(null)) return false;
  if (UNKNOWN_CLIMB.test(command.text)) return true;
  const folders = [...command.text.matchAll(FIXED_FOLDER)].map(([, folder = '']) =>
    posix.normalize(folder.replace(/["']/g, '')),
  );
  return folders.some((folder) => criticalRemovalReason(folder, false, shell.context) !== null);
}

/** Tells whether a text that a command runs, filled in by the shell before, removes what begins with an unknown variable. */
function removesInText(command: ShellCommand): boolean {
  const { words, text, input, openInput } = command;
  const name = nameOf(command);
  if (
    (isInterpreter(name) || name === 'deno') &&
    REMOVES_TREE.test([text, openInput, input].join('\n'))
  )
    return true;
  const isRunning = SHELLS.has(name) || /^(?:eval|trap|at|batch|source|\.|g?make)$/.test(name);
  if (!words.includes(null) && !text.includes('<(')) return false;
  if (!isRunning && startsNothing(name)) return false;
  const pieces = text.replaceAll('\\', '').match(/(?<![\w.-])rm\s[^;&|\n]*/g) ?? [];
  return pieces.some((piece) => isDeepRemoval(piece) && UNKNOWN_START.test(piece));
}

/** Tells whether a program in another language removes a folder, named in it, that must not go. */
function removesCritical({ context }: ShellContext, command: ShellCommand): boolean {
  const name = nameOf(command);
  if (!isInterpreter(name) && name !== 'deno') return false;
  const code = [...command.words, command.openInput, command.input].join('\n');
  return [...code.matchAll(REMOVED_PATH)].some(([, given, made]) => {
    const place = (given ?? made ?? '').replace(/^~(?=\/|$)/, context.home);
    return criticalRemovalReason(posix.resolve(context.cwd, place), false, context) !== null;
  });
}

const has = ({ words }: ShellCommand, option: RegExp): boolean =>
  words.some((word) => word !== null && option.test(word));

/** Tells whether a command is a `find` that does nothing to what it finds, and that only its folders are not known of. */
const onlyFinds = (command: ShellCommand, line: string): boolean =>
  command.words[0] === 'find' &&
  !has(command, /^-(?:delete|exec|ok|fprint|fls)/) &&
  isSettled(line) &&
  areFolders(command.text, command.words.filter((word) => word === null).length);

/** The words by which archivers are told which archive to write. */
const ARCHIVES: Readonly<Record<string, RegExp>> = {
  tar: /(?:^\S+\s+[a-zA-Z]*f[a-zA-Z]*\s+|\s-[a-zA-Z]*f\s*|\s--file[\s=]\s*)\S+/,
  zip: /(?:\s-\S+)*\s[^-\s]\S*/,
  '7z': /\sa(?:\s-\S+)*\s[^-\s]\S*/,
};

/** Returns the text of a command without the archive that it writes, and with the folder that it changes to as a word. */
function withoutArchive(command: ShellCommand): string {
  const name = nameOf(command);
  const archive = Object.hasOwn(ARCHIVES, name) ? ARCHIVES[name] : undefined;
  if (archive === undefined) return command.text;
  return command.text.replace(archive, '').replace(/\s(?:-C|--directory=)/, ' ');
}

/** The options by which commands change everything below what they name. */
const RECURSES = /^(?:-[a-zA-Z]*R|--rec)/;

/** Tells whether a command changes everything below what it names, in another way than `rm`. */
function reachesBelow(command: ShellCommand): boolean {
  const name = nameOf(command);
  const options = Object.hasOwn(REACHES_BELOW, name) ? REACHES_BELOW[name] : undefined;
  return options?.every((option) => has(command, option)) === true;
}

/** Tells whether `rm` or its like goes through folders, or may: a variable in front of others may hold the option. */
function isRecursive(command: ShellCommand): boolean {
  const name = nameOf(command);
  if (/^(?:rimraf|del-cli|remove_directory)$/.test(name)) return true;
  if (/^(?:srm|wipe|[\w-]+-rm)$/.test(name)) return has(command, RECURSIVE);
  if (name === '') return looksLikeRemoval(command);
  if (name !== 'rm') return false;
  if (command.words[0] === null) return isDeepRemoval(command.text);
  const [, behind] = OPEN_OPTION.exec(command.text) ?? [];
  const names = behind?.split(/\s+/).filter((word) => /["/]/.test(word)) ?? [];
  return has(command, RECURSIVE) || names.some((word) => UNKNOWN_START.test(` ${word}`));
}

/** Parts of the names of variables that hold programs, as `make` has them: those that remove, and others that take such options. */
const REMOVER_NAME = /^(?:s?rm|grm|rmrf|del|delete|remove|rimraf|trash|clean)$/;
const OTHER_NAME =
  /^(?:g?cp|copy|mv|move|ln|install|rsync|scp|g?tar|[ef]?grep|rg|sed|awk|ls|chmod|chown|diff)$/;

/**
 * Tells whether a program of unknown name is called as `rm -rf` is: its variable is named after one that removes, or after
 * none, and what it is given begins with a variable. A copy mostly ends in a known folder.
 */
function looksLikeRemoval({ words, text }: ShellCommand): boolean {
  const at = words.findIndex((word) => word !== null);
  const behind = words.slice(Math.max(at, 0));
  const end = behind.findIndex((word) => !word?.startsWith('-'));
  const options = behind.slice(0, Math.max(end, 0)).join(' ');
  const name = text.slice(0, text.search(/\s-/)).match(/\$\{?\w+/g) ?? [];
  const parts = name.flatMap((one) => one.replace(/\W/g, '').toLowerCase().split('_'));
  if (at < 1 || parts.some((part) => OTHER_NAME.test(part))) return false;
  const unknown = text.match(new RegExp(UNKNOWN_START, 'g')) ?? [];
  const isAll = behind.length - end <= unknown.length;
  if (parts.some((part) => REMOVER_NAME.test(part)))
    return /(?:^| )(?:-\w*[rR]|--r)/.test(options) && (isAll || UNKNOWN_FOLDER.test(text));
  return isAll && /^(?=.*f)(?=.*[rR])(?:-[rRfivd]+ ?)+(?:-- ?)?$/.test(options);
}

/** A word that may be several, and so options, in front of others. */
const OPEN_OPTION =
  /^\S+\s(?:-[^\s$]+\s)*(?:"?-\w*\$\S*|\$\w+|\$\{[^{}]*\}|"\$(?:@|\{\w+\[@\]\})")\s(.*)$/s;

/** Returns the folders at which a command begins to look, as they are written; for `fd` all its words. */
function startsOf(command: ShellCommand): string {
  const words = command.text.replace(/^\S+(?:\s+-(?:[HLP]|O\d*)(?=\s))*/, '');
  return nameOf(command) === 'find' ? (/^(?:\s+[^-\s(!]\S*)*/.exec(words)?.[0] ?? '') : words;
}

/** Other commands that remove, or change who may use, everything below what they name: the words by which they do. */
const REACHES_BELOW: Readonly<Record<string, readonly RegExp[]>> = {
  chmod: [RECURSES],
  chown: [RECURSES],
  chgrp: [RECURSES],
  setfacl: [RECURSES],
  chattr: [RECURSES],
  rsync: [/^--(?:del|remove-source)/],
  git: [/^clean$/, /^-[a-zA-Z]*d/],
  trash: [],
  'trash-put': [],
  tar: [/^--remove-f/],
  zip: [/^(?:-[a-zA-Z]*m[a-zA-Z]*|--move)$/],
  '7z': [/^-sdel$/],
  gio: [/^(?:trash|remove)$/],
  rclone: [/^(?:purge|delete|rmdirs)$/],
};
