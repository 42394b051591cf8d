import { err, type Fault, fault, type Result } from '../../shared/result';
import type { Client } from '../api/transport';

/** One call of the contract whose failure is always a value, a lost connection included. */
export type Ask = <T>(call: (client: Client) => Promise<Result<T>>) => Promise<Result<T>>;

/** A client, and the signal that aborts when its connection is gone. */
export interface Connected {
  readonly client: Client;
  readonly lost: AbortSignal;
}

/** Asks whatever connection there is at the moment of the call. One that is lost meanwhile answers at once. */
export const createAsk =
  (connected: () => Connected | null): Ask =>
  async (call) => {
    const now = connected();
    if (now === null || now.lost.aborted) return err(OFFLINE);
    try {
      return await unlessLost(call(now.client), now.lost);
    } catch (thrown) {
      return err(faultOf(thrown));
    }
  };

/** Passes an answer on; rejects when the connection is lost first, for a dead socket may take long to say so. */
const unlessLost = <T>(answer: Promise<T>, lost: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const end = () => reject(lost.reason);
    lost.addEventListener('abort', end, { once: true });
    answer.then(resolve, reject).finally(() => lost.removeEventListener('abort', end));
  });

/** Returns words for what a call threw: a lost connection, an input the contract refuses, or a bug. */
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
  'The connection to Lathe is interrupted.',
  'Try again when it is back.',
);
