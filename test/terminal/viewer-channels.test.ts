import { expect, test } from 'vitest';
import { openViewerChannels } from '../../src/main/terminal/client/viewer-channels';
import { ok } from '../../src/shared/result';
import { decodeFrame, encodeFrame, FrameKind, jsonPayload } from '../../src/shared/terminal-wire';

/** A host that notes which kinds of frames it gets. */
function fakeHost() {
  const kinds: (number | undefined)[] = [];
  const channel = {
    send: (bytes: Uint8Array) => void kinds.push(decodeFrame(bytes)?.kind),
    close: () => {},
  };
  return { kinds, state: 'ready' as const, openViewerChannel: async () => ok(channel) };
}

test('a pane that was detached from another host is forgotten there', async () => {
  const [own, other] = [fakeHost(), fakeHost()];
  const opened = await openViewerChannels({
    own,
    holder: () => other,
    onFrame: () => {},
    onClose: () => {},
  });
  if (!opened.ok) throw new Error(opened.error.message);
  const send = (kind: FrameKind, payload: Uint8Array = Buffer.of()) =>
    opened.value.send(encodeFrame({ kind, viewer: 1, payload }));
  send(FrameKind.attach, jsonPayload({ terminalId: 'there' }));
  send(FrameKind.detach);
  send(FrameKind.clear);
  expect(own.kinds).toEqual([FrameKind.clear]);
  await expect.poll(() => other.kinds).toEqual([FrameKind.attach, FrameKind.detach]);
});
