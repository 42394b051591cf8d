import { dialPorts } from './port-transport';
import { redeemTicket, takeTicket } from './ticket';
import { type Dial, NOT_ADMITTED } from './transport';
import { dialWeb, type WebPlatform } from './web-transport';

/** What the Electron preload exposes to the page. */
export interface LatheBridge {
  /** The real path of a dropped file or folder; browsers keep it to themselves. */
  getPathForFile(file: File): string;
}

declare global {
  interface Window {
    readonly lathe?: LatheBridge;
  }
}

/** The way to connect that fits this page: ports under Electron, sockets in a browser. */
export function connect(page: Window & typeof globalThis): Dial {
  if (page.lathe) return dialPorts(page);
  const web: WebPlatform = {
    origin: page.location.origin,
    fetch: page.fetch.bind(page),
    WebSocket: page.WebSocket,
  };
  return dialWithTicket(takeTicket(page), web, dialWeb(web));
}

/**
 * Redeems the ticket before the first connection. A network failure keeps it for the next try; a refusal
 * drops it, and an old link still works in a browser whose cookie does.
 */
export function dialWithTicket(
  firstTicket: string | null,
  web: Pick<WebPlatform, 'origin' | 'fetch'>,
  dial: Dial,
): Dial {
  let ticket = firstTicket;
  return async (signal) => {
    if (ticket === null) return dial(signal);
    const redeemed = await redeemTicket(ticket, web, signal);
    if (!redeemed.ok && redeemed.error.code !== NOT_ADMITTED) return redeemed;
    ticket = null;
    const dialled = await dial(signal);
    return dialled.ok || redeemed.ok ? dialled : redeemed;
  };
}
