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

/** The inside of an xterm 6 that is told of modes. */
interface Inside {
  readonly _inputHandler: {
    resetModePrivate(modes: { readonly length: number; readonly params: readonly number[] }): void;
  };
}

/** The mouse, reports of the focus and bracketed paste. A program turns them on for itself; shells turn theirs on at each prompt. */
const MODES_OF_PROGRAMS = [9, 1000, 1002, 1003, 1004, 2004];

/** Says that a command runs whose prompt is gone. */
export const RUNNING = '\x1b]133;C\x07';

/** Names who says that a command began or ended, as shells with our start-up files do. A shell inside of one has another name, or none. */
const NAME = /;aid=([^;]*)/;

/** Prompts that are remembered; the oldest are forgotten first. */
export const MAX_PROMPTS = 500;

/** Follows the prompts of a terminal. A mode that a command leaves on ends with it: what it is about would be typed at the prompt. */
export class Prompts {
  readonly #ended: (prompt: Prompt) => void;
  readonly #resetModes: () => void;
  #prompts: Prompt[] = [];
  /** The name of the shell that runs a command, empty for one without; null while none does. */
  #running: string | null = null;

  /** `ended` is told when the command of a prompt has ended. */
  constructor(terminal: PromptTerminal, ended: (prompt: Prompt) => void = () => undefined) {
    this.#ended = ended;
    const { _inputHandler: handler } = (terminal as object as { readonly _core: Inside })._core;
    const modes = { length: MODES_OF_PROGRAMS.length, params: MODES_OF_PROGRAMS };
    this.#resetModes = () => handler.resetModePrivate(modes);
    terminal.parser.registerOscHandler(133, (data) => {
      this.#follow(data, () => terminal.registerMarker(0));
      return true;
    });
  }

  /** Returns the prompts that are still there, from the top. */
  list(): readonly Prompt[] {
    return this.#prompts.filter(({ marker }) => !marker.isDisposed && marker.line >= 0);
  }

  /** A command runs that was started at a prompt. */
  get isRunning(): boolean {
    return this.#running !== null;
  }

  #follow(data: string, mark: () => LineMarker | undefined): void {
    const [kind, code] = data.split(';');
    const exitCode = Number.parseInt(code ?? '', 10);
    const [, name = ''] = NAME.exec(data) ?? [];
    const isInner = name === '' && this.#running !== '' && this.isRunning;
    if (kind === 'D' && this.isRunning && !isInner && Number.isSafeInteger(exitCode))
      this.#resetModes();
    if (kind === 'A' || (kind === 'D' && !isInner)) this.#running = null;
    else if (kind === 'C') this.#running = name;
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
      if (!Number.isSafeInteger(exitCode)) return;
      last.exitCode = exitCode;
      this.#ended(last);
    }
  }
}

/** Returns what a shell has to print on the line of a prompt so that it is known again with its end. */
export const promptSequence = ({ isStarted, exitCode }: Prompt): string =>
  `\x1b]133;A\x07${isStarted ? '\x1b]133;C\x07' : ''}${exitCode === null ? '' : `\x1b]133;D;${exitCode}\x07`}`;
