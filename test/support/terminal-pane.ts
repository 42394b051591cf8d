import { createRequire } from 'node:module';
import type { TerminalClient } from '../../src/main/terminal/client/terminal-client';
import {
  ackPayload,
  decodeFrame,
  encodeFrame,
  type Frame,
  FrameKind,
  jsonPayload,
  parseJsonPayload,
  parseSize,
  sizePayload,
} from '../../src/shared/terminal-wire';

const { Terminal } = createRequire(import.meta.url)(
  '@xterm/headless',
) as typeof import('@xterm/headless');

/** A pane as the screen has it: a real xterm fed by frames, acknowledging what it has parsed. */
export class TestPane {
  readonly terminal = new Terminal({
    cols: 80,
    rows: 24,
    scrollback: 5_000,
    allowProposedApi: true,
    logLevel: 'off',
  });
  /** Everything received as data, in order. */
  readonly data: Buffer[] = [];
  replays = 0;
  /** The largest number of bytes received and not yet acknowledged. */
  mostUnacked = 0;
  exit: unknown = null;
  refused: unknown = null;
  closed = false;
  #unacked = 0;
  #parsed: Promise<void> = Promise.resolve();
  #send: (frame: Uint8Array) => void = () => undefined;
  #close: () => void = () => undefined;
  readonly #changed = new EventTarget();

  private constructor(readonly acks: boolean) {}

  /** Opens a pane on a terminal. Without acks it is one that never keeps up. */
  static async open(
    client: TerminalClient,
    terminalId: string,
    options: { readonly acks?: boolean; readonly cols?: number; readonly rows?: number } = {},
  ): Promise<TestPane> {
    const pane = new TestPane(options.acks ?? true);
    const channel = await client.openViewerChannel(
      (bytes) => pane.#receive(decodeFrame(bytes)),
      () => {
        pane.closed = true;
        pane.#changed.dispatchEvent(new Event('change'));
      },
    );
    if (!channel.ok) throw new Error(channel.error.message);
    pane.#send = channel.value.send;
    pane.#close = channel.value.close;
    const { cols, rows } = options;
    pane.send(FrameKind.attach, jsonPayload({ terminalId, cols, rows }));
    return pane;
  }

  send(kind: FrameKind, payload: Uint8Array): void {
    this.#send(encodeFrame({ kind, viewer: 7, payload }));
  }

  type(text: string): void {
    this.send(FrameKind.input, Buffer.from(text));
  }

  resize(cols: number, rows: number): void {
    this.terminal.resize(cols, rows);
    this.send(FrameKind.resize, sizePayload(cols, rows));
  }

  ack(bytes: number): void {
    this.#unacked -= bytes;
    this.send(FrameKind.ack, ackPayload(bytes));
  }

  /** Acknowledges all that is open. */
  catchUp(): void {
    if (this.#unacked > 0) this.ack(this.#unacked);
  }

  /** Sends bytes that are no frame of ours. */
  sendRaw(bytes: Uint8Array): void {
    this.#send(bytes);
  }

  /** The text on screen with its scrollback, lines trimmed, empty lines at the end left out. */
  async text(): Promise<string> {
    await this.#parsed;
    return screenText(this.terminal);
  }

  /** Resolves as soon as the condition holds; looked at whenever something was parsed. */
  async until(condition: (pane: TestPane) => boolean | Promise<boolean>): Promise<void> {
    while (!(await condition(this)))
      await new Promise((resolve) =>
        this.#changed.addEventListener('change', resolve, { once: true }),
      );
  }

  async untilText(part: string): Promise<void> {
    await this.until(async (pane) => (await pane.text()).includes(part));
  }

  close(): void {
    this.#close();
    this.terminal.dispose();
  }

  #receive(frame: Frame | null): void {
    if (frame === null) throw new Error('The host sent something that is no frame.');
    const payload = Buffer.from(frame.payload);
    if (frame.kind === FrameKind.exit) this.exit = parseJsonPayload(payload);
    if (frame.kind === FrameKind.refused) this.refused = parseJsonPayload(payload);
    if (frame.kind === FrameKind.replay) this.#replay(payload);
    if (frame.kind === FrameKind.data) this.#write(payload);
    this.#changed.dispatchEvent(new Event('change'));
  }

  #replay(payload: Buffer): void {
    this.replays += 1;
    const size = parseSize(payload);
    const screen = payload.subarray(4);
    this.#parsed = this.#parsed.then(() => {
      this.terminal.reset();
      if (size !== null) this.terminal.resize(size.cols, size.rows);
      return new Promise((resolve) => this.terminal.write(screen, () => this.#done(resolve)));
    });
  }

  #write(payload: Buffer): void {
    this.data.push(payload);
    this.#unacked += payload.byteLength;
    this.mostUnacked = Math.max(this.mostUnacked, this.#unacked);
    this.#parsed = this.#parsed.then(
      () =>
        new Promise((resolve) =>
          this.terminal.write(payload, () => {
            if (this.acks) this.ack(payload.byteLength);
            this.#done(resolve);
          }),
        ),
    );
  }

  #done(resolve: () => void): void {
    resolve();
    this.#changed.dispatchEvent(new Event('change'));
  }
}

/** The lines of a terminal's normal or alternate buffer. */
export function screenText(terminal: InstanceType<typeof Terminal>): string {
  const { active } = terminal.buffer;
  const lines: string[] = [];
  for (let at = 0; at < active.length; at += 1)
    lines.push(active.getLine(at)?.translateToString(true) ?? '');
  return lines.join('\n').trimEnd();
}
