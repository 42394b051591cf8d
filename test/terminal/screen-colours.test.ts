import { expect, test } from 'vitest';
import { keepSequences } from '../../src/main/terminal/host/screen-backlog';
import { ScreenMirror, type Snapshot } from '../../src/main/terminal/host/screen-mirror';
import type { ColourTerminal } from '../../src/shared/terminal-palette';
import { createTerminal, writeTo } from '../support/terminal-state';

const mirrorOf = (...output: string[]) => {
  const mirror = new ScreenMirror(80, 24);
  for (const part of output) mirror.push(Buffer.from(part));
  return mirror;
};

/** The colours that a pane was told to use by a picture, oldest first; null for the usual one. */
async function coloursOf({ cols, rows, pieces }: Snapshot): Promise<Record<number, string>> {
  const terminal = createTerminal(cols, rows);
  const { _inputHandler } = Reflect.get(terminal, '_core') as ColourTerminal['_core'];
  let colours: Record<number, string> = {};
  _inputHandler.onColor((changes) => {
    for (const { type, index, color } of changes) {
      if (type === 1 && index !== undefined) colours[index] = String(color);
      if (type === 2 && index === undefined)
        colours = Object.fromEntries(Object.entries(colours).filter(([at]) => Number(at) > 255));
      if (type === 2 && index !== undefined) delete colours[index];
    }
  });
  await writeTo(terminal, Buffer.concat(pieces));
  return colours;
}

const OSC = '\x1b]';

const chosen = `${OSC}4;1;#ff0000;200;rgb:00/80/ff\x07${OSC}10;#111111\x07${OSC}11;#eeeeee\x07${OSC}12;#00ff00\x07`;
const all = {
  ...{ 1: '255,0,0', 200: '0,128,255' },
  ...{ 256: '17,17,17', 257: '238,238,238', 258: '0,255,0' },
};

test.each<[string, string, Record<number, string>]>([
  ['stay', chosen, all],
  ['stay through a full reset, as in a pane', `${chosen}\x1bc`, all],
  [
    'go one by one',
    `${chosen}${OSC}104;1\x07${OSC}111\x07`,
    { 200: all[200], 256: all[256], 258: all[258] },
  ],
  ['go together', `${chosen}${OSC}104\x07`, { 256: all[256], 257: all[257], 258: all[258] }],
  ['are those chosen last', `${chosen}${OSC}4;1;#010203\x07`, { ...all, 1: '1,2,3' }],
  ['are not asked for again', `${OSC}4;1;?\x07${OSC}11;?\x07`, {}],
])('colours that a program chose %s', async (_what, output, colours) => {
  const mirror = mirrorOf(output);
  expect(await coloursOf(await mirror.snapshot())).toEqual(colours);
  await mirror.rest();
  mirror.push(Buffer.from('more'));
  expect(await coloursOf(await mirror.snapshot())).toEqual(colours);
});

test('colours that went are taken from a pane that still has them', async () => {
  const { pieces } = await mirrorOf(chosen, `${OSC}104\x07${OSC}110\x07`).snapshot();
  const text = Buffer.concat(pieces).toString();
  for (const code of [104, 110, 111, 112]) expect(text).toContain(`${OSC}${code}\x07`);
});

test('colours cost a picture nothing where there are none', async () => {
  const { pieces } = await mirrorOf('hello').snapshot();
  expect(Buffer.concat(pieces).toString()).not.toContain(OSC);
});

test('colours outlive the text that is left out of a long backlog', () => {
  const restored = `${OSC}104;3\x1b\\${OSC}110\x07`;
  const old = `${chosen}text${OSC}0;title\x07${OSC}8;;http://a.example\x07link${restored}`;
  expect(keepSequences(Buffer.from(old)).toString()).toBe(chosen + restored);
});
