import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PasteMode } from '../../src/main/terminal/host/paste-mode';
import { QueryScanner } from '../../src/main/terminal/host/query-scanner';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const [ON, OFF] = ['\x1b[?2004h', '\x1b[?2004l'];

/** Returns what is shown of itself while a program prints, a while after each piece; `reads` says how it reads then. */
async function shownAfter(output: readonly string[], reads: 'keys' | 'lines') {
  const shown: string[] = [];
  const scanner = new QueryScanner();
  const mode = new PasteMode({
    pty: { readsKeys: async () => reads === 'keys' },
    show: (bytes) => void shown.push(bytes.toString()),
    failed: (error) => expect.unreachable(String(error)),
  });
  for (const piece of output) {
    if (piece === 'wait') await vi.advanceTimersByTimeAsync(1_000);
    else if (piece === 'end') mode.close();
    else mode.note(scanner.scan(Buffer.from(piece)) ?? []);
  }
  return shown;
}

test.each<[string, readonly string[], 'keys' | 'lines', readonly string[]]>([
  ['of a file, by a program that reads lines', [`a\x1b[?1;2004hb`, 'wait'], 'lines', [OFF]],
  ['again', [ON, 'wait', ON, 'wait'], 'lines', [OFF, OFF]],
  ['of a shell or an editor', [ON, 'more', 'wait'], 'keys', []],
  ['and off again', [ON, OFF, 'wait'], 'lines', []],
  ['as the last thing before the end', [ON, 'end', 'wait'], 'lines', []],
  ['never', ['\x1b[?25h', 'wait'], 'lines', []],
])('bracketed paste is turned on by output %s', async (_, output, reads, shown) => {
  expect(await shownAfter(output, reads)).toEqual(shown);
});
