import type { Terminal as PageTerminal } from '@xterm/xterm';
import { ScreenMirror } from '../../src/main/terminal/host/screen-mirror';
import { guardTerminal } from '../../src/renderer/terminal/guards';
import { createByteMarkCutter } from '../../src/renderer/ui/combining';
import { createTerminal, stateOf, writeTo } from './terminal-state';

type Size = readonly [cols: number, rows: number];
/** Something a program printed, as text or bytes, or a new size of its terminal. */
export type Step = string | Buffer | Size;

/** A pane of a command: what it refuses, and how it reads bytes. */
function openPane(cols = 20, rows = 6) {
  const terminal = createTerminal(cols, rows);
  guardTerminal(terminal as unknown as Pick<PageTerminal, 'parser'>);
  terminal.options.reflowCursorLine = true;
  const cut = createByteMarkCutter();
  return { terminal, write: (bytes: Uint8Array) => writeTo(terminal, cut(bytes)) };
}

const isSize = (step: Step): step is Size => Array.isArray(step);

/** Returns the states of a pane that was there all along, and of one that came after the first steps. */
export async function bothAfter(first: readonly Step[], later: readonly Step[] = []) {
  const [early, mirror] = [
    openPane(),
    new ScreenMirror(20, 6, { scrollback: 50, isCommand: true }),
  ];
  for (const step of first) {
    if (isSize(step)) {
      early.terminal.resize(...step);
      mirror.resize(...step);
      continue;
    }
    mirror.push(Buffer.from(step));
    await early.write(Buffer.from(step));
  }
  const { cols, rows, pieces } = await mirror.snapshot();
  const late = openPane(cols, rows);
  for (const piece of pieces) await late.write(piece);
  for (const { terminal, write } of [early, late])
    for (const step of later)
      isSize(step) ? terminal.resize(...step) : await write(Buffer.from(step));
  return [stateOf(early.terminal), stateOf(late.terminal)] as const;
}

/** Returns the state of a pane after output and sizes. */
export async function stateAfter(steps: readonly Step[]) {
  const { terminal, write } = openPane();
  for (const step of steps)
    isSize(step) ? terminal.resize(...step) : await write(Buffer.from(step));
  return stateOf(terminal);
}
