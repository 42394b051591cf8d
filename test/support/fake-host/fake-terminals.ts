import {
  decodeFrame,
  encodeFrame,
  FrameKind,
  jsonPayload,
  parseJsonPayload,
  replayPayload,
} from '../../../src/shared/terminal-wire';

/** The canned screens of the fake terminals, by id. A terminal with an exit code has ended. */
const SCREENS: Readonly<Record<string, { text: string; exitCode?: number }>> = {
  t1: {
    text: [
      '',
      '  \x1b[32;1mVITE\x1b[39m v8.3.8\x1b[0m  \x1b[2mready in\x1b[0m \x1b[1m312\x1b[0m ms',
      '',
      '  \x1b[32m➜\x1b[39m  \x1b[1mLocal\x1b[0m:   \x1b[36mhttp://localhost:\x1b[1m5173\x1b[22m/\x1b[39m',
      '  \x1b[2m\x1b[32m➜\x1b[39m  Network: use --host to expose\x1b[0m',
      '',
      '\x1b[2m10:41:07\x1b[0m \x1b[36m[vite]\x1b[39m hmr update \x1b[2m/src/auth/require-user.ts\x1b[0m',
      '\x1b[2m10:41:09\x1b[0m \x1b[36m[vite]\x1b[39m page reload \x1b[2msrc/auth/callback.ts\x1b[0m',
      '',
    ].join('\r\n'),
  },
  t2: {
    text: [
      ' \x1b[1;46m RUN \x1b[0m vitest v5.1.1',
      '',
      ' \x1b[32m✓\x1b[0m src/tides/table.test.ts \x1b[2m(21 tests)\x1b[0m \x1b[33m 312ms\x1b[0m',
      ' \x1b[31m❯\x1b[0m src/auth/callback.test.ts \x1b[2m(9 tests | \x1b[31m1 failed\x1b[39m)\x1b[0m',
      '   \x1b[31m× keeps the query of the page people came from\x1b[0m',
      '',
      '\x1b[31mAssertionError\x1b[0m: expected \x1b[32m"/tides"\x1b[0m to be \x1b[31m"/tides?port=kiel"\x1b[0m',
      '',
      '\x1b[2m      Tests\x1b[0m  \x1b[1;31m1 failed\x1b[0m | \x1b[1;32m41 passed\x1b[0m (42)',
      '',
    ].join('\r\n'),
    exitCode: 1,
  },
  prompts: {
    text: Array.from(
      { length: 12 },
      (_, at) =>
        `\x1b]133;A\x07\x1b[32m❯\x1b[0m command ${at}\r\n\x1b]133;C\x07${'output\r\n'.repeat(9)}\x1b]133;D;${at % 2}\x07`,
    ).join(''),
  },
  links: { text: 'FAIL  src/auth/callback.test.ts:31:5\r\n' },
  colours: { text: '\x1b]4;1;#12ab34\x07\x1b[31mchosen\x1b[0m by the program\r\n' },
  lies: {
    text: '\x1b]8;;https://docs.example@collect.example/\x1b\\https://docs.example\x1b]8;;\x1b\\\r\n',
  },
  long: { text: Array.from({ length: 400 }, (_, at) => `line ${at + 1}\r\n`).join('') },
  t3: {
    text: '\x1b[1;34mtidewater\x1b[0m \x1b[2mon\x1b[0m \x1b[35mfix/login-redirect\x1b[0m\r\n\x1b[32m❯\x1b[0m ',
  },
};

/** Answers one connection's frames: canned screens, and an echo of what is typed. */
export function fakeTerminalLine(
  send: (frame: Uint8Array) => void,
  onTyped: (text: string) => void = () => {},
) {
  const encoder = new TextEncoder();
  const reply = (kind: FrameKind, viewer: number, payload: Uint8Array) =>
    send(encodeFrame({ kind, viewer, payload }));
  return (bytes: Uint8Array): void => {
    const frame = decodeFrame(bytes);
    if (frame === null) return;
    const { viewer, payload } = frame;
    if (frame.kind === FrameKind.input) {
      onTyped(new TextDecoder().decode(payload));
      const typed = new TextDecoder().decode(payload).replaceAll('\r', '\r\n');
      reply(FrameKind.data, viewer, encoder.encode(typed));
      return;
    }
    if (frame.kind !== FrameKind.attach) return;
    const request = parseJsonPayload(payload) as { terminalId?: string } | null;
    const id = request?.terminalId ?? '';
    // Shells that the page opens have t3's screen.
    const screen = SCREENS[id] ?? (/^t\d+$/.test(id) ? SCREENS['t3'] : undefined);
    if (!screen) {
      reply(FrameKind.refused, viewer, jsonPayload({ message: 'It is gone.' }));
      return;
    }
    reply(FrameKind.replay, viewer, replayPayload({ cols: 80, rows: 24, offset: 0 }));
    reply(FrameKind.replayPart, viewer, encoder.encode(screen.text));
    reply(FrameKind.caughtUp, viewer, new Uint8Array());
    if (screen.exitCode !== undefined) {
      reply(FrameKind.exit, viewer, jsonPayload({ exitCode: screen.exitCode }));
    }
  };
}
