import { describe, expect, it, test } from 'vitest';
import { readReply } from '../../../src/main/engine/hooks/reply';
import { readTerminalSequence } from '../../../src/main/engine/hooks/terminal-sequence';
import { forTerminal } from '../../../src/main/hosts/headless/terminal-emit';

const [BEL, ESC, ST] = ['\u0007', '\u001b', '\u001b\\'];
const osc = (text: string, end = BEL) => `${ESC}]${text}${end}`;
const read = (text: string) => readTerminalSequence(text);

describe('what is permitted', () => {
  test.each([
    ['a bell', BEL],
    ['a title', osc('0;Build')],
    ['the title of an icon', osc('1;Build', ST)],
    ['an empty title', osc('2;')],
    ['a notification', osc('9;Tests passed', ST)],
    ['progress', osc('9;4;1;50')],
    ['a notification of kitty', osc('99;i=1:d=0;Hello', ST)],
    ['one of kitty in full', osc('99;i=1:e=1:u=2:a=focus,-report:c=0:p=body:f=x:o=always;SGk=')],
    ['a notification of urxvt', osc('777;notify;Build;done')],
    ['several', `${osc('2;Build')}${BEL}${osc('9;done', ST)}`],
    ['other letters', osc('9;Zażółć 🎉')],
  ])('%s is passed on as it is', (_, text) => {
    const { sequences, dropped } = read(text);
    expect(sequences.join('')).toBe(text);
    expect(dropped).toEqual([]);
  });

  it('is made anew of forms in one character, and of halves of characters', () => {
    expect(read('\u009d2;Build\u009c').sequences).toEqual([osc('2;Build', ST)]);
    expect(read('\u009d2;Build\u0007').sequences).toEqual([osc('2;Build')]);
    expect(read(osc('9;\ud83c and \udf89')).sequences).toEqual([osc('9;\ufffd and \ufffd')]);
  });

  it('hides nothing, and begins with no digit that ConEmu would take for an act', () => {
    expect(read(osc('0;safe\u202egnp.exe\u200b')).sequences).toEqual([
      osc('0;safe\ufffdgnp.exe\ufffd'),
    ]);
    for (const text of ['5 tests failed', '12 tests; 3 skipped', '4 files', '100', '1;2;3x'])
      expect(read(osc(`9;${text}`)).sequences).toEqual(/^1;/.test(text) ? [] : [osc(`9; ${text}`)]);
  });

  it('may have blanks around it', () => {
    expect(read(` ${osc('9;done')}\r\n`)).toMatchObject({
      sequences: [osc('9;done')],
      dropped: [],
    });
  });
});

describe('what is dropped', () => {
  test.each([
    ['the clipboard', osc('52;c;aGk='), 'OSC 52'],
    ['a folder', osc('7;file:///'), 'OSC 7'],
    ['a link', osc('8;;https://x'), 'OSC 8'],
    ['a file of iTerm2', osc('1337;File=:aGk='), 'OSC 1337'],
    ['a number that is no number', osc('09;x'), 'OSC 09'],
    ['a number without a text', osc('9'), 'OSC 9'],
    ['letters for a number', osc('l;x'), 'other escape sequences'],
    ['a program that ConEmu runs', osc('9;7;calc'), 'OSC 9;7'],
    ['a macro of ConEmu', osc('9;6;"print"'), 'OSC 9;6'],
    [
      'a notification of two lines',
      osc('9;line1\nline2'),
      'a sequence with control characters in it',
    ],
    ['one cut by a cancel', osc('9;a\u0018b', ST), 'a sequence with control characters in it'],
    ['a colour', `${ESC}[31m`, 'other escape sequences'],
    ['a clear screen', `${ESC}[2J`, 'other escape sequences'],
    ['a reset', `${ESC}c`, 'other escape sequences'],
    ['a string for the terminal', `${ESC}P${osc('9;x')}${ST}`, 'other escape sequences'],
    ['the same in one character', '\u009017\u009c', 'other escape sequences'],
    ['a control character', '\u0008', 'control characters'],
    ['one of C1', '\u0085', 'control characters'],
    ['words', 'done', 'text'],
    ['no end', `${ESC}]9;done`, 'a sequence without an end'],
    ['a string without an end', `${ESC}^9;done`, 'a sequence without an end'],
    ['a control character inside', `${ESC}]9;a\nb`, 'a sequence with control characters in it'],
    ['a lone escape', ESC, 'other escape sequences'],
    ['a long text', osc(`9;${'x'.repeat(2_001)}`), 'a text of more than 2000 characters'],
  ])('%s, which is told', (_, text, name) => {
    const { sequences, signals, dropped } = read(text);
    expect({ sequences, signals }).toEqual({ sequences: [], signals: [] });
    expect(dropped).toContain(name);
  });

  test.each([
    ...['i=1:p=?', 'a=-focus,report:i=1', 'c=1', 'i=1:c=2', 'c=', 'c=yes', 'p=close', 'p=icon'],
    ...['x=1', 'p=alive', 'i=1:'],
  ])('an OSC 99 with %s', (metadata) => {
    expect(read(osc(`99;${metadata};x`))).toEqual({
      ...{ sequences: [], signals: [], dropped: ['OSC 99 that does more than tell'] },
    });
  });

  test.each(['container;push;evil;toolbox;1000', 'precmd', 'notify', 'notify-x;a', ''])(
    'an OSC 777 with %s',
    (words) => {
      expect(read(osc(`777;${words}`)).dropped).toEqual(['OSC 777 other than notify']);
      expect(read(osc(`777;${words}`)).sequences).toEqual([]);
    },
  );

  it('does not take with it what stands around it', () => {
    const text = `${osc('2;a')}${osc('52;c;aGk=')}${ESC}[31m${BEL}x${ESC}]0;b${osc('9;c')}`;
    expect(read(text).sequences).toEqual([osc('2;a'), BEL, osc('9;c')]);
  });

  it('is also what comes after too much', () => {
    expect(read(BEL.repeat(5_000)).sequences).toHaveLength(20);
    expect(read(`${' '.repeat(20_000)}${BEL}`)).toMatchObject({
      sequences: [],
      dropped: ['what is behind 20000 characters'],
    });
  });
});

