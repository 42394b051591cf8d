import type { Terminal } from '@xterm/xterm';
import { type Prompt, Prompts } from '../../shared/prompt-marks';

/** The prompts of a terminal: marked in its gutter when their commands end, and gone to one by one. */
export interface PromptGutter {
  /** Scrolls to the prompt before (-1) or after (1) the top of the screen; after the last one, to the bottom. */
  jump(step: 1 | -1): void;
}

/** Follows the prompts that a shell announces (OSC 133). */
export function createPromptGutter(terminal: Terminal): PromptGutter {
  const prompts = new Prompts(terminal, (prompt) => drawMark(terminal, prompt));
  return {
    jump(step) {
      const lines = prompts.list().map(({ marker }) => marker.line);
      const line = nextLine(lines, terminal.buffer.active.viewportY, step);
      if (line !== null) terminal.scrollToLine(line);
      else if (step > 0) terminal.scrollToBottom();
    },
  };
}

/** Returns the line to go to from the one at the top; null when there is none. */
const nextLine = (lines: readonly number[], top: number, step: 1 | -1): number | null =>
  (step > 0 ? lines.find((line) => line > top) : lines.findLast((line) => line < top)) ?? null;

/** The mark left of the line: a square for a failure, else a thin line. */
const MARK = 'before:absolute before:-left-2';
const FAILED = 'before:top-[calc(50%-3px)] before:size-1.5 before:bg-failed';
const SUCCEEDED = 'before:top-[15%] before:h-[70%] before:w-0.5 before:rounded-full before:bg-done';

/** Draws how a command ended beside its prompt. */
function drawMark(terminal: Terminal, { marker, exitCode }: Prompt): void {
  const decoration = terminal.registerDecoration({ marker: marker as never, x: 0, width: 1 });
  decoration?.onRender((element) => {
    const failed = exitCode !== 0;
    element.classList.add(...`${MARK} ${failed ? FAILED : SUCCEEDED}`.split(' '));
    element.setAttribute('role', 'img');
    element.setAttribute('aria-label', failed ? `exited with code ${exitCode}` : 'succeeded');
    element.title = element.getAttribute('aria-label') ?? '';
  });
}
