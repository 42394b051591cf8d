import { ok, type Result } from '../../../shared/result';
import {
  decodeFrame,
  encodeFrame,
  type Frame,
  FrameKind,
  jsonPayload,
  parseJsonPayload,
} from '../../../shared/terminal-wire';
import type { HostClient, ViewerChannel } from './host-client';

/** A host, as far as panes need it. */
type ViewerHost = Pick<HostClient, 'openViewerChannel' | 'state'>;

/** The receiver of a window's frames, and the listener for what comes back. */
interface Channels {
  /** Our own host, which gets the frames of all panes that are nowhere else. */
  readonly own: ViewerHost;
  /** Returns the host of a terminal. */
  holder(terminalId: string): ViewerHost;
  onFrame(frame: Uint8Array): void;
  onClose(): void;
}

/**
 * Opens a window's channel to our own host, and one to another host when a pane attaches to a terminal there. When a host is lost
 * all end, so that the window attaches its panes anew.
 */
export async function openViewerChannels(channels: Channels): Promise<Result<ViewerChannel>> {
  const { own, holder, onFrame } = channels;
  const others = new Map<ViewerHost, Promise<ViewerChannel | null>>();
  /** The hosts of the panes that are not in our own. */
  const elsewhere = new Map<number, ViewerHost>();
  let isOpen = true;
  const close = () => {
    isOpen = false;
    if (first.ok) first.value.close();
    for (const other of others.values()) void other.then((channel) => channel?.close());
  };
  const ended = () => {
    if (!isOpen) return;
    close();
    channels.onClose();
  };
  const open = async (host: ViewerHost): Promise<ViewerChannel | null> => {
    const channel = await host.openViewerChannel(onFrame, () => {
      others.delete(host);
      // One that was left has no terminals any more.
      if (host.state !== 'idle') ended();
    });
    if (channel.ok && !isOpen) channel.value.close();
    return channel.ok ? channel.value : null;
  };
  const send = async (host: ViewerHost, bytes: Uint8Array, { viewer, kind }: Frame) => {
    const opening = others.get(host) ?? open(host);
    others.set(host, opening);
    const channel = await opening;
    if (channel !== null) return channel.send(bytes);
    others.delete(host);
    const message = 'The terminal host of the other version of Lathe does not answer.';
    if (kind === FrameKind.attach)
      onFrame(encodeFrame({ kind: FrameKind.refused, viewer, payload: jsonPayload({ message }) }));
  };
  const first = await own.openViewerChannel(onFrame, ended);
  if (!first.ok) return first;
  return ok({
    close,
    send: (bytes) => {
      const frame = decodeFrame(bytes);
      if (frame === null) return;
      const host = holderOf(frame);
      if (host === own) first.value.send(bytes);
      else void send(host, bytes, frame);
    },
  });

  function holderOf({ kind, viewer, payload }: Frame): ViewerHost {
    if (kind !== FrameKind.attach) {
      const host = elsewhere.get(viewer) ?? own;
      if (kind === FrameKind.detach) elsewhere.delete(viewer);
      return host;
    }
    const request = parseJsonPayload(payload);
    const isRequest = typeof request === 'object' && request !== null && 'terminalId' in request;
    const host = isRequest ? holder(String(request.terminalId)) : own;
    if (host === own) elsewhere.delete(viewer);
    else elsewhere.set(viewer, host);
    return host;
  }
}
