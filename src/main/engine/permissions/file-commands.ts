import type { PathUse } from './read-only/command-shape';
import type { ShellCommand } from './request';

/** The files a command is known to write (change, move, remove) and how. */
export interface WriteUse {
  readonly writes: readonly PathUse[];
  readonly reads: readonly PathUse[];
  /** `acceptEdits` may pass it: every option is known and every operand is accounted for. */
  readonly acceptable: boolean;
  readonly removes: boolean;
  /** Paths it moves away or opens to others as a whole: as critical as removing them. */
  readonly uproots?: readonly PathUse[];
}

interface WriterShape {
  /** Options that `acceptEdits` passes, without values. */
  readonly options: RegExp;
  /** Its operands but the last are only read. */
  readonly copies?: boolean;
  /** Its operands but the last are read and removed. */
  readonly moves?: boolean;
}

/** docs/permissions.md: what `acceptEdits` passes inside the working directories. */
const ACCEPTED: Readonly<Record<string, WriterShape>> = {
  mkdir: { options: /^(-[pv]+|--parents|--verbose)$/ },
  touch: { options: /^(-[acm]+|--no-create)$/ },
  rm: { options: /^(-[rRfivdI]+|--recursive|--force|--verbose|--dir)$/ },
  rmdir: { options: /^(-[pv]+|--verbose|--ignore-fail-on-non-empty)$/ },
  mv: { options: /^(-[fnvuiT]+|--force|--no-clobber|--verbose|--update)$/, moves: true },
  cp: {
    options: /^(-[afnpvuirRTdLP]+|--archive|--force|--no-clobber|--recursive|--verbose|--update)$/,
    copies: true,
  },
};

/** Other commands that write their operands: their targets are checked, but no mode passes them. */
const WRITERS = new Set(
  'tee ln install chmod chown chgrp truncate shred unlink dd rsync patch sponge ex ed vi vim nano unzip tar bsdtar split csplit mkfifo mknod link srm rimraf del-cli trash trash-put'.split(
    ' ',
  ),
);
const REMOVERS = new Set('rm rmdir unlink shred srm rimraf del-cli trash trash-put'.split(' '));
/** Programs that remove with such a command. */
const REMOVING: Readonly<Record<string, RegExp>> = {
  gio: /^(?:trash|remove)$/,
  rclone: /^(?:purge|delete|deletefile|rmdirs?)$/,
};

/**
 * Returns what a command writes, as far as its words tell; null when it is not known as a writer.
 */
export function writeUse(command: ShellCommand): WriteUse | null {
  const called = command.words[0] ?? '';
  const name = called.slice(called.lastIndexOf('/') + 1);
  if (name === 'sed' && editsInPlace(command)) return sedUse(command);
  if (name === 'find') return findDeletes(command);
  if (name === 'sort') return sortsIntoFile(command);
  if (Object.hasOwn(REMOVING, name)) return removedBy(command, REMOVING[name]);
  const shape = Object.hasOwn(ACCEPTED, name) ? ACCEPTED[name] : undefined;
  if (!shape && !WRITERS.has(name)) return null;
  const { operands, known } = operandsOf(command, shape?.options ?? /^$/);
  const acceptable = shape !== undefined && called === name && known && operands.length > 0;
  const removes = REMOVERS.has(name);
  if (!shape?.copies && !shape?.moves) {
    // What an unknown writer does with its operands may include reading them.
    const uproots = /^ch(mod|own|grp)$/.test(name) ? operands.filter(isElsewhere) : [];
    return { writes: operands, reads: shape ? [] : operands, acceptable, removes, uproots };
  }
  const aside = command.words.some((word) => /^(-[a-zA-Z]*t|--t)/.test(word ?? ''));
  // `cp -t folder file` names the target first: each of them may be it.
  const { writes, reads } = aside ? { writes: operands, reads: operands } : copyUse(operands);
  const complete = acceptable && operands.length > 1;
  return {
    writes: shape.moves ? [...writes, ...reads] : writes,
    reads,
    acceptable: complete,
    removes,
    uproots: shape.moves ? (aside ? reads.filter(isElsewhere) : reads) : [],
  };
}

/** Returns what a program removes with a command of its own, but for what has a name of a machine in front. */
function removedBy(command: ShellCommand, verb: RegExp | undefined): WriteUse | null {
  const at = command.words.findIndex((word) => word !== null && verb?.test(word));
  if (at < 0) return null;
  const { operands } = operandsOf(command, /^$/);
  const writes = operands.filter(({ word }) => !verb?.test(word) && !/^[\w-]*:/.test(word));
  return { writes, reads: [], acceptable: false, removes: true };
}

/** Tells whether a path lies outside the current folder. */
const isElsewhere = ({ word, glob }: PathUse): boolean =>
  glob ? /^[/~]|\.\./.test(word) : !/^\.?\/?$/.test(word) || word === '/';

/**
 * Returns what a copy writes and reads; a copy into a folder writes there under the old name,
 * through a link of that name too.
 */
