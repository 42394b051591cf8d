import type { TerminalClient } from '../../src/main/terminal/client/terminal-client';
import { SCROLLBACK_LINES } from '../../src/shared/terminal';
import {
  ackPayload,
  decodeFrame,
  encodeFrame,
  type Frame,
  FrameKind,
  jsonPayload,
  parseJsonPayload,
  parseReplay,
  sizePayload,
} from '../../src/shared/terminal-wire';
import { createTerminal, type HeadlessTerminal } from './terminal-state';

/** Far more than any wait of a test takes, also on a machine in use. Milliseconds. */
const PATIENCE_MS = 60_000;

/** A pane as the screen has it: a real xterm fed by frames, acknowledging what it has parsed. */
export class TestPane {
  readonly terminal: HeadlessTerminal;
  /** Everything received as data, in order. */
  readonly data: Buffer[] = [];
  replays = 0;
  /** Pieces of replays. */
  parts = 0;
  /** Where in the terminal's output the pane stands; null until it has a whole screen. */
  offset: number | null = null;
  /** The largest number of bytes received and not yet acknowledged. */
  mostUnacked = 0;
  exit: unknown = null;
  refused: unknown = null;
  closed = false;
  #disconnected = false;
  #unacked = 0;
  #replaying = 0;
  #parsed: Promise<void> = Promise.resolve();
  #send: (frame: Uint8Array) => void = () => undefined;
  #close: () => void = () => undefined;
  readonly #changed = new EventTarget();

  private constructor(
    readonly acks: boolean,
    from?: TestPane,
  ) {
    this.terminal = from?.terminal ?? createTerminal(80, 24, SCROLLBACK_LINES);
    this.offset = from?.offset ?? null;
  }

  /** Opens a pane on a terminal. Without acks it is one that never keeps up. */
  static async open(
    client: Pick<TerminalClient, 'openViewerChannel'>,
    terminalId: string,
    options: {
      readonly acks?: boolean;
      readonly cols?: number;
      readonly rows?: number;
      /** Goes on with the screen of a pane whose connection ended. */
      readonly from?: TestPane;
    } = {},
  ): Promise<TestPane> {
    const pane = new TestPane(options.acks ?? true, options.from);
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
    const shown = pane.offset === null ? {} : sizeOf(pane.terminal);
    const { cols, rows } = { ...shown, ...options };
    const since = pane.offset ?? undefined;
    pane.send(FrameKind.attach, jsonPayload({ terminalId, cols, rows, since }));
    return pane;
  }

  send(kind: FrameKind, payload: Uint8Array): void {
    this.#send(encodeFrame({ kind, viewer: 7, payload }));
  }

  type(text: string): void {
    this.send(FrameKind.input, Buffer.from(text));
  }

  /** Resizes the screen once it is whole, as the page does: a replay that is under way is written for its own size. */
  async resize(cols: number, rows: number): Promise<void> {
    await this.until((one) => one.offset !== null);
    await this.#parsed;
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

  /** Resolves when all that was received is parsed. */
  parsed(): Promise<void> {
    return this.#parsed;
  }

  /** The text on screen with its scrollback, lines trimmed, empty lines at the end left out. */
  async text(): Promise<string> {
    await this.#parsed;
    return screenText(this.terminal);
  }

  /**
   * Resolves as soon as the condition holds, which is looked at whenever something was parsed. Throws with what is on
   * screen when that takes longer than {@link PATIENCE_MS}.
   */
  async until(condition: (pane: TestPane) => boolean | Promise<boolean>): Promise<void> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => reject(new Error(this.#describe(String(condition)))),
      PATIENCE_MS,
    );
    const changed = async () => {
      while (!(await condition(this)))
        await new Promise((resolve) =>
          this.#changed.addEventListener('change', resolve, { once: true }),
        );
    };
    await Promise.race([changed(), late]).finally(() => clearTimeout(timer));
  }

  #describe(wanted: string): string {
    const { offset, replays, parts, data, exit, refused, closed } = this;
    const bytes = data.reduce((sum, { byteLength }) => sum + byteLength, 0);
    const state = { offset, replays, parts, bytes, exit, refused, closed };
    const text = screenText(this.terminal).slice(-2_000);
    return `Not so after ${PATIENCE_MS} ms: ${wanted}\n${JSON.stringify(state)}\n${text}`;
  }

  async untilText(part: string): Promise<void> {
    await this.until(async (pane) => (await pane.text()).includes(part));
  }

  close(): void {
    this.#close();
    this.terminal.dispose();
  }

  /** Ends the connection; the screen stays as it is. */
  disconnect(): void {
    this.#disconnected = true;
    this.#close();
  }

  #receive(frame: Frame | null): void {
    // The host may send on until it hears that nobody listens.
    if (this.#disconnected) return;
    if (frame === null) throw new Error('The host sent something that is no frame.');
    const payload = Buffer.from(frame.payload);
    if (frame.kind === FrameKind.exit) this.exit = parseJsonPayload(payload);
    if (frame.kind === FrameKind.refused) this.refused = parseJsonPayload(payload);
    if (frame.kind === FrameKind.replay) this.#replay(payload);
    if (frame.kind === FrameKind.replayPart) this.#part(payload);
    if (frame.kind === FrameKind.caughtUp) this.#caughtUp();
    if (frame.kind === FrameKind.data) this.#write(payload);
    this.#changed.dispatchEvent(new Event('change'));
  }

  #replay(payload: Buffer): void {
    const start = parseReplay(payload);
    if (start === null) throw new Error('The host sent a malformed replay.');
    this.offset = null;
    this.#replaying = start.offset;
    this.#parsed = this.#parsed.then(() => {
      this.terminal.reset();
      this.terminal.resize(start.cols, start.rows);
    });
  }

  #part(payload: Buffer): void {
    this.parts += 1;
    this.#writeAcked(payload);
  }

  #caughtUp(): void {
    if (this.offset === null) this.replays += 1;
    this.offset ??= this.#replaying;
    this.#parsed = this.#parsed.then(() => this.#done(() => undefined));
  }

  #write(payload: Buffer): void {
    this.data.push(payload);
    if (this.offset !== null) this.offset += payload.byteLength;
    this.#writeAcked(payload);
  }

  #writeAcked(payload: Buffer): void {
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

const sizeOf = ({ cols, rows }: HeadlessTerminal) => ({ cols, rows });

/** The lines of a terminal's normal or alternate buffer. */
export function screenText(terminal: HeadlessTerminal): string {
  const { active } = terminal.buffer;
  const lines: string[] = [];
  for (let at = 0; at < active.length; at += 1)
    lines.push(active.getLine(at)?.translateToString(true) ?? '');
  return lines.join('\n').trimEnd();
}
