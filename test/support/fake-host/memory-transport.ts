import { createRouterClient } from '@orpc/server';
import { createClosing, type Transport } from '../../../src/renderer/api/transport';
import { ok } from '../../../src/shared/result';
import type { FakeEngine } from './fake-engine';
import { fakeTerminalLine } from './fake-terminals';

/** A connection to a fake engine without a wire: every call goes through the contract's own checks. */
export function memoryTransport(engine: FakeEngine): Transport {
  const closing = createClosing();
  return {
    client: createRouterClient(engine.router),
    heard: () => 0,
    close: closing.close,
    onClosed: closing.onClosed,
    openTerminalFrames: async (onFrame, onClose) => {
      const line = fakeTerminalLine(onFrame);
      closing.onClosed(onClose);
      return ok({ send: line, close: () => {} });
    },
  };
}
