import { err, fault, ok, type Result } from '../../shared/result';
import { dialPorts } from './port-transport';
import { type Dial, NOT_ADMITTED } from './transport';
import { dialWeb, type WebPlatform } from './web-transport';

/** The object the Electron preload exposes to the page. */
export interface LatheBridge {
  /** The real path of a dropped file or folder; browsers keep it to themselves. */
  getPathForFile(file: File): string;
}

declare global {
  interface Window {
    readonly lathe?: LatheBridge;
  }
}

/** Returns the way to connect that fits this page: ports under Electron, sockets in a browser. */
export function connect(page: Window & typeof globalThis): Dial {
  if (page.lathe) return dialPorts(page);
  const web: WebPlatform = {
    origin: page.location.origin,
    fetch: page.fetch.bind(page),
    WebSocket: page.WebSocket,
  };
  // A new link of the same host, opened in this tab, changes only the fragment.
  page.addEventListener('hashchange', () => {
    if (ticketOf(page.location.hash) !== null) page.location.reload();
  });
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

/** Returns the one-time ticket in a URL fragment (`#ticket=…`), or null. */
export function ticketOf(hash: string): string | null {
  const ticket = new URLSearchParams(hash.replace(/^#/, '')).get('ticket');
  return ticket === null || ticket === '' ? null : ticket;
}

/** The page's address, as far as a ticket is concerned. */
interface TicketPage {
  readonly location: Pick<Location, 'hash' | 'pathname' | 'search'>;
  readonly history: Pick<History, 'replaceState'>;
}

/** Takes the ticket out of the address bar and the history, before anything can store it. */
export function takeTicket(page: TicketPage): string | null {
  const ticket = ticketOf(page.location.hash);
  if (ticket !== null) {
    page.history.replaceState(null, '', page.location.pathname + page.location.search);
  }
  return ticket;
}

/** Exchanges a ticket for a session cookie. A used or unknown ticket fails with {@link NOT_ADMITTED}. */
export async function redeemTicket(
  ticket: string,
  web: { readonly origin: string; readonly fetch: typeof fetch },
  signal: AbortSignal,
): Promise<Result<null>> {
  try {
    const response = await web.fetch(`${web.origin}/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ticket }),
      signal,
    });
    return response.ok ? ok(null) : err(SPENT);
  } catch {
    return err(
      fault('unreachable', 'Lathe does not answer.', 'Check that `lathe serve` is still up.'),
    );
  }
}

const SPENT = {
  code: NOT_ADMITTED,
  message: 'This link has been used or has expired.',
  fix: 'Open the link Lathe printed in the terminal. Each link works once; `lathe serve` prints a new one.',
};