function copyUse(operands: readonly PathUse[]): { writes: PathUse[]; reads: PathUse[] } {
  const target = operands.at(-1);
  const sources = operands.slice(0, -1);
  if (!target) return { writes: [], reads: [] };
  const inside = sources.map((source) => ({
    word: `${target.word}/${source.word.replace(/\/+$/, '').split('/').at(-1) ?? ''}`,
    glob: source.glob || target.glob,
  }));
  return { writes: [target, ...inside], reads: sources };
}

function operandsOf(
  command: ShellCommand,
  options: RegExp,
): { operands: PathUse[]; known: boolean } {
  const operands: PathUse[] = [];
  let known = true;
  let ended = false;
  for (let i = 1; i < command.words.length; i++) {
    const word = command.words[i] ?? null;
    const glob = command.globs?.[i];
    if (word === null) {
      if (glob === undefined) known = false;
      else {
        if (/^[-*?[]/.test(glob) && !ended) known &&= harmlessAsOption(command);
        operands.push({ word: glob, glob: true });
      }
    } else if (ended || !word.startsWith('-')) operands.push({ word, glob: false });
    else if (word === '--') ended = true;
    else {
      known &&= options.test(word);
      // `--target-directory=x`, `of=x`: whatever stands behind the sign may be a path.
      const value = /^-[^=]*=(.+)$/.exec(word)?.[1];
      if (value) operands.push({ word: value, glob: false });
    }
  }
  return { operands: operands.map(withoutKey), known };
}

/**
 * Tells whether a file named like an option can do no harm: true for rm and touch, not for `cp *`.
 */
const harmlessAsOption = (command: ShellCommand): boolean =>
  /^(rm|rmdir|touch)$/.test(command.words[0] ?? '');

/** Removes the key of `dd of=file`. */
const withoutKey = (use: PathUse): PathUse =>
  /^(of|if)=./.test(use.word) ? { ...use, word: use.word.slice(3) } : use;

const editsInPlace = (command: ShellCommand): boolean =>
  command.words.some((word) => /^(-[a-zA-Z]*i|--in-place)/.test(word ?? ''));

/** Scripts that only replace or delete text: `s/a/b/g`, `3d`, `/x/d`. No `w`, `e`, `r`. */
const SED_EDITS =
  /^(?:(?:\d+|\$|\/[^/\n]*\/)(?:,(?:\d+|\$|\/[^/\n]*\/))?)?\s*(?:d|s([/|#,@:!])(?:\\.|(?!\1)[^\\\n])*\1(?:\\[^\n]|(?!\1)[^\\\n])*\1[gpiI\d]*)$/;

function sedUse(command: ShellCommand): WriteUse {
  const files: PathUse[] = [];
  const scripts: (string | null)[] = [];
  let known = true;
  for (let i = 1; i < command.words.length; i++) {
    const word = command.words[i] ?? null;
    if (word === null) {
      const glob = command.globs?.[i];
      if (glob === undefined || /^[-*?[]/.test(glob)) known = false;
      files.push({ word: glob ?? '', glob: true });
    } else if (word === '-e') scripts.push(command.words[++i] ?? null);
    else if (/^-i(\.\w+)?$|^-[nEr]+$|^--in-place$/.test(word)) continue;
    else if (word.startsWith('-')) known = false;
    else files.push({ word, glob: false });
  }
  // `sed -i '' s/a/b/ file`: to one sed a suffix, to the other an empty script.
  if (files[0]?.word === '' && files.length > 2) files.shift();
  if (scripts.length === 0) scripts.push(files.shift()?.word ?? null);
  const harmless = scripts.every((script) => script !== null && SED_EDITS.test(script));
  // With a suffix, what was in the file goes on as a copy beside it.
  const keeps = command.words.some((word) => /^(?:-[a-zA-Z]*i.|--in-place=.)/.test(word ?? ''));
  const reads = keeps ? files : [];
  return { writes: files, reads, acceptable: known && harmless, removes: false };
}

/** Returns what `sort -o file` writes, in every spelling: any operand may be the file. */
function sortsIntoFile(command: ShellCommand): WriteUse | null {
  const attached = command.words.flatMap(
    (word) => /^(?:-[a-zA-Z]*o|--o[a-z]*=?)(.*)$/s.exec(word ?? '')?.[1] ?? [],
  );
  if (attached.length === 0) return null;
  const { operands } = operandsOf(command, /^$/);
  const targets = attached.filter((word) => word !== '').map((word) => ({ word, glob: false }));
  return { writes: [...targets, ...operands], reads: operands, acceptable: false, removes: false };
}

/** Returns what `find … -delete` removes: what its start folders hold. */
function findDeletes(command: ShellCommand): WriteUse | null {
  if (!command.words.includes('-delete')) return null;
  const end = command.words.findIndex((word, i) => i > 0 && /^[-(!]/.test(word ?? ''));
  const starts = command.words.slice(1, end).filter((word) => word !== null);
  const writes = (starts.length > 0 ? starts : ['.']).map((word) => ({ word, glob: false }));
  const picks = starts.every((word) => !/^[/~]|\.\./.test(word)) && command.words.some(isPick);
  return { writes, reads: [], acceptable: false, removes: !picks };
}

/**
 * Tells whether a word is the pattern of a `-name`, so that only fitting files are removed and not
 * the folder itself.
 */
const isPick = (word: string | null, at: number, words: readonly (string | null)[]): boolean =>
  /^-i?name$/.test(words[at - 1] ?? '') &&
  word !== null &&
  /\w{2}|^[\w.-]+$/.test(word) &&
  !words.some((other) => /^(-o|-or|,|!|-not)$/.test(other ?? ''));

/** The words by which a program writes files whose names only an archive or a patch holds, and its option for the folder. */
interface Unpacker {
  readonly when: (words: readonly string[]) => boolean;
  readonly folder?: RegExp;
}

const someWord =
  (form: RegExp) =>
  (words: readonly string[]): boolean =>
    words.some((word) => form.test(word));

const TAR: Unpacker = {
  when: (words) =>
    /^-?[a-zA-Z]*x/.test(words[0] ?? '') || someWord(/^(-[a-zA-Z]*x|--(ex|ge))/)(words),
  folder: /^(?:-[a-zA-Z]*C|--dir[a-z]*=?)(.*)$/s,
};
const SEVEN_ZIP: Unpacker = { when: (words) => /^[ex]$/.test(words[0] ?? ''), folder: /^-o(.+)$/s };
const UNPACKERS: Readonly<Record<string, Unpacker>> = {
  tar: TAR,
  gtar: TAR,
  bsdtar: TAR,
  unzip: { when: (words) => !someWord(/^-[a-zA-Z]*[ltvzp]/)(words), folder: /^-d(.*)$/s },
  cpio: { when: someWord(/^(-[a-zA-Z]*[ip]|--(ex|pas))/), folder: /^(?:-D|--dir[a-z]*=?)(.*)$/s },
  pax: { when: someWord(/^-[a-zA-Z]*r/) },
  ar: { when: (words) => /^-?[a-zA-Z]*x/.test(words[0] ?? '') },
  jar: { when: someWord(/^(-?[a-zA-Z]*x|--ex)/) },
  '7z': SEVEN_ZIP,
  '7za': SEVEN_ZIP,
  '7zr': SEVEN_ZIP,
  unrar: SEVEN_ZIP,
  patch: { when: (words) => !words.includes('--dry-run'), folder: /^(?:-d|--dir[a-z]*=?)(.*)$/s },
  git: { when: (words) => appliesPatch(words), folder: /^-C(.*)$/s },
};

/** Tells whether git is to apply a patch to files, and not only to look at it. */
const appliesPatch = (words: readonly string[]): boolean =>
  someWord(/^(apply|am)$/)(words) && !someWord(/^--(check|stat|numstat|summary)$/)(words);

/**
 * Returns the folders into which a command writes files that its words do not name; none when it writes none such. Without
 * an option for it that is the current folder.
 */
export function unpacksInto(command: ShellCommand): readonly PathUse[] {
  const [called, ...rest] = command.words;
  const name = called?.slice(called.lastIndexOf('/') + 1) ?? '';
  const unpacker = Object.hasOwn(UNPACKERS, name) ? UNPACKERS[name] : undefined;
  if (unpacker === undefined) return [];
  const words = rest.map((word) => word ?? '');
  if (!unpacker.when(words)) return [];
  const folders = words.flatMap((word, at) => {
    const value = unpacker.folder?.exec(word)?.[1];
    return value === undefined ? [] : [value || (words[at + 1] ?? '')];
  });
  // With several, each counts from the one before it; with one that is not known, it may be any.
  const [folder] = folders;
  const isKnown = folders.length === 1 && folder !== undefined && folder !== '';
  return [{ word: isKnown ? folder : '.', glob: false }];
}

/** Tells whether a command packs or copies what it is given, folders with all that is in them. */
export const takesAll = ({ words }: Pick<ShellCommand, 'words'>): boolean => {
  const name = words[0]?.split('/').at(-1) ?? '';
  const verbs = Object.hasOwn(COPIERS, name) ? COPIERS[name] : undefined;
  return TAKERS.test(name) || verbs?.test(words.join(' ')) === true;
};

const TAKERS =
  /^(?:tar|bsdtar|rsync|scp|zip|7za?|rar|rclone|gsutil|s3cmd|s5cmd|azcopy|restic|borg|duplicity|rdiff-backup)$/;
/** Programs that do so with these words only; out of a container is another way. */
const COPIERS: Readonly<Record<string, RegExp>> = {
  aws: / (?:sync|--recursive)(?: |$)/,
  az: / upload-batch /,
  gcloud: / (?:rsync|-[rR]|--recursive)(?: |$)/,
  mc: / (?:mirror|-r|--recursive)(?: |$)/,
  docker: / cp (?:-\S+ )*(?!-|[^ :]*:)/,
  podman: / cp (?:-\S+ )*(?!-|[^ :]*:)/,
  kubectl: / cp (?:-\S+ )*(?![^ :]*:)/,
};
