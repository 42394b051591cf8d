import { expect, test } from 'vitest';
import { createCell } from '../../../src/renderer/terminal/cell';
import type {
  createLiveTerminal,
  LiveTerminal,
} from '../../../src/renderer/terminal/live-terminal';
import {
  TERMINAL_FONT,
  type TerminalLook,
  terminalLook,
} from '../../../src/renderer/terminal/look';
import { createTerminalPool, LIVE_TERMINALS } from '../../../src/renderer/terminal/terminal-pool';
import {
  endText,
  shownTerminal,
  takesTheFront,
  terminalToType,
  visibleTerminals,
} from '../../../src/renderer/terminal/visible-terminals';
import { isHardware } from '../../../src/renderer/terminal/xterm';
import type { TerminalInfo } from '../../../src/shared/terminal';

const terminal = (id: string, over: Partial<TerminalInfo> = {}): TerminalInfo => ({
  ...{ id, kind: 'command', sessionId: 's1', project: '/p', title: id, cwd: '/p' },
  ...{ pid: 1, cols: 80, rows: 24, startedAt: 0 },
  ...over,
});
const ended = { endedAt: 5, exitCode: 0 };

test('tabs: shells of the project, live commands of the session, background tasks that ended', () => {
  const all = [
    terminal('live'),
    terminal('foreground-over', ended),
    terminal('background-over', { ...ended, taskId: 'b_1', startedAt: 3 }),
    terminal('other-session', { sessionId: 's2' }),
    terminal('shell', { kind: 'shell', sessionId: '', startedAt: 2 }),
    terminal('shell-over', { kind: 'shell', ...ended, startedAt: 4 }),
    terminal('other-shell', { kind: 'shell', project: '/q' }),
  ];
  const ids = (chosen: string | null) => visibleTerminals(all, '/p', 's1', chosen).map((t) => t.id);
  expect(ids(null)).toEqual(['live', 'shell', 'background-over', 'shell-over']);
  expect(ids('foreground-over')).toContain('foreground-over');
});

test('the chosen terminal is shown, else the newest alive, else the newest', () => {
  const [a, b, c] = [terminal('a'), terminal('b'), terminal('c', ended)];
  expect(shownTerminal([a, b, c], 'a')?.id).toBe('a');
  expect(shownTerminal([a, b, c], 'gone')?.id).toBe('b');
  expect(shownTerminal([c], null)?.id).toBe('c');
  expect(shownTerminal([], 'a')).toBeNull();
});

test.each([
  [[terminal('over', { ...ended, taskId: 'b_1' })], 'over', null],
  [[terminal('over', ended), terminal('live')], null, 'live'],
  [[terminal('shell-over', { kind: 'shell', ...ended })], null, 'shell-over'],
  [[terminal('over', ended), terminal('shell', { kind: 'shell' })], 'over', 'over'],
  [[], null, null],
] as const)('of %j with %s chosen, one types in %s', (visible, chosen, id) => {
  expect(terminalToType(visible, chosen)?.id ?? null).toBe(id);
});

test('a newcomer never pushes a live shell away', () => {
  expect(takesTheFront(terminal('s', { kind: 'shell' }))).toBe(false);
  expect(takesTheFront(terminal('s', { kind: 'shell', ...ended }))).toBe(true);
  expect(takesTheFront(terminal('c'))).toBe(true);
  expect(takesTheFront(null)).toBe(true);
});

test.each([
  [{ exitCode: 0 }, 'exited with code 0'],
  [{ exitCode: 1, lost: true }, 'exited with code 1'],
  [{ exitCode: null, signal: 9 }, 'ended by signal 9'],
  [{ exitCode: null, lost: true }, 'ended with its terminal host; this is what was seen of it'],
  [{ exitCode: null }, 'ended'],
  [{}, 'ended'],
])('%j: %s', (info, text) => expect(endText(info)).toBe(text));

test('only a graphics card draws with WebGL', () => {
  expect(isHardware('ANGLE (NVIDIA, NVIDIA GeForce RTX 4070, OpenGL 4.6)')).toBe(true);
  expect(isHardware('ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device), SwiftShader driver)')).toBe(
    false,
  );
  expect(isHardware('llvmpipe (LLVM 19.1.0, 256 bits)')).toBe(false);
  expect(isHardware('')).toBe(false);
});

