import { Terminal } from '@xterm/headless';
import type { Terminal as PageTerminal } from '@xterm/xterm';
import { describe, expect, test } from 'vitest';
import { ScreenMirror } from '../../../src/main/terminal/host/screen-mirror';
import { guardTerminal } from '../../../src/renderer/terminal/guards';

/** The largest count that passes the guards, over and over, where a screen has the fewest lines to move. */
const RELENTLESS = `\x1b[2;3r${'\x1b[10000S\x1b[10000T\x1b[10000L\x1b[10000M'.repeat(5)}\x1b[r`;

/** What programs printed to attack terminals, by what it was after. */
const ATTACKS: readonly (readonly [string, string])[] = [
  ['writes the clipboard', '\x1b]52;c;cm0gLXJmIH4=\x07'],
  ['writes the primary selection, 8-bit', '\x9d52;p;cm0gLXJmIH4=\x9c'],
  ['reads the clipboard', '\x1b]52;c;?\x1b\\'],
  ['reads the clipboard as kitty has it', '\x1b]5522;type=read;dGV4dC9wbGFpbg==\x1b\\'],
  ['has its title typed back', '\x1b]2;\nrm -rf ~\n\x07\x1b[21t\x1b[20t'],
  ['has settings typed back', '\x1bP$q"p\x1b\\\x1bP$qm\x1b\\\x1bP$q\nid\n\x1b\\'],
  ['has terminfo typed back', '\x1bP+q544e\x1b\\\x1bP+q\nid\n\x1b\\'],
  ['has a checksum typed back', '\x1b[1;1;1;1;1;1*y'],
  ['has an answerback typed', '\x05'],
  [
    'moves, hides and resizes the window',
    '\x1b[3;0;0t\x1b[2t\x1b[9;1t\x1b[8;1;1t\x1b[4;9999;9999t',
  ],
  ['asks where the window is', '\x1b[11t\x1b[13t\x1b[14t\x1b[18t\x1b[19t'],
  ['goes to 132 columns', '\x1b[?40h\x1b[?3h'],
  ['locks the keyboard', '\x1b[2h'],
  ['notifies', '\x1b]99;i=1:d=0;Hello\x1b\\\x1b]9;Hello\x07\x1b]777;notify;a;b\x07'],
  ['opens a link by itself', '\x1b]8;;https://good.example@evil.example/\x1b\\x\x1b]8;;\x1b\\\r'],
  ['sends an image bomb', '\x1bPq"1;1;60000;60000#0!60000~-\x1b\\'],
  ['sends kitty’s image bomb', `\x1b_Ga=T,f=24,s=60000,v=60000;${'A'.repeat(4096)}\x1b\\`],
  ['never ends a string', `\x1b]2;${'x'.repeat(100_000)}\x1b\\`],
  ['nests strings', '\x1bP\x1b]\x1bP\x1b]\x1b_\x1b^\x1b\\\x1b\\'],
  ['has very many parameters', `\x1b[${'1;'.repeat(50_000)}1m`],
  ['repeats within the limits', RELENTLESS],
  ...[...'STLMZbIP@X'].map(
    (final) => [`counts to ${2 ** 31 - 1} ${final}`, `\x1b[2147483647${final}`] as const,
  ),
];

/** A guarded terminal of the page, and all it would type into the program. */
async function shownBy(bytes: string) {
  const terminal = new Terminal({ allowProposedApi: true, cols: 80, rows: 24 });
  guardTerminal(terminal as unknown as Pick<PageTerminal, 'parser'>);
  let typed = '';
  terminal.onData((text) => {
    typed += text;
  });
  await new Promise<void>((resolve) => terminal.write(`${bytes}\r\nsentinel`, resolve));
  const { active } = terminal.buffer;
  const lines = Array.from({ length: active.length }, (_, y) =>
    active.getLine(y)?.translateToString(true),
  );
  const { cols, rows } = terminal;
  return { typed, cols, rows, text: lines.join('\n') };
}

describe('THREATS 14: whatever a program prints', () => {
  test.each(ATTACKS)('that %s, the page stays usable and types nothing', async (_, bytes) => {
    const { typed, cols, rows, text } = await shownBy(bytes);
    expect(text).toContain('sentinel');
    expect(typed).toBe('');
    expect({ cols, rows }).toEqual({ cols: 80, rows: 24 });
  });

  test.each(ATTACKS)('that %s, the mirror stays usable', async (_, bytes) => {
    const mirror = new ScreenMirror(80, 24);
    mirror.push(Buffer.from(`${bytes}\r\nsentinel`, 'latin1'));
    const picture = await mirror.snapshot();
    expect(picture).toMatchObject({ cols: 80, rows: 24 });
    expect(Buffer.concat(picture.pieces).toString()).toContain('sentinel');
  });
});
