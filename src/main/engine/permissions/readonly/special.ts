import type { ShellCommand } from '../request';
import { isHarmlessSedScript } from './sed';
import type { PathUse } from './shape';

const FIND_PLAIN = new Set(
  '-print -print0 -ls -empty -prune -not ! -a -and -o -or ( ) , -depth -d -xdev -mount -follow -readable -writable -executable -true -false -daystart -noleaf -quit -L -H -P -nouser -nogroup -O1 -O2 -O3'.split(
    ' ',
  ),
);
const FIND_VALUED = new Set(
  '-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -size -mtime -mmin -atime -amin -ctime -cmin -newer -anewer -cnewer -newermt -maxdepth -mindepth -perm -user -group -uid -gid -links -inum -lname -ilname -printf'.split(
    ' ',
  ),
);

/** The start folders of a `find` that only lists; null when it has any other primary. */
export function findListing(command: ShellCommand): PathUse[] | null {
  const starts: PathUse[] = [];
  const compared: PathUse[] = [];
  let expression = false;
  for (let i = 1; i < command.words.length; i++) {
    const word = command.words[i] ?? null;
    // An unquoted glob may become whatever files are named like, primaries among it.
    if (word === null) return null;
    if (FIND_VALUED.has(word)) {
      expression = true;
      const value = command.words[++i];
      if (typeof value !== 'string') return null;
      if (/^-([ac]?newer|samefile)$/.test(word)) compared.push({ word: value, glob: false });
    } else if (FIND_PLAIN.has(word)) {
      expression ||= !/^-[LHPO]/.test(word);
    } else if (expression || word.startsWith('-')) return null;
    else starts.push({ word, glob: false });
  }
  return [...(starts.length > 0 ? starts : [{ word: '.', glob: false }]), ...compared];
}

/** The files of a `sed` that only prints; null for any other. */
export function sedPrints(command: ShellCommand): PathUse[] | null {
  const operands: PathUse[] = [];
  const scripts: string[] = [];
  for (let i = 1; i < command.words.length; i++) {
    const word = command.words[i] ?? null;
    const glob = command.globs?.[i];
    if (word === null) {
      if (glob === undefined || /^[-*?[]/.test(glob)) return null;
      operands.push({ word: glob, glob: true });
    } else if (/^(-[nErsuz]+|--quiet|--silent|--regexp-extended|--null-data|--posix)$/.test(word)) {
    } else if (/^(-[nErsuz]*e|--expression)$/.test(word)) {
      const script = command.words[++i];
      if (typeof script !== 'string') return null;
      scripts.push(script);
    } else if (word.startsWith('--expression=')) scripts.push(word.slice('--expression='.length));
    else if (word.startsWith('-') && word !== '-') return null;
    else operands.push({ word, glob: false });
  }
  const first = scripts.length === 0 ? operands.shift() : undefined;
  if (first) scripts.push(first.word);
  // Several scripts are one: what ends in a backslash would swallow the next.
  const harmless = scripts.length > 0 && scripts.every(isHarmlessSedScript);
  return harmless && first?.glob !== true ? operands : null;
}

/** The archive of a `tar` that only lists; null for any other. A name with a colon is another machine. */
export function tarLists(command: ShellCommand): PathUse[] | null {
  const [, mode, archive, ...rest] = command.words;
  if (typeof mode !== 'string' || !/^-?[tvzjJ]*f$/.test(mode) || !mode.includes('t')) return null;
  if (typeof archive !== 'string' || /:|^-/.test(archive)) return null;
  const plain = rest.every((word) => typeof word === 'string' && !word.startsWith('-'));
  return plain ? [{ word: archive, glob: false }] : null;
}

/** The words of a `jq` call without `--arg name value`, which only sets a variable. */
export function withoutJqArguments(command: ShellCommand): ShellCommand {
  const at = command.words.findIndex((word) => word === '--arg' || word === '--argjson');
  if (at < 0 || command.words.length < at + 3 || command.globs) return command;
  const words = [...command.words.slice(0, at), ...command.words.slice(at + 3)];
  return withoutJqArguments({ ...command, words });
}

/** Whether `read` only fills variables of the line's own. */
export function readsIntoLocals(command: ShellCommand): boolean {
  const names = command.words.slice(1);
  while (names.length > 0 && /^-/.test(names[0] ?? '')) {
    const option = names.shift() ?? '';
    if (/^-[rse]*[dnNpt]$/.test(option)) {
      if (names.shift() === null) return false;
    } else if (!/^-[rse]+$/.test(option)) return false;
  }
  return names.every((name) => name !== null && /^[a-z_][a-z0-9_]*$/.test(name));
}
