/** A line of a terminal that stays the same while lines scroll away above it. */
export interface LineMarker {
  readonly line: number;
  readonly isDisposed: boolean;
  dispose(): void;
}

/** The part of an xterm that is needed to follow prompts. */
export interface PromptTerminal {
  readonly parser: {
    registerOscHandler(code: number, handler: (data: string) => boolean): unknown;
  };
  registerMarker(cursorYOffset?: number): LineMarker | undefined;
}

/** A prompt of a shell that says where its prompts are (OSC 133), and the end of the command that was typed at it. */
export interface Prompt {
  readonly marker: LineMarker;
  /** A command was started at it. */
  isStarted: boolean;
  /** The exit code of that command; null while it runs, or when there is none. */
  exitCode: number | null;
}

/** Prompts that are remembered; the oldest are forgotten first. */
export const MAX_PROMPTS = 500;

/** Follows the prompts of a terminal. */
export class Prompts {
  readonly #ended: (prompt: Prompt) => void;
  #prompts: Prompt[] = [];

  /** `ended` is told when the command of a prompt has ended. */
  constructor(terminal: PromptTerminal, ended: (prompt: Prompt) => void = () => undefined) {
    this.#ended = ended;
    terminal.parser.registerOscHandler(133, (data) => {
      this.#follow(data, () => terminal.registerMarker(0));
      return true;
    });
  }

  /** Returns the prompts that are still there, from the top. */
  list(): readonly Prompt[] {
    return this.#prompts.filter(({ marker }) => !marker.isDisposed && marker.line >= 0);
  }

  #follow(data: string, mark: () => LineMarker | undefined): void {
    const [kind, code] = data.split(';');
    const last = this.#prompts.at(-1);
    if (kind === 'A') {
      const marker = mark();
      if (marker === undefined) return;
      // Shells that say it themselves say it twice, and so does one that draws its prompt anew.
      if (last?.marker.line === marker.line) this.#prompts.pop()?.marker.dispose();
      this.#prompts.push({ marker, isStarted: false, exitCode: null });
      if (this.#prompts.length > MAX_PROMPTS) this.#prompts.shift()?.marker.dispose();
    } else if (kind === 'C' && last !== undefined) last.isStarted = true;
    else if (kind === 'D' && last?.isStarted === true && last.exitCode === null) {
      const exitCode = Number.parseInt(code ?? '', 10);
      if (!Number.isSafeInteger(exitCode)) return;
      last.exitCode = exitCode;
      this.#ended(last);
    }
  }
}

/** Returns what a shell has to print on the line of a prompt so that it is known again with its end. */
export const promptSequence = ({ isStarted, exitCode }: Prompt): string =>
  `\x1b]133;A\x07${isStarted ? '\x1b]133;C\x07' : ''}${exitCode === null ? '' : `\x1b]133;D;${exitCode}\x07`}`;
