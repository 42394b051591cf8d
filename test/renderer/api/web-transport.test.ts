import { expect, test } from 'vitest';
import { NOT_ADMITTED } from '../../../src/renderer/api/transport';
import { dialWeb, type WebPlatform } from '../../../src/renderer/api/web-transport';

/** A browser whose sockets open or not, and whose host answers `status`; null is a host that is away. */
function platform(opens: boolean, status: number | null) {
  const asked: string[] = [];
  class Socket extends EventTarget {
    static readonly OPEN = 1;
    readyState = opens ? Socket.OPEN : 3;
    binaryType = 'blob';
    constructor(url: string) {
      super();
      asked.push(url);
      queueMicrotask(() => this.dispatchEvent(new Event(opens ? 'open' : 'close')));
    }
    close() {}
  }
  const fetch = async (url: unknown) => {
    asked.push(String(url));
    if (status === null) throw new TypeError('network');
    return new Response(null, { status });
  };
  const origin = 'http://127.0.0.1:1';
  return { asked, web: { origin, fetch, WebSocket: Socket } as unknown as WebPlatform };
}

const signal = new AbortController().signal;

test('a page that is admitted is connected with its first question', async () => {
  const { asked, web } = platform(true, 401);
  const dialled = await dialWeb(web)(signal);
  expect(dialled.ok).toBe(true);
  expect(asked).toEqual(['ws://127.0.0.1:1/rpc']);
});

test.each([
  ['a host that does not know the page', 401, NOT_ADMITTED],
  ['a host that refuses the page', 403, NOT_ADMITTED],
  ['a host that is away', null, 'unreachable'],
  ['a host that only drops the socket', 204, 'unreachable'],
])('a socket that does not open is explained: %s', async (_name, status, code) => {
  const { asked, web } = platform(false, status);
  const dialled = await dialWeb(web)(signal);
  expect(dialled.ok || dialled.error.code).toBe(code);
  expect(asked).toEqual(['ws://127.0.0.1:1/rpc', 'http://127.0.0.1:1/session']);
});
