import type { Word } from './words';

/** Subcommands that copy what is committed between two repositories, and their options that take the next word. */
const COPIES: Readonly<Record<string, RegExp>> = {
  clone:
    /^(?:-[a-zA-Z]*[bojuc]|--(?:br|or|dep|ref|te|con|fi|j|sep|shallow-[se]|ser|upl|bun|rev)[a-z-]*)$/,
  fetch:
    /^(?:-[a-zA-Z]*[jo]|--(?:dep|dee|shallow-[se]|j|ref|upl|neg|ser|fi|recurse-submodules-d)[a-z-]*)$/,
  pull: /^(?:-[a-zA-Z]*[josX]|--(?:dep|dee|shallow-[se]|j|ref|upl|neg|ser|fi|str|cl)[a-z-]*)$/,
  push: /^(?:-[a-zA-Z]*o|--(?:push-o|rece|exe|rep)[a-z-]*)$/,
  remote: /^(?:-[a-zA-Z]*[tm]|--(?:track|master))$/,
  submodule: /^(?:-[a-zA-Z]*b|--(?:branch|name|reference|depth|jobs))$/,
  subtree: /^(?:-[a-zA-Z]*[Pbm]|--(?:prefix|annotate|branch|onto|message))$/,
};

/** The commands of these subcommands that name a repository, and which operand that is. */
const NAMING: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  remote: { add: 2, 'set-url': 2 },
  submodule: { add: 1, 'set-url': 2 },
  subtree: { add: 1, merge: 1, pull: 1, push: 1 },
};

/**
 * Tells whether a subcommand of git is given a repository of this machine, so that committed files get elsewhere. `own` are
 * the options of git in front of it. Pure.
 */
export function copiesHere(
  subcommand: string,
  rest: readonly Word[],
  own: readonly (string | null)[],
): boolean {
  const valued = Object.hasOwn(COPIES, subcommand) ? COPIES[subcommand] : undefined;
  if (valued === undefined) return false;
  const operands = operandsOf(rest, valued);
  if (subcommand === 'clone') return operands[0] !== undefined && !isRemote(operands[0]);
  const naming = Object.hasOwn(NAMING, subcommand) ? NAMING[subcommand] : undefined;
  const command = operands[0]?.value ?? '';
  const place = naming === undefined ? 0 : Object.hasOwn(naming, command) ? naming[command] : -1;
  const repository = operands[place ?? -1];
  // A repository that is the current one copies nothing, unless that of the command is another one.
  if (repository?.value === '.') return own.some((word) => /^--git-d/.test(word ?? ''));
  return repository !== undefined && isFolder(repository);
}

function operandsOf(words: readonly Word[], valued: RegExp): readonly Word[] {
  const ended = words.findIndex(({ value }) => value === '--');
  return words.filter(({ value }, at) => {
    if (ended >= 0 && at >= ended) return at > ended;
    return value?.startsWith('-') !== true && !valued.test(words[at - 1]?.value ?? '');
  });
}

/** The address of a repository on another machine. */
const REMOTE = /^(?!file:)[a-z][\w+.-]*:\/\/|^(?:[\w.-]+@)?[\w.-]+:(?!\/\/)/i;

/** Tells whether a repository is surely on another machine, as far as the line shows it. */
const isRemote = ({ value, source }: Word): boolean =>
  REMOTE.test(value ?? source.replace(/^["']/, ''));

/** Tells whether a repository is a folder of this machine, and no name that stands for an address. */
const isFolder = (word: Word): boolean => {
  if (isRemote(word)) return false;
  const text = word.value ?? word.source.replace(/^["']/, '');
  return /^(?:\.{1,2}$|~|file:|[^:$`]*\/)|^(?:\$\{?(?:OLD)?PWD\b|\$\{?HOME\b|\$\(pwd|`pwd|\$\(git rev-parse|[$`].*\/)/i.test(
    text,
  );
};
