import type { Hiding, ShellCommand, ShellRole } from '../request';
import type { Surroundings } from './arithmetic';
import type { Dialect } from './dialect';
import type { Doubt } from './doubts';
import type { Input } from './interpreters';
import { placesIn } from './open-words';
import type { Draft, InputText } from './simple-command';
import type { Word } from './words';
import { isGivenWords } from './xargs-input';

/** A command that was found in a line, with its words, and what is known of it besides. */
export interface Found {
  readonly words: readonly Word[];
  /** Its words were listed as commands of their own already. */
  readonly listed?: boolean;
  /** It is one of several readings of the words behind a runner. What `find` starts behind one is not: it gets other words. */
  readonly isReading?: boolean;
  /** The text it reads as standard input; null for a file, undefined when not from the line. */
  readonly stdin: InputText | null | undefined;
  readonly input: Input;
  readonly hides: readonly Hiding[];
  readonly around: Surroundings;
  /** It is started in another folder than the line says. */
  readonly elsewhere?: boolean;
  /** The same, and its files are surely of this machine. */
  readonly moves?: boolean;
  /** The folder it runs in is at the root of the disk when a variable is empty. */
  readonly mayBeAtRoot?: boolean;
  /** The commands before it in a pipe, as long as nothing else is its input. */
  readonly pipedFrom?: readonly ShellCommand[] | undefined;
  readonly text: string;
  /** Of the shell that reads it. */
  readonly dialect: Dialect;
  readonly draft: Draft | null;
  readonly doubt: Doubt | null;
  readonly start: number;
  readonly end: number;
}

/**
 * Tells whether a name was filled in from a variable or braces: denials see through that, but no
 * allow rule does.
 */
export const isBuiltName = ({ value, source }: Word): boolean =>
  value !== null && /^(?:"[^"]*\$[\w{]|\$\w|\$\{\w|[\w./-]*\{[^}]*,)/.test(source);

/** Joins the source texts of words; words that only the shell or a wrapper adds have none. */
export const joinSources = (words: readonly Word[]): string =>
  words
    .map((word) => word.source)
    .filter((source) => source !== '')
    .join(' ');

/** Returns a command as it is listed. */
export function toCommand(
  found: Found,
  role: ShellRole | undefined,
  directories: readonly (string | null)[],
): ShellCommand {
  const moved = directories.length > 1 || directories[0] !== '';
  const globs: Record<number, string> = {};
  const located = placesIn(found.words, found.around.line, moved);
  const names = found.words.flatMap((word, at) => (word.names ? [[at, word.names] as const] : []));
  const roots = found.words.find((word) => word.roots)?.roots;
  found.words.forEach((word, index) => {
    if (word.glob !== null) globs[index] = word.glob;
  });
  return {
    words: found.words.map((word) => word.value),
    text: found.text,
    start: found.start,
    end: found.end,
    writes: found.draft?.writes ?? [],
    reads: found.draft?.reads ?? [],
    assignments: found.draft?.assignments ?? [],
    ...(Object.keys(globs).length > 0 ? { globs } : {}),
    ...(Object.keys(located).length > 0 ? { located } : {}),
    ...(names.length > 0 ? { found: Object.fromEntries(names) } : {}),
    ...(roots ? { foundBelow: roots } : {}),
    ...(role ? { role } : {}),
    ...(found.doubt === null ? {} : { doubt: found.doubt.why }),
    ...(found.doubt?.isInherited ? { inherits: true } : {}),
    ...(found.hides.length === 0 ? {} : { hides: found.hides }),
    ...(moved ? { directories } : {}),
    ...(found.mayBeAtRoot ? { mayBeAtRoot: true } : {}),
    ...(found.draft?.stdin === undefined ? {} : { hasInput: true }),
    ...(found.stdin ? { [found.stdin.isOpen ? 'openInput' : 'input']: found.stdin.text } : {}),
    ...(found.pipedFrom && isGivenWords(found.words) ? { pipedFrom: found.pipedFrom } : {}),
  };
}
