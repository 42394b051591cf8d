import { inlineCommands } from '../settings/inline-commands';

/** A part of a skill's text: words, or a command whose output stands in its place. */
export type SkillPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'command'; readonly command: string };

/** The values that go into the text of a skill. */
export interface SkillValues {
  /** Everything behind the name, as it was typed. */
  readonly args: string;
  /** Names of the arguments, in their order. */
  readonly names: readonly string[];
  /** Values of `${NAME}`. */
  readonly variables: Readonly<Record<string, string>>;
}

/**
 * Takes the text of a skill apart and fills in the values. Commands are looked for before anything is filled in, so that
 * no argument can bring one; nothing that was filled in is filled in again. Arguments that the text has no place for
 * stand at its end. Pure.
 */
export function expandSkill(body: string, values: SkillValues): readonly SkillPart[] {
  const words = splitArguments(values.args);
  let used = false;
  /** Fills in one place; `before`: the backslashes right before it. */
  const value = (whole: string, before: string, place: Place): string => {
    const { variable, all, at, name } = place;
    if (variable !== undefined) {
      const known = Object.hasOwn(values.variables, variable);
      return known ? before + (values.variables[variable] ?? '') : whole;
    }
    const index = name === undefined ? Number(at) : values.names.indexOf(name);
    if (all === undefined && index < 0) return whole;
    if (before.length === 1) return whole.slice(1);
    const filled = all === undefined ? words[index] : values.args;
    // A number that no argument has is none: it may be a price, or a column of awk.
    if (filled === undefined && name === undefined) return whole;
    used = true;
    return before + (filled ?? '');
  };
  const fill = (text: string): string =>
    text.replace(PLACE, (whole: string, before, variable, at, all, position, name) =>
      value(whole, before, { variable, at: at ?? position, all, name }),
    );
  const parts: SkillPart[] = [];
  let from = 0;
  for (const one of inlineCommands(body)) {
    parts.push({ kind: 'text', text: fill(body.slice(from, one.from)) });
    parts.push({ kind: 'command', command: fill(one.command) });
    from = one.to;
  }
  parts.push({ kind: 'text', text: fill(body.slice(from)) });
  if (!used && values.args !== '') {
    parts.push({ kind: 'text', text: `\n\nARGUMENTS: ${values.args}` });
  }
  return parts.filter((part) => part.kind === 'command' || part.text !== '');
}

/** A place in a text, with the backslashes right before it: one of them makes it plain text. */
const PLACE =
  /(?<!\\)(\\*)\$(?:\{([\w.]+)\}|ARGUMENTS\[(\d+)\]|(ARGUMENTS)\b|(\d+)\b|([A-Za-z]\w*))/g;

/** Names the one thing a place is for: a variable, all arguments, or one by its number or name. The rest is undefined. */
interface Place {
  readonly variable: string | undefined;
  readonly at: string | undefined;
  readonly all: string | undefined;
  readonly name: string | undefined;
}

/** Splits arguments at white space as a shell does; quotes hold words together. Pure. */
export const splitArguments = (args: string): readonly string[] =>
  [...args.matchAll(/(?:[^\s"']|"[^"]*"?|'[^']*'?)+/g)].map(([word]) =>
    word.replace(/"([^"]*)"?|'([^']*)'?/g, (_, double, single) => double ?? single ?? ''),
  );