/** A pool whose terminals only say when they were let go, and whose emulator comes when `come` or `fail` is called. */
function absentPool() {
  const gone: string[] = [];
  const made: string[] = [];
  const focused: string[] = [];
  const looks: TerminalLook[] = [];
  const asked: PromiseWithResolvers<typeof createLiveTerminal>[] = [];
  const created = createTerminalPool({
    link: {
      useTransport: () => {},
      expectViewer: () => {},
      attach: () => expect.unreachable(),
    },
    load: () => {
      const next = Promise.withResolvers<typeof createLiveTerminal>();
      asked.push(next);
      return next.promise;
    },
    theme: () => ({}),
    scrolledUp: () => 0,
    lastSeen: () => null,
    isCommand: () => false,
    keyMeaning: () => 'program' as const,
    copy: () => {},
    openLink: () => {},
    openFile: () => {},
  });
  const make: typeof createLiveTerminal = (id, { look }) => {
    made.push(id);
    looks.push(look);
    return {
      dispose: () => gone.push(id),
      focus: () => focused.push(id),
      setTheme: () => {},
      setLook: (look: TerminalLook) => looks.push(look),
    } as unknown as LiveTerminal;
  };
  return {
    ...{ created, gone, made, looks, focused, asked },
    come: () => asked.at(-1)?.resolve(make),
    fail: () => asked.at(-1)?.reject(new Error('no such file')),
  };
}

async function pool() {
  const parts = absentPool();
  const loaded = parts.created.load();
  parts.come();
  await loaded;
  return parts;
}

test('until the emulator has come nothing is mirrored, and it is loaded once', async () => {
  const { created, made, focused, asked, come } = absentPool();
  const phases: string[] = [];
  created.emulator.subscribe(() => phases.push(created.emulator.get().phase));
  expect(created.get('a')).toBeNull();
  created.focus('a');
  created.focus('b');
  const loaded = Promise.all([created.load(), created.load()]);
  come();
  await loaded;
  expect(asked.length).toBe(1);
  expect(phases).toEqual(['ready']);
  // Only what was asked for last.
  expect([made, focused]).toEqual([['b'], ['b']]);
  created.focus('a');
  expect(focused).toEqual(['b', 'a']);
});

test('an emulator that cannot be loaded is told, and tried again when asked for', async () => {
  const { created, asked, fail, come } = absentPool();
  const first = created.load();
  fail();
  await first;
  expect(created.emulator.get().phase).toBe('failed');
  expect(created.get('a')).toBeNull();
  const second = created.load();
  come();
  await second;
  expect(asked.length).toBe(2);
  expect(created.emulator.get().phase).toBe('ready');
  expect(created.get('a')).not.toBeNull();
});

test('a terminal is mirrored once, and at most a dozen at a time', async () => {
  const { created, gone, made } = await pool();
  expect(created.get('t0')).toBe(created.get('t0'));
  for (let i = 1; i <= LIVE_TERMINALS; i += 1) created.get(`t${i}`);
  expect(gone).toEqual(['t0']);
  created.get('t0');
  expect(made.filter((id) => id === 't0').length).toBe(2);
});

test('terminals that the engine forgot are let go', async () => {
  const { created, gone } = await pool();
  created.get('a');
  created.get('b');
  created.keepOnly(new Set(['b']));
  expect(gone).toEqual(['a']);
});

test('a cell tells its listeners only what is new', () => {
  const cell = createCell({ a: 1, b: 2 });
  let told = 0;
  const end = cell.subscribe(() => {
    told += 1;
  });
  cell.change({ a: 1 });
  cell.change({ a: 2 });
  end();
  cell.change({ a: 3 });
  expect(told).toBe(1);
  expect(cell.get()).toEqual({ a: 3, b: 2 });
});

test('preferences become options of the emulator, and what is absent is as usual', () => {
  expect(terminalLook({}, 1)).toEqual({
    fontFamily: TERMINAL_FONT,
    fontSize: 13,
    cursorStyle: 'bar',
    cursorBlink: false,
    scrollback: 10_000,
    screenReaderMode: false,
  });
  const chosen = { fontFamily: "3270 Nerd Font, 'Iosevka'", fontSize: 14, screenReader: true };
  expect(terminalLook({ ...chosen, cursorStyle: 'block', scrollback: 500 }, 1.5)).toMatchObject({
    fontFamily: `"3270 Nerd Font", "Iosevka", ${TERMINAL_FONT}`,
    fontSize: 21,
    cursorStyle: 'block',
    scrollback: 500,
    screenReaderMode: true,
  });
  expect(terminalLook({ fontFamily: 'x"; } * { color: red' }, 1).fontFamily).toBe(
    `"x    color red", ${TERMINAL_FONT}`,
  );
});

test('a new look reaches the terminals that are there and those that come', async () => {
  const { created, looks } = await pool();
  created.get('a');
  const larger = terminalLook({ fontSize: 20 }, 1);
  created.setLook(larger);
  created.get('b');
  expect(looks).toEqual([terminalLook({}, 1), larger, larger]);
});
