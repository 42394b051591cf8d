import { takesAll } from './file-commands';
import { baseOf, startedBy } from './folder-removals';
import { type PipedNames, pipedNames } from './read-only/piped-names';
import type { ShellCommand } from './request';
import { isRunner } from './shell-analysis/launchers';

/** Programs that copy, pack, send or keep the files they are given, so that others read them there. */
const GIVES =
  /^(?:cp|mv|ln|curl|wget|gpg2?|age|openssl|pandoc|iconv|pbcopy|xclip|xsel|wl-copy|qrencode|aws|az|gcloud|mc|gh|http|https)$/;
/** Subcommands of git that do so. */
const GIVEN_BY_GIT = /^(?:hash-object|blame|annotate|update-index)$/;
/** Programs that print the names of what is there. */
const LISTS =
  /^(?:\S*\/)?g?(?:(?:find|fd|fdfind|ls|tree|du|locate|git\s+ls-files)\b|(?:grep|rg|ag)\s(?:.*\s)?(?:-[a-zA-Z]*[lL]|--files))/;

/**
 * Returns the files that a command is handed by `find`, or by `xargs` from a pipe, and gives on; `unknown` where it cannot
 * be told which, null where it is handed none.
 */
export function filesHanded(command: ShellCommand): PipedNames | 'unknown' | null {
  const { words, found, pipedFrom = [] } = command;
  if (found !== undefined) return givesOn(words) ? 'unknown' : null;
  const known = words.map((word) => word ?? '');
  if (!/^(?:xargs|parallel|rush)$/.test(baseOf(words[0]))) return null;
  if (!givesOn(known.slice(startedBy(known)))) return null;
  return (
    pipedNames(pipedFrom) ?? (pipedFrom.some(({ text }) => LISTS.test(text)) ? 'unknown' : null)
  );
}

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
