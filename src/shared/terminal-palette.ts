/** A wish of a program for the colours of its terminal. */
interface ColourChange {
  readonly type: number;
  /** 0 to 255, then text, background, cursor; without one it is about all of the first. */
  readonly index?: number;
  readonly color?: Colour;
}

type Colour = readonly [red: number, green: number, blue: number];

/** The type of a {@link ColourChange} that only asks, and of one that sets. The third goes back to the usual colour. */
const ASK = 0;
const SET = 1;

/** The inside of an xterm 6 that tells colours, and is told them. */
export interface ColourTerminal {
  readonly _core: {
    readonly _inputHandler: {
      onColor(listener: (changes: readonly ColourChange[]) => void): unknown;
      readonly _onColor: { fire(changes: readonly ColourChange[]): void };
    };
  };
}

/** The first index behind those of the palette: text, background and cursor follow. */
const TEXT_COLOUR = 256;

/** Follows the colours that a program chooses for its terminal (OSC 4, 10, 11 and 12). */
export class TerminalPalette {
  readonly #input: ColourTerminal['_core']['_inputHandler'];
  readonly #chosen = new Map<number, Colour>();
  #touched = false;

  /** `terminal`: an xterm, with or without a page. */
  constructor(terminal: object) {
    this.#input = (terminal as ColourTerminal)._core._inputHandler;
    this.#input.onColor((changes) => {
      for (const { type, index, color } of changes) {
        if (type === ASK) continue;
        this.#touched = true;
        if (index === undefined) this.#forgetAll();
        else if (color === undefined) this.#chosen.delete(index);
        else this.#chosen.set(index, color);
      }
    });
  }

  /** Returns what gives a pane these colours, whatever it had before; nothing where none was ever chosen. */
  sequence(): string {
    if (!this.#touched) return '';
    const set = [...this.#chosen].map(([index, colour]) =>
      index < TEXT_COLOUR
        ? `\x1b]4;${index};rgb:${inHex(colour)}\x07`
        : `\x1b]${index - TEXT_COLOUR + 10};rgb:${inHex(colour)}\x07`,
    );
    return `\x1b]104\x07\x1b]110\x07\x1b]111\x07\x1b]112\x07${set.join('')}`;
  }

  /** Gives the terminal these colours again, after a new theme took them. */
  restore(): void {
    const chosen = [...this.#chosen].map(([index, color]) => ({ type: SET, index, color }));
    // Not as output: that could come into the middle of what a program prints.
    if (chosen.length > 0) this.#input._onColor.fire(chosen);
  }

  #forgetAll(): void {
    for (const index of this.#chosen.keys()) if (index < TEXT_COLOUR) this.#chosen.delete(index);
  }
}

const inHex = (colour: Colour): string =>
  colour.map((part) => part.toString(16).padStart(2, '0')).join('/');
