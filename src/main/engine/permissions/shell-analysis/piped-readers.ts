import path from 'node:path';
import type { ShellCommand } from '../request';
import { namesFound } from './unwrap';

/** The files that a pipe may name: tracked ones alone, or those that fit one of the patterns. Null for any. */
export type Piped = 'tracked' | readonly string[] | null;

/** Commands of git that print names of tracked files. */
const LISTS_TRACKED = /^(?:ls-files|diff|diff-tree|diff-index|diff-files|show|grep|log|ls-tree)$/;
/** Options by which they name others, too. */
const LISTS_OTHERS = /^(?:-[a-z]*o|--(?:others|untracked|no-index|ignored))/;
/** A pattern of `grep` for the ends of names: `\.ts$`, `\.(js|ts)$`. */
const ENDING = /^(?:\^?\.\*)?\\\.\(?([\w|]+)\)?\$$/;

/** Returns the files that a pipe may name to what reads them. A command that chooses among the lines may limit them. Pure. */
export function filesPiped(pipe: readonly ShellCommand[]): Piped {
  const [origin] = pipe.filter(({ words }) => words.length > 0);
  if (origin === undefined) return null;
  for (const command of pipe) {
    const names = namesIn(command);
    if (names !== null && names.length > 0) return names;
  }
  const [name, subcommand, ...rest] = origin.words;
  const isTracked =
    name === 'git' &&
    LISTS_TRACKED.test(subcommand ?? '') &&
    !rest.some((word) => word === null || LISTS_OTHERS.test(word));
  return isTracked ? 'tracked' : null;
}

/** Returns the patterns of names that a command of a pipe is limited to; null where it is not, or not for sure. */
function namesIn({ words, globs }: ShellCommand): readonly string[] | null {
  const texts = words.map((word, at) => word ?? globs?.[at] ?? null);
  const name = path.posix.basename(texts[0] ?? '');
  if (name === 'find') return namesFound(texts.map((value) => ({ value })));
  const operands = texts.slice(1).filter((text) => text?.startsWith('-') !== true);
  if (/^[ef]?grep$/.test(name)) {
    const isPlain = texts.slice(1).every((text) => !/^-(?!E$)/.test(text ?? ''));
    const [, endings] = (isPlain && operands.length === 1 && ENDING.exec(operands[0] ?? '')) || [];
    return endings?.split('|').map((ending) => `*.${ending}`) ?? null;
  }
  if (/^fd(?:find)?$/.test(name))
    return texts.flatMap((text, at) => {
      const [, ending] = /^(?:-e|--extension=?)(.*)$/.exec(text ?? '') ?? [];
      return ending === undefined ? [] : `*.${ending || (texts[at + 1] ?? '*')}`;
    });
  const ended = texts.indexOf('--');
  const files = ended < 0 ? operands.slice(name === 'git' ? 1 : 0) : texts.slice(ended + 1);
  const isListed = name === 'git' || (name === 'ls' && files.every((file) => file?.includes('*')));
  return isListed && files.every((file) => /^[\w*./-]*\.\w+$/.test(file ?? ''))
    ? files.map((file) => path.posix.basename(file ?? ''))
    : null;
}
