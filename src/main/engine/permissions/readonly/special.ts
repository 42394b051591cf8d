import type { ShellCommand } from '../request';
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
  let expression = false;
  for (let i = 1; i < command.words.length; i++) {
    const word = command.words[i] ?? null;
    const glob = command.globs?.[i];
    if (word === null) {
      // An unquoted `*.ts` can only become names that end so, and no primary does.
      const value = expression && /\.[A-Za-z0-9]+$/.test(glob ?? '');
      if (!value) return null;
    } else if (FIND_VALUED.has(word)) {
      expression = true;
      const value = command.words[i + 1];
      if (value !== null || command.globs?.[i + 1] === undefined) i++;
      if (value === undefined) return null;
      if (
        value === null &&
        command.globs?.[i + 1] === undefined &&
        command.globs?.[i] === undefined
      )
        return null;
    } else if (FIND_PLAIN.has(word)) {
      expression ||= !/^-[LHPO]/.test(word);
    } else if (expression || word.startsWith('-')) return null;
    else starts.push({ word, glob: false });
  }
  return starts.length > 0 ? starts : [{ word: '.', glob: false }];
}

const ADDRESS = String.raw`(?:\d+|\$|/[^/\n]*/)`;
/** Only line addresses with p, and q to stop: no w, e or r. */
const SED_PRINTS = new RegExp(`^\\s*(?:${ADDRESS}(?:,\\+?${ADDRESS}?)?\\s*[pq=]\\s*;?\\s*)+$`);

/** The files of a `sed -n` that only prints lines; null for any other. */
export function sedPrints(command: ShellCommand): PathUse[] | null {
  const operands: PathUse[] = [];
  const scripts: string[] = [];
  let quiet = false;
  for (let i = 1; i < command.words.length; i++) {
    const word = command.words[i] ?? null;
    const glob = command.globs?.[i];
    if (word === null) {
      if (glob === undefined || /^[-*?[]/.test(glob)) return null;
      operands.push({ word: glob, glob: true });
    } else if (/^-[nErz]+$/.test(word)) quiet ||= word.includes('n');
    else if (word === '-e') {
      const script = command.words[++i];
      if (typeof script !== 'string') return null;
      scripts.push(script);
    } else if (word.startsWith('-') && word !== '-') return null;
    else operands.push({ word, glob: false });
  }
  const first = scripts.length === 0 ? operands.shift() : undefined;
  if (first) scripts.push(first.word);
  const prints = scripts.length > 0 && scripts.every((script) => SED_PRINTS.test(script));
  return quiet && prints && first?.glob !== true ? operands : null;
}
