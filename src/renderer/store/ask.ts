import { err, type Fault, fault, type Result } from '../../shared/result';
import type { Client } from '../api/transport';

/** One call of the contract whose failure is always a value, a lost connection included. */
export type Ask = <T>(call: (client: Client) => Promise<Result<T>>) => Promise<Result<T>>;

/** Asks whatever connection there is at the moment of the call. */
export const createAsk =
  (client: () => Client | null): Ask =>
  async (call) => {
    const now = client();
    if (now === null) return err(OFFLINE);
    try {
      return await call(now);
    } catch (thrown) {
      return err(faultOf(thrown));
    }
  };

/** Words for what a call threw: a lost connection, an input the contract refuses, or a bug. */
export function faultOf(thrown: unknown): Fault {
  const code = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : '';
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  if (code === 'BAD_REQUEST') {
    return fault(
      'bad_request',
      'Lathe could not accept that input.',
      'Shorten or correct it and try again.',
    );
  }
  if (code === 'INTERNAL_SERVER_ERROR' || code === 'NOT_FOUND') {
    return fault(
      'internal',
      `Lathe hit a problem: ${message}`,
      'Try again; the log has the details.',
    );
  }
  return OFFLINE;
}

const OFFLINE = fault(
  'offline',
  'The connection to Lathe is interrupted, so nothing was sent.',
  'Try again when the status bar says connected.',
);
