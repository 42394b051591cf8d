import type { WriteStream } from 'node:tty';

const ST = '\u001b\\';

/** The buffer of GNU screen for a string has 768 bytes. */
const MAX_IN_SCREEN = 700;

/**
 * Returns a permitted sequence as a terminal is to be sent it. tmux and GNU screen have titles and bells of their own, and
 * keep a notification to themselves unless it is wrapped. Pure.
 */
export function forTerminal(sequence: string, env: NodeJS.ProcessEnv): string {
  const { TMUX = '', STY = '' } = env;
  if (!/^.\](9|99|777);/su.test(sequence)) return sequence;
  if (TMUX !== '') return `\u001bPtmux;${sequence.replaceAll('\u001b', '\u001b\u001b')}${ST}`;
  if (STY === '') return sequence;
  // It shows what is too long for its buffer as text. The own end of a sequence would end the wrapping.
  const isTooLong = Buffer.byteLength(sequence) > MAX_IN_SCREEN;
  return isTooLong ? '' : `\u001bP${sequence.replace(ST, '\u0007')}${ST}`;
}

/** Returns what emits to a stream that a user sees; undefined where it is no terminal. Standard output carries data, also there. */
export const emitterOn = (stream: WriteStream, env: NodeJS.ProcessEnv) =>
  stream.isTTY ? (sequence: string) => void stream.write(forTerminal(sequence, env)) : undefined;
