import type { TerminalChannel, Workbench } from '../../app/workbench';

/** Tells whether `data` is a request or an abort as oRPC writes it: JSON text with an id. */
export function isRpcMessage(data: unknown): data is string {
  if (typeof data !== 'string') return false;
  try {
    const value: unknown = JSON.parse(data);
    if (typeof value !== 'object' || value === null || !('i' in value)) return false;
    if ('t' in value && value.t !== 1) return value.t === 3 || value.t === 4;
    return 'p' in value && hasPath(value.p);
  } catch {
    return false;
  }
}

const hasPath = (payload: unknown): boolean =>
  typeof payload === 'object' &&
  payload !== null &&
  'u' in payload &&
  typeof payload.u === 'string' &&
  payload.u.startsWith('/');

/** Frames a page may send before the terminal host answers. */
const MAX_EARLY_FRAMES = 256;

/** The page's end of a terminal relay. */
export interface TerminalRelayPort {
  send(frame: Uint8Array): void;
  /** Hangs up; called once. `reason` is for a user, at most 120 characters. */
  close(reason: string): void;
}

/** A running relay of terminal frames. */
export interface TerminalRelay {
  /** Passes a frame of the page on. */
  fromPage(frame: Uint8Array): void;
  /** Ends the relay from the page's side, or because the page misbehaves. */
  end(reason: string): void;
}

/** Carries terminal frames between one page and the terminal host, unread, until either side ends. */
export function relayTerminals(
  page: TerminalRelayPort,
  workbench: Pick<Workbench, 'openTerminalChannel'>,
): TerminalRelay {
  const early: Uint8Array[] = [];
  let channel: TerminalChannel | null = null;
  let ended = false;
  const end = (reason: string) => {
    if (ended) return;
    ended = true;
    channel?.close();
    page.close(reason);
  };
  workbench
    .openTerminalChannel(
      (frame) => {
        if (!ended) page.send(frame);
      },
      () => end('The terminal host ended'),
    )
    .then((opened) => {
      if (!opened.ok) return end('The terminal host cannot be reached');
      channel = opened.value;
      if (ended) return channel.close();
      for (const frame of early.splice(0)) channel.send(frame);
    })
    .catch(() => end('The terminal host cannot be reached'));
  return {
    end,
    fromPage: (frame) => {
      if (channel !== null) channel.send(frame);
      else if (early.push(frame) > MAX_EARLY_FRAMES) end('Too many frames');
    },
  };
}