/** Tells whether it is one bell, or one whole sequence of the permitted numbers without control characters inside. */
function isPermitted(sequence: string): boolean {
  if (sequence === BEL) return true;
  const end = sequence.endsWith(BEL) ? BEL : ST;
  const text = sequence.slice(2, -end.length);
  const isWhole = sequence === osc(text, end) && sequence.isWellFormed();
  const [, code, words = ''] = /^(\d+);(.*)$/su.exec(text) ?? [];
  if (!isWhole || code === undefined || /[\p{Cc}\p{Cf}]/u.test(words)) return false;
  if (code === '777') return words.startsWith('notify;');
  if (code === '99') return /^(i=1)?(;|$)/.test(words);
  return code === '9' ? /^(\D|4(;|$)|$)/.test(words) : /^[012]$/.test(code);
}

test('nothing else ever gets through, in whatever order the pieces come', () => {
  const pieces = [
    ...[ESC, BEL, ST, `${ESC}]`, '\u009d', '\u009c', '\u0090', '\\', ']', '[', 'P', '\u0018', '\n'],
    ...['0;', '2;', '9;', '9;4;', '9;7;', '52;c;', '99;', '777;notify;', '1337;', ';', 'x', '31m'],
    ...['c=1', 'i=1:', 'p=?', '777;', 'precmd', '5'],
    ...['\ud83c', '\udf89', '\u0000', '\u007f', '\u0085', '\u202e', '🎉', ' '],
  ];
  let seed = 7;
  const next = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  let passed = 0;
  for (let round = 0; round < 4_000; round += 1) {
    const text = Array.from({ length: 1 + next(16) }, () => pieces[next(pieces.length)]).join('');
    const { sequences, signals } = read(text);
    passed += sequences.length;
    for (const sequence of sequences) if (!isPermitted(sequence)) expect(sequence).toBe('dropped');
    for (const signal of signals)
      for (const words of Object.values(signal)) expect(words).not.toMatch(/[\p{Cc}\u202e]/u);
  }
  expect(passed).toBeGreaterThan(500);
});

describe('what it means in a window', () => {
  test.each([
    [BEL, { kind: 'bell' }],
    [osc('0; Build\u202e '), { kind: 'title', text: 'Build\ufffd' }],
    [osc('2;'), { kind: 'title', text: '' }],
    [osc('9;Tests passed'), { kind: 'notification', title: '', body: 'Tests passed' }],
    [osc('777;notify;Build;a;b'), { kind: 'notification', title: 'Build', body: 'a;b' }],
    [osc('777;notify;Build'), { kind: 'notification', title: '', body: 'Build' }],
    [osc('99;;Hello'), { kind: 'notification', title: '', body: 'Hello' }],
    [osc('99;i=1:e=1;SGk='), { kind: 'notification', title: '', body: 'Hi' }],
  ])('%j', (text, signal) => {
    expect(read(text).signals).toEqual([signal]);
  });

  it('is one notification where kitty has several sequences, and none where it tells nobody anything', () => {
    const text = `${osc('99;i=1:d=0;Build')}${osc('99;i=1:p=body;done')}`;
    expect(read(text).signals).toEqual([{ kind: 'notification', title: 'Build', body: 'done' }]);
    for (const silent of [osc('9;4;1;50'), osc('777;notify;'), osc('99;i=1;'), osc('9;')])
      expect(read(silent).signals).toEqual([]);
  });
});

test('an answer has what is permitted, and tells what was dropped', () => {
  const reply = (terminalSequence: unknown) =>
    readReply('Stop', {
      ...{ kind: 'exited', exitCode: 0, stderr: '' },
      stdout: JSON.stringify({ terminalSequence }),
    });
  expect(reply(osc('9;done'))).toMatchObject({
    outcome: 'done',
    note: 'gave you a signal',
    terminal: { sequences: [osc('9;done')] },
  });
  // It is no fault of the answer: a guard with it has still decided.
  expect(reply(`${osc('52;c;x')}${BEL}`)).toMatchObject({
    outcome: 'done',
    dropped: ['OSC 52'],
    terminal: { sequences: [BEL] },
  });
  expect(reply(5)).toMatchObject({ outcome: 'done', dropped: ['what is no text'], terminal: null });
});

test('tmux and GNU screen are handed notifications in a wrapping, and the rest as it is', () => {
  const [note, title] = [osc('777;notify;a;b', ST), osc('2;a')];
  expect(forTerminal(note, {})).toBe(note);
  expect(forTerminal(note, { TMUX: '/tmp/tmux' })).toBe(
    `${ESC}Ptmux;${ESC}${ESC}]777;notify;a;b${ESC}${ESC}\\${ST}`,
  );
  expect(forTerminal(note, { STY: '1.x' })).toBe(`${ESC}P${ESC}]777;notify;a;b${BEL}${ST}`);
  expect(forTerminal(osc(`9;${'x'.repeat(700)}`), { STY: '1.x' })).toBe('');
  for (const plain of [title, BEL]) expect(forTerminal(plain, { TMUX: 'x', STY: 'x' })).toBe(plain);
});
