import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Terminal } from '@xterm/headless';
import type { Terminal as PageTerminal } from '@xterm/xterm';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { AnnouncementScanner } from '../../../src/main/terminal/host/announcements';
import { ScreenMirror } from '../../../src/main/terminal/host/screen-mirror';
import { coreOf, newCell } from '../../../src/main/terminal/host/xterm-internals';
import { guardTerminal, resetAfterExit } from '../../../src/renderer/terminal/guards';
import { createByteMarkCutter } from '../../../src/renderer/ui/combining';
import { hidesSomething } from '../../../src/renderer/ui/visible-text';
import { bufferText } from '../../../src/shared/terminal-text';

/** Sample escape sequences that were given beside the repository; `LATHE_ESCAPE_SAMPLES` names another file of them. */
const NAMED = process.env['LATHE_ESCAPE_SAMPLES'];
const FILE =
  NAMED ?? join(import.meta.dirname, '../../../../shared/samples/terminal-escapes.sample.json');

const Samples = z.object({
  cases: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      context: z.string(),
      bytesBase64: z.string(),
      expect: z.record(z.string(), z.unknown()),
    }),
  ),
});
type Sample = z.infer<typeof Samples>['cases'][number];

const samples =
  NAMED !== undefined || existsSync(FILE)
    ? Samples.parse(JSON.parse(readFileSync(FILE, 'utf8'))).cases
    : [];

/** A pane that was given a sample, and all that it did. */
async function shown(bytes: Buffer) {
  const terminal = new Terminal({ allowProposedApi: true, cols: 80, rows: 24 });
  const clipboard: string[] = [];
  for (const code of [52, 5522])
    terminal.parser.registerOscHandler(code, (text) => clipboard.push(text) > 0);
  guardTerminal(terminal as unknown as Pick<PageTerminal, 'parser'>);
  let typed = '';
  terminal.onData((text) => {
    typed += text;
  });
  const cut = createByteMarkCutter();
  const write = (part: Uint8Array) =>
    new Promise<void>((resolve) => terminal.write(cut(part), resolve));
  await write(bytes);
  await write(Buffer.from('\r\nsentinel'));
  const reply = typed;
  return { terminal, write, clipboard, reply, typed: () => typed };
}

/** The addresses of the links that a terminal shows. */
function linksOf(terminal: Terminal): readonly string[] {
  const { buffers, _oscLinkService } = coreOf(terminal);
  const cell = newCell(terminal);
  const columns = Array.from({ length: terminal.cols }, (_, column) => column);
  return columns.flatMap((column) => {
    buffers.active.lines.get(0)?.loadCell(column, cell);
    return _oscLinkService.getLinkData(cell.extended.urlId)?.uri ?? [];
  });
}

type Shown = Awaited<ReturnType<typeof shown>>;

/**
 * What each expectation of a sample means here. Times and memory are bounded by the limit of a test, and links open at a
 * click with a modifier alone (`guards.process.test`).
 */
const CHECKS: Readonly<
  Record<string, (wanted: unknown, pane: Shown, bytes: Buffer) => void | Promise<void>>
> = {
  ...{ maxMs: () => {}, maxRssMB: () => {}, noCrash: () => {} },
  ...{ externalOpen: () => {}, linkOnClick: () => {} },
  sentinelVisible: (wanted, { terminal }) =>
    expect(bufferText(terminal).includes('sentinel')).toBe(wanted),
  reply: (wanted, { reply }) => expect(reply === '' ? null : reply).toBe(wanted),
  clipboardRead: (wanted, { clipboard }) => expect(clipboard.length > 0).toBe(wanted),
  clipboardWrite: (wanted, { clipboard }) => expect(clipboard.length > 0).toBe(wanted),
  notification: (wanted, _, bytes) => {
    const { rang, ...announced } = new AnnouncementScanner().scan(bytes);
    expect(Object.keys(announced).length > 0).toBe(wanted);
  },
  windowChange: (wanted, { terminal }) =>
    expect(terminal.cols !== 80 || terminal.rows !== 24).toBe(wanted),
  copyShowsHidden: (wanted, { terminal }, bytes) => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: every escape sequence begins with one
    const hidden = /\x1b\[8m([^\x1b]*)/.exec(bytes.toString())?.[1] ?? '';
    expect(hidden !== '' && bufferText(terminal).includes(hidden)).toBe(wanted);
  },
  inputStillWorks: (wanted, { terminal, reply, typed }) => {
    terminal.input('key');
    expect(typed() === `${reply}key`).toBe(wanted);
  },
  stateResetAfterExit: async (wanted, { terminal, write }) => {
    resetAfterExit(terminal);
    for (let time = 0; time < 2; time += 1) await write(Buffer.of());
    const { mouseTrackingMode, bracketedPasteMode, insertMode } = terminal.modes;
    const isReset = mouseTrackingMode === 'none' && !bracketedPasteMode && !insertMode;
    expect(isReset && terminal.buffer.active.type === 'normal').toBe(wanted);
  },
  shownEscaped: (wanted, _, bytes) => expect(hidesSomething(bytes.toString())).toBe(wanted),
  showTarget: (wanted, { terminal }, bytes) => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: every escape sequence begins with one
    const [, target] = /\x1b\]8;[^;]*;([^\x1b\x07]+)/.exec(bytes.toString()) ?? [];
    expect([...new Set(linksOf(terminal))].join() === target).toBe(wanted);
  },
};

describe.skipIf(samples.length === 0)('samples of what programs print', () => {
  test.each(samples)('$id in a pane: $name', async ({ bytesBase64, expect: wanted }: Sample) => {
    const bytes = Buffer.from(bytesBase64, 'base64');
    const pane = await shown(bytes);
    for (const [name, value] of Object.entries(wanted)) {
      const check = CHECKS[name];
      if (check === undefined) throw new Error(`No check for "${name}".`);
      await check(value, pane, bytes);
    }
  });

  test.each(samples)('$id in the terminal host: $name', async ({ bytesBase64 }: Sample) => {
    const mirror = new ScreenMirror(80, 24);
    mirror.push(Buffer.from(bytesBase64, 'base64'));
    mirror.push(Buffer.from('\r\nsentinel'));
    const picture = await mirror.snapshot();
    expect(picture).toMatchObject({ cols: 80, rows: 24 });
    expect(Buffer.concat(picture.pieces).toString()).toContain('sentinel');
  });
});
