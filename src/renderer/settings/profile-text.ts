import { TerminalProfile } from '../../shared/settings';

/** A profile as it stands in the fields of the settings. */
export interface ProfileDraft {
  readonly name: string;
  readonly program: string;
  /** Words as a shell reads them. */
  readonly args: string;
  /** `NAME=value`, divided as words are. */
  readonly env: string;
}

export const EMPTY_PROFILE: ProfileDraft = { name: '', program: '', args: '', env: '' };

/** Returns the profile of a draft, or what is wrong in which field. Pure. */
export function profileOf(
  draft: ProfileDraft,
  others: readonly TerminalProfile[],
): TerminalProfile | { readonly field: keyof ProfileDraft; readonly problem: string } {
  const [name, program] = [draft.name.trim(), draft.program.trim()];
  if (name === '') return { field: 'name', problem: 'Give it a name.' };
  if (others.some((one) => one.name === name))
    return { field: 'name', problem: 'There is a profile of this name.' };
  if (program === '') return { field: 'program', problem: 'Name a program.' };
  const args = splitWords(draft.args);
  if (args === null) return { field: 'args', problem: 'A quote is not closed.' };
  const pairs = splitWords(draft.env)?.map((word) => /^([A-Za-z_]\w*)=(.*)$/s.exec(word));
  if (pairs === undefined) return { field: 'env', problem: 'A quote is not closed.' };
  if (pairs.some((pair) => pair === null))
    return { field: 'env', problem: 'Write NAME=value, with a space between two.' };
  const env = Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? '']));
  const parsed = TerminalProfile.safeParse({ name, program, args, env });
  return parsed.success ? parsed.data : { field: 'name', problem: 'It is too long.' };
}

/** Returns the draft of a profile; {@link profileOf} gives the same profile back. Pure. */
export const draftOf = ({ name, program, args, env }: TerminalProfile): ProfileDraft => ({
  ...{ name, program },
  args: args.map(quoted).join(' '),
  env: Object.entries(env)
    .map(([variable, value]) => (value === '' ? `${variable}=` : `${variable}=${quoted(value)}`))
    .join(' '),
});

const quoted = (word: string): string =>
  /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/** Divides a text into words, with single quotes, double quotes and backslashes as in a shell; null for an open quote. Pure. */
export function splitWords(text: string): readonly string[] | null {
  const words: string[] = [];
  const pattern = /\s+|'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+)|(.)/gsy;
  let word: string | null = null;
  for (const [all, single, double, escaped, plain, open] of text.matchAll(pattern)) {
    if (open !== undefined) return null;
    const part: string | undefined =
      single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped ?? plain;
    if (part !== undefined) word = (word ?? '') + part;
    else if (word !== null && all !== '') {
      words.push(word);
      word = null;
    }
  }
  return word === null ? words : [...words, word];
}
