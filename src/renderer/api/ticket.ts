import { err, fault, ok, type Result } from '../../shared/result';
import { NOT_ADMITTED } from './transport';

/** The one-time ticket in a URL fragment (`#ticket=…`), or null. */
export function ticketOf(hash: string): string | null {
  const ticket = new URLSearchParams(hash.replace(/^#/, '')).get('ticket');
  return ticket === null || ticket === '' ? null : ticket;
}

/** The page's address, as far as a ticket is concerned. */
export interface TicketPage {
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
