import type { ShellCommand } from './request';

/** A command that is started with more words than the line says, without those. */
export interface Handed {
  readonly command: ShellCommand;
  /** The words are cut at NUL, and so are whole names. */
  readonly nul: boolean;
}

const PLAIN = /^(-[0rtx]+|--null|--no-run-if-empty|--verbose|--exit)$/;
const NUMBERED = /^(-[nPLs]|--max-(args|procs|lines|chars))$/;
const NUMBER_INSIDE = /^(-[nPLs]\d+|--max-(args|procs|lines|chars)=\d+)$/;

/**
 * What `xargs` starts, in its own words: for `xargs` with options that only say how words are cut and grouped, and for a
 * command that plain `xargs` was already taken off. Null for any other command, or when no pipe hands it anything.
 */
export function handedOver(command: ShellCommand): Handed | null {
  if (command.fedBy === undefined) return null;
  if (command.words[0] !== 'xargs')
    return { command: { ...without(command), words: command.words.slice(0, -1) }, nul: false };
  let nul = false;
  let placeholder: string | null = null;
  let at = 1;
  for (; at < command.words.length; at++) {
    const word = command.words[at] ?? '';
    if (!word.startsWith('-')) break;
    if (word === '-0' || word === '--null' || /^-[rtx]*0/.test(word)) nul = true;
    const value = /^-I(.*)$/s.exec(word)?.[1];
    if (value !== undefined) placeholder = value === '' ? (command.words[++at] ?? '') : value;
    else if (NUMBERED.test(word)) at++;
    else if (!PLAIN.test(word) && !NUMBER_INSIDE.test(word)) return null;
  }
  const words = command.words.slice(at);
  // Anywhere else but at the end it might be a pattern, or the value of an option.
  if (placeholder !== null && words.at(-1) !== placeholder) return null;
  const rest = placeholder === null ? words : words.slice(0, -1);
  if (rest.includes(null) || rest.length === 0) return null;
  const embedded = placeholder === '' || rest.some((word) => word?.includes(placeholder ?? '\0'));
  return embedded ? null : { command: { ...without(command), words: rest }, nul };
}

const without = ({ fedBy: _, globs: __, ...command }: ShellCommand): ShellCommand => command;
