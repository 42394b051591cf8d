import type { ShellCommand } from './request';
import { startsNothing } from './shell-analysis/launchers';

/** The option by which a program goes through everything below what it is given. */
export const RECURSIVE = /^(?:-[a-zA-Z]*[rR]|--r)/;

const REMOVER = /^(?:rm|srm|shred|unlink|rimraf)$/;
/** Such a program among the words of another, or in a text of it. */
const REMOVES = /(?:^|[\s;&|(/])(?:rm|srm|grm|shred|gshred|unlink|gunlink|rimraf)(?=\s|$)/;
/** The letter in front of a program of GNU on systems that bring one of their own of that name. */
const OF_GNU =
  /^g(?=(?:rm|rmdir|shred|unlink|find|xargs|chmod|chown|chgrp|tar|ls|v?dir|echo|printf|sed|awk)$)/;
/** Programs that print the names in the folder they run in. */
const LISTS = /^(?:ls|v?dir|fd|fdfind)$/;
/** The folder itself, or a pattern that everything in it fits: `.`, `*`, `.[!.]*`, `./*`. */
const EVERYTHING =
  /^(?:(?:[.*?]|\[[!^][^\]/]*\])+\/+)*(?:[.*?]|\[[!^][^\]/]*\])+\/*$|^(?:\.\/)*\{(?:[^{}]*,)?[.*?]+[,}]/;

/** Tells whether a command removes everything in the folder it runs in, or what it finds in all folders below. */
export function clearsItsFolder(command: ShellCommand): boolean {
  const words = textsOf(command);
  const name = baseOf(words[0]);
  if (REMOVER.test(name)) return namesEverything(words);
  if (name === 'find') return startsHere(words) && removesFound(command);
  const removal = removalGiven(command);
  const { pipedFrom = [] } = command;
  if (removal === null) return false;
  const isAll = pipedFrom.length === 1 || isDeepRemoval(removal);
  return pipedFrom.some((one) => lists(textsOf(one), isAll));
}

/** Returns the removal that `xargs` starts with the names it is given; null when it starts none. */
export function removalGiven(command: ShellCommand): string | null {
  const words = textsOf(command);
  if (!/^(?:xargs|parallel|rush)$/.test(baseOf(words[0]))) return null;
  return removalIn(words.slice(startedBy(words)));
}

/** Tells whether a removal, as a text, goes through folders. */
export const isDeepRemoval = (text: string): boolean =>
  /\s-\w*[rR]|\s--r|\brimraf\s/.test(`${text} `);

/** Returns the words of a command, patterns as they are written; braces too, and `$` for what is not known. */
function textsOf({ words, globs = {}, text }: ShellCommand): readonly string[] {
  const braces = text.split(/\s+/).filter((word) => /^(?:\.\/)*\{/.test(word));
  const known = words.map((word, at) => word ?? globs[at] ?? '$');
  return words.includes(null) ? [...known, ...braces] : known;
}

/** Returns the name of a program without folders; `gfind` is `find`. */
export const baseOf = (word: string | null | undefined): string =>
  (word?.split('/').at(-1) ?? '').replace(OF_GNU, '');

const namesEverything = (words: readonly string[]): boolean =>
  words.slice(1).some((word) => EVERYTHING.test(word));

/** Tells whether `find` starts at the folder it runs in: without a word about it, too. */
function startsHere(words: readonly string[]): boolean {
  const own = words.slice(1).filter((word) => !/^-(?:[HLP]|O.*)$/.test(word));
  const end = own.findIndex((word) => /^[-(!]/.test(word));
  const starts = end < 0 ? own : own.slice(0, end);
  return starts.length === 0 || starts.some((word) => EVERYTHING.test(word));
}

/** The options by which programs start another for what they find. */
const STARTS: Readonly<Record<string, RegExp>> = {
  find: /^-(?:exec|ok)(?:dir)?$/,
  fd: /^(?:-[a-zA-Z]*[xX]|--exec(?:-batch)?)$/,
  fdfind: /^(?:-[a-zA-Z]*[xX]|--exec(?:-batch)?)$/,
};

/** Tells whether `find` or `fd` removes what it finds. Its `-print`, `-newer` and `-perm` do not. */
export function removesFound(command: ShellCommand): boolean {
  const words = textsOf(command);
  const name = baseOf(words[0]);
  const starts = Object.hasOwn(STARTS, name) ? STARTS[name] : undefined;
  return words.some((word, at) => {
    if (name === 'find' && word === '-delete') return true;
    if (!starts?.test(word)) return false;
    const rest = words.slice(at + 1);
    const end = rest.findIndex((one) => one === ';' || one === '+');
    return removalIn(end < 0 ? rest : rest.slice(0, end)) !== null;
  });
}

/** Returns the removal that a started command is, or is given as words or a text; null when there is none. */
function removalIn(words: readonly string[]): string | null {
  const name = baseOf(words[0]);
  if (!REMOVER.test(name) && startsNothing(name)) return null;
  const at = words.findIndex((word) => REMOVES.test(word));
  return at < 0 ? null : words.slice(at).join(' ');
}

/** Returns where, among the words of `xargs`, the command begins that it starts. */
export function startedBy(words: readonly string[]): number {
  let at = 1;
  while (words[at]?.startsWith('-')) at += /^-[nIPLsdaE]$/.test(words[at] ?? '') ? 2 : 1;
  return at;
}

/** Tells whether a command of a pipe prints all names of its folder (`isAll`), or those `find` meets in all below. */
function lists(words: readonly string[], isAll: boolean): boolean {
  const name = baseOf(words[0]);
  if (name === 'find') return startsHere(words);
  const isBare = words.slice(1).every((word) => word.startsWith('-'));
  if (!isAll) return false;
  if (LISTS.test(name)) return isBare || namesEverything(words);
  return /^(?:echo|printf)$/.test(name) && namesEverything(words);
}
