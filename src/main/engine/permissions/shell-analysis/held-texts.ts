import { type Binding, PLAIN } from './variables';
import { textAsWritten, type Word } from './words';

/** A variable, all elements of an array or all arguments. */
const EXPANDED = /^"?\$(?:(\w+|[@*])|\{(\w+|(?:\w+\[)?[@*]\]?)\})"?$/;
/** The output of a command. */
const PRINTS = /^(?:\$\([^()]*\)|`[^`]*`)$/;
/** The name for all arguments together. */
const ARGUMENTS = '[@]';
/** More texts of one variable, and longer ones, are not looked at. */
const MAX_TEXTS = 4;
const MAX_LENGTH = 2_000;
/** Nothing is filled in where it would make a script longer than any line may be. */
const MAX_FILLED = 10_000;

/**
 * The texts that a line sets its variables to, surely or not, with what is only known at run time as it is written. They
 * tell what a command may be: never more than a reason to deny or ask.
 */
export class HeldTexts {
  /** By name, with `[@]` behind it for arrays, whose elements stand one after the other. */
  readonly #texts = new Map<string, readonly string[]>();

  /** Notes what a variable is set to, or with `adds` gets behind what it holds. */
  note({ name, values }: Binding, adds: boolean): void {
    const isArray = name.endsWith(']');
    const texts = isArray
      ? [values.map(({ source }) => source.replace(/^\[[^\]]*\]=/, '')).join(' ')]
      : values.map(textAsWritten);
    const before = this.#texts.get(name) ?? [];
    const fronts = adds && before.length > 0 ? before : [''];
    const gap = isArray ? ' ' : '';
    const now = fronts.flatMap((front) => texts.map((text) => front + gap + this.filledIn(text)));
    const known = adds ? now : [...before, ...now];
    this.#texts.set(name, known.filter((text) => text.length <= MAX_LENGTH).slice(-MAX_TEXTS));
  }

  /** Returns a text with the variables in it as they were set last; as it is where that would be too long. */
  filledIn(text: string): string {
    const filled = text.replace(
      /\$(?:(\w+)|\{(\w+)\})/g,
      (whole, plain?: string, braced?: string) =>
        this.#texts.get(plain ?? braced ?? '')?.at(-1) ?? whole,
    );
    return filled.length > MAX_FILLED ? text : filled;
  }

  /** Returns the words of a command, once for each text, with those in the place of variables that shells split them into. */
  readings(words: readonly Word[]): readonly (readonly Word[])[] {
    if (/^(?:cd|pushd|popd)$/.test(words[0]?.value ?? '')) return [];
    const choices = words.map((word, at) => this.#wordsIn(word, at === 0));
    const count = Math.max(...choices.map(({ length }) => length), 0);
    return Array.from({ length: count }, (_, at) =>
      words.flatMap((word, i) => choices[i]?.[at] ?? choices[i]?.[0] ?? [word]),
    );
  }

  /** Notes the arguments that `set -- …` gives the line. */
  noteArguments(words: readonly Word[]): void {
    const ended = words.findIndex(({ value }) => value === '--');
    const values = words.slice(ended < 0 ? 1 : ended + 1);
    if (ended < 0 && /^[-+]/.test(values[0]?.source ?? '')) return;
    this.note({ name: ARGUMENTS, values }, false);
    values.slice(0, 9).forEach((value, at) => {
      this.note({ name: `${at + 1}`, values: [value] }, false);
    });
  }

  #wordsIn(word: Word, isProgram: boolean): readonly (readonly Word[])[] {
    const { value, source } = word;
    if (value !== null) return [];
    const [, plain, braced] = EXPANDED.exec(source) ?? [];
    const name = plain ?? braced ?? '';
    const isList = /[@*]/.test(name);
    const held = this.#texts.get(isList ? `${name.replace(/[[@*\]]+$/, '')}[@]` : name) ?? [];
    // `$R$M`: what a program is called may stand in several variables.
    const bare = source.replaceAll('"', '');
    const joined = isProgram && held.length === 0 ? this.filledIn(bare) : bare;
    const isOne = source.startsWith('"') && !isList;
    return [...held, ...(joined === bare ? [] : [joined])].flatMap((text) => {
      // What a command prints stays as it is written: it may tell what program that is.
      if (isProgram && PRINTS.test(text)) return [[{ ...word, source: text }]];
      const parts = text.split(/\s+/).filter(Boolean);
      const isPlain = parts.every((part) =>
        PLAIN.test(part.replace(/\$\{?\w+\}?/g, '_').replace(/["']/g, '')),
      );
      const isSame = parts.length === 1 && parts[0]?.includes('$');
      return parts.length === 0 || (isOne && parts.length > 1) || isSame || !isPlain
        ? []
        : [parts.map((part) => partOf(word, part))];
    });
  }
}

const partOf = (word: Word, source: string): Word => ({
  ...word,
  value: source.includes('$') ? null : source.replace(/["']/g, ''),
  source,
});
