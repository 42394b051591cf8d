import type { WebSocket } from 'ws';
import type { TerminalChannel, Workbench } from '../../app/workbench';

/**
 * Viewers acknowledge what they parsed, so little is ever under way; a page that holds back more than this
 * is stuck. It is cut off, connects again, and gets its screens from the mirror. Bytes.
 */
const STUCK_BYTES = 16 * 1024 * 1024;
/** Frames a page may send before the terminal host answers. */
const MAX_EARLY_FRAMES = 256;
/** WebSocket close code "try again later". */
const TRY_AGAIN = 1013;

/** Carries terminal frames between one page and the terminal host, unread, until either side ends. */
export function relayTerminals(socket: WebSocket, workbench: Workbench): void {
  const early: Uint8Array[] = [];
  let channel: TerminalChannel | null = null;
  let ended = false;
  const end = (reason: string) => {
    if (ended) return;
    ended = true;
    channel?.close();
    socket.close(TRY_AGAIN, reason);
  };
  socket.on('message', (data, isBinary) => {
    if (!isBinary || !(data instanceof Buffer)) return end('Only binary frames');
    if (channel !== null) channel.send(data);
    else if (early.push(data) > MAX_EARLY_FRAMES) end('Too many frames');
  });
  socket.on('close', () => end('Closed'));
  const toPage = (frame: Uint8Array) => {
    if (ended) return;
    socket.send(frame);
    if (socket.bufferedAmount > STUCK_BYTES) {
      end('Too slow');
      socket.terminate();
    }
  };
  workbench
    .openTerminalChannel(toPage, () => end('The terminal host ended'))
    .then((opened) => {
      if (!opened.ok) return end('The terminal host cannot be reached');
      channel = opened.value;
      if (ended) return channel.close();
      for (const frame of early.splice(0)) channel.send(frame);
    })
    .catch(() => end('The terminal host cannot be reached'));
}
