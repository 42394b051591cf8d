import type { ShellRole } from '../request';
import type { Surroundings } from './arithmetic';
import type { Dialect } from './dialect';
import { fillsInPlain } from './open-words';
import type { InputText } from './simple-command';
import { textAsWritten, type Word } from './words';

/**
 * Something a command starts: words of another command, or a script (null: known at run time only).
 */
export type Started =
  | {
      readonly kind: 'words';
      readonly words: readonly Word[];
      readonly role?: ShellRole;
      /** It is the one command that a runner starts; what that starts itself is not listed yet. */
      readonly isOnly?: true;
    }
  | Script
  /** A text in which commands may stand, in another language: for denials only. */
  | { readonly kind: 'code'; readonly text: string };

interface Script {
  readonly kind: 'script';
  readonly script: string | null;
  readonly role?: ShellRole;
  /** The dialect of the shell that is given it. Absent: it is read by the shell that starts it, or by a program's own. */
  readonly shell?: Dialect;
  /** Parts only known at run time stand in it as they are written: a guess beside a script that is unknown. */
  readonly isOpen?: true;
}

/** A script unknown here is listed as inner: rules speak about the shell itself, denials about what it may run. */
export const UNKNOWN_SCRIPT: Started = { kind: 'script', script: null, role: 'inner' };

export const inner = (text: string): Script => ({ kind: 'script', script: text, role: 'inner' });

/** Returns a script with parts that are only known at run time: it may be any, but says something. */
const openScript = (text: string, isPlain = false): Started[] =>
  isPlain ? [guess(text)] : [UNKNOWN_SCRIPT, guess(text)];

export const guess = (text: string): Script => ({ ...inner(text), isOpen: true });

/** Parts of a word that are only known at run time, but for the innermost of several. */
export const EXPANSIONS = /\$\([^()]*\)|\$\{[^{}]*\}|`[^`]*`/g;

export function shellScript(
  words: readonly Word[],
  input: InputText | null | undefined,
  shell: Dialect,
  around: Surroundings,
): Started[] {
  const startFile = words.findIndex((word) => /^--(?:rcfile|init-file)$/.test(word.value ?? ''));
  const startUp = startFile > 0 && isStream(words[startFile + 1]) ? [UNKNOWN_SCRIPT] : [];
  const flag = words.findIndex((word) => /^-[a-zA-Z]*c[a-zA-Z]*$/.test(word.value ?? ''));
  if (flag > 0) {
    const behind = words.slice(flag + 1);
    const given = behind.find((word) => !/^[-+]/.test(word.source));
    const script = given?.value ?? null;
    if (script === null)
      return given
        ? openScript(textAsWritten(given), fillsInPlain(given, around))
        : [UNKNOWN_SCRIPT];
    // An option in between may take a word of its own: then the script is a later one.
    const later = /^[-+]/.test(behind[0]?.source ?? '') ? behind.slice(1) : [];
    const others = later.flatMap(({ value }) => (value === null ? UNKNOWN_SCRIPT : inner(value)));
    return [{ kind: 'script', script, shell }, ...others, ...startUp];
  }
  const operands = words.slice(1).filter((word) => !/^[-+]/.test(word.value ?? ''));
  const readsStdin = operands.length === 0 || words.some((word) => word.value === '-s');
  if (readsStdin && input?.isOpen) return openScript(input.text);
  if (readsStdin && input) return [{ kind: 'script', script: input.text, shell }];
  const runsFile = operands[0]?.value != null && !isStream(operands[0]) && !readsStdin;
  if (!runsFile) return [UNKNOWN_SCRIPT];
  const file = words.findIndex((word, at) => at > 0 && word === operands[0]);
  return [{ kind: 'words', words: words.slice(file), role: 'inner' }];
}

/** Returns the script of the same shell that words are together. */
export function scriptOf(words: readonly Word[], around: Surroundings): Started[] {
  const text = words.map(textAsWritten).join(' ');
  const open = words.filter(({ value }) => value === null);
  const isPlain = open.every((word) => fillsInPlain(word, around));
  return open.length > 0 ? openScript(text, isPlain) : [{ kind: 'script', script: text }];
}

export const textGiven = (input: InputText | null | undefined): Started[] => {
  if (!input) return [];
  return input.isOpen ? openScript(input.text) : [inner(input.text)];
};

/** Tells whether a script is a stream and no file: `<(…)`, `/dev/stdin`. */
export const isStream = (word: Word | undefined): boolean =>
  /^\/(dev\/(stdin|fd\/)|proc\/self\/fd\/)/.test(word?.value ?? '');
