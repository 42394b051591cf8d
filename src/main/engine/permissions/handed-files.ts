import { takesAll } from './file-commands';
import { baseOf, startedBy } from './folder-removals';
import type { PathUse } from './read-only/command-shape';
import { type PipedNames, pipedNames } from './read-only/piped-names';
import type { ShellCommand } from './request';
import { VISIBLE } from './shell-analysis/find-names';
import { isRunner } from './shell-analysis/launchers';
import { LISTS } from './shell-analysis/listed-words';

/** Programs that copy, pack, send or keep the files they are given, so that others read them there. */
const GIVES =
  /^(?:cp|mv|ln|curl|wget|gpg2?|age|openssl|pandoc|iconv|pbcopy|xclip|xsel|wl-copy|qrencode|aws|az|gcloud|mc|gh|http|https)$/;
/** Subcommands of git that do so. */
const GIVEN_BY_GIT = /^(?:hash-object|blame|annotate|update-index)$/;

/** Files that a command is handed: those of a listing, those that words name, or nobody knows which. */
export type Handed =
  | { readonly kind: 'listing'; readonly names: PipedNames }
  | { readonly kind: 'words'; readonly uses: readonly PathUse[]; readonly isDeep: boolean }
  | { readonly kind: 'unknown' };

const UNKNOWN: Handed = { kind: 'unknown' };

/**
 * Returns the files that a command is handed and gives on: by `find`, by `xargs` from a pipe, or in a word that stands for
 * what another command prints.
 */
export function filesHanded(command: ShellCommand): readonly Handed[] {
  const { words, found, foundBelow, pipedFrom = [], listedBy = [] } = command;
  if (found !== undefined) {
    if (!givesOn(words)) return [];
    const names = Object.values(found).flat();
    return foundBelow ? [listing(foundBelow, command, isDeep(words) ? [] : names)] : [UNKNOWN];
  }
  const known = words.map((word) => word ?? '');
  const isXargs = /^(?:xargs|parallel|rush)$/.test(baseOf(words[0]));
  const giving = isXargs ? known.slice(startedBy(known)) : words;
  if (!givesOn(giving)) return [];
  return [...(isXargs ? [pipedFrom] : []), ...listedBy].flatMap((pipe) =>
    handedBy(pipe, isDeep(giving)),
  );
}

/** Returns the files that the commands of a pipe print the names of. */
function handedBy(pipe: readonly ShellCommand[], deep: boolean): readonly Handed[] {
  const [lister] = pipe.filter(({ role }) => role !== 'wrapper');
  const uses = lister ? usesNamed(lister) : null;
  if (uses !== null) return [{ kind: 'words', uses, isDeep: deep }];
  const names = pipedNames(pipe);
  if (names === null) return pipe.some(({ text }) => LISTS.test(text)) ? [UNKNOWN] : [];
  const isVisible = !deep && names.names === undefined && skipsHidden(names.lister);
  return [{ kind: 'listing', names: isVisible ? { ...names, names: [VISIBLE] } : names }];
}

/** Patterns of the files in the folder. */
const HERE: PathUse = { word: '*', glob: true };
const HIDDEN_HERE: PathUse = { word: '.*', glob: true };

/** Returns the words of a command that prints just those, or what they fit; null where it prints more. */
function usesNamed({ words, globs = {} }: ShellCommand): readonly PathUse[] | null {
  const name = baseOf(words[0]);
  if (!/^(?:ls|echo|printf)$/.test(name)) return null;
  const uses = words.flatMap((word, at): PathUse[] => {
    const text = word ?? globs[at];
    const isOption = at === 0 || text === undefined || text.startsWith('-');
    return isOption ? [] : [{ word: text, glob: word === null }];
  });
  if (name !== 'ls') return uses;
  const options = words.slice(1).filter((word) => word?.startsWith('-'));
  if (options.some((word) => /^-\w*R|^--(?:rec|hyp)/.test(word ?? ''))) return null;
  if (words.length === options.length + 1) {
    const isAll = options.some((word) => /^(?:-\w*[aAf]|--a)/.test(word ?? ''));
    return [HERE, ...(isAll ? [HIDDEN_HERE] : [])];
  }
  // Of a folder it prints what is in it, by names that count from there.
  const isAlone = ({ word }: PathUse) => /[^./]\.\w+$/.test(word);
  const isItself = words.some((word) => /^-[a-zA-Z]*d/.test(word ?? ''));
  return uses.length > 0 && (isItself || uses.every(isAlone)) ? uses : null;
}

/** Tells whether a command that lists leaves hidden files out. */
const skipsHidden = ({ words }: ShellCommand): boolean =>
  /^(?:rg|fd|fdfind)$/.test(words[0] ?? '') &&
  !words.some((word) =>
    /^(?:-[a-zA-Z]*[uH.]|--(?:hidden|unrestricted|no-ignore))/.test(word ?? ''),
  );

const listing = (
  roots: readonly string[],
  lister: ShellCommand,
  names: readonly string[],
): Handed => ({
  kind: 'listing',
  names: {
    ...{ lister, below: null, nul: true },
    roots: roots.map((word) => ({ word, glob: /[*?[]/.test(word) })),
    ...(names.length > 0 ? { names } : {}),
  },
});

/** Tells whether a command takes folders with all that is in them. */
const isDeep = (words: readonly (string | null)[]): boolean =>
  takesAll({ words }) ||
  words.some((word) => /^(?:-[a-zA-Z]*[rRa]|--(?:rec|arch))/.test(word ?? ''));

/** Tells whether a command gives on the files that it is given, itself or by what it starts. */
function givesOn(words: readonly (string | null)[]): boolean {
  const name = baseOf(words[0]);
  if (name === 'git')
    return (
      words.some((word) => GIVEN_BY_GIT.test(word ?? '')) ||
      (words.includes('add') && words.some((word) => /^(?:-[a-zA-Z]*f|--fo)/.test(word ?? '')))
    );
  if (GIVES.test(name) || takesAll({ words })) return true;
  if (!isRunner(name)) return false;
  const inner = words.slice(1).flatMap((word) => word?.split(/[\s;&|()"']+/) ?? []);
  return inner.some(
    (_, at) => GIVES.test(baseOf(inner[at])) || takesAll({ words: inner.slice(at) }),
  );
}
