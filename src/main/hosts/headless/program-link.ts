import { err, ok, type Result } from '../../../shared/result';
import type { Json } from './api-shape';

/** Requests of Lathe to the program that drives it, and their answers. */
export interface ProgramLink {
  /**
   * Asks and waits. The error says why there is no answer: the program refused, went away, or the signal aborted, which
   * withdraws the request. It is never an answer.
   */
  ask(request: Json, signal: AbortSignal): Promise<Result<Json, string>>;
  /** Takes an answer; one to nothing that was asked is left alone. */
  answered(response: unknown): void;
  /** Nothing comes from the program any more: whatever waits has no answer. */
  close(): void;
}

/** Creates a link that sends through `send`. `uuid` names requests. */
export function createProgramLink(
  send: (line: Json) => Promise<void>,
  uuid: () => string,
): ProgramLink {
  const waiting = new Map<string, (answer: Result<Json, string>) => void>();
  let closed = false;
  return {
    ask: (request, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve(err('it was withdrawn'));
        if (closed) return resolve(err(GONE));
        const id = uuid();
        const settle = (answer: Result<Json, string>) => {
          waiting.delete(id);
          signal.removeEventListener('abort', withdraw);
          resolve(answer);
        };
        const withdraw = () => {
          settle(err('it was withdrawn'));
          send({ type: 'control_cancel_request', request_id: id }).catch(() => {});
        };
        signal.addEventListener('abort', withdraw, { once: true });
        waiting.set(id, settle);
        send({ type: 'control_request', request_id: id, request }).catch(() => settle(err(GONE)));
      }),
    answered: (response) => {
      if (!isObject(response)) return;
      const settle = waiting.get(String(response['request_id']));
      if (settle === undefined) return;
      const { response: given, error } = response;
      if (response['subtype'] !== 'success') {
        return settle(err(typeof error === 'string' ? error : 'the program refused'));
      }
      if (isObject(given)) return settle(ok(given));
      // A callback that returns nothing has nothing to say; anything else may have been meant as a denial.
      settle(given === undefined || given === null ? ok({}) : err('its answer is no object'));
    },
    close: () => {
      closed = true;
      for (const settle of [...waiting.values()]) settle(err(GONE));
    },
  };
}

const GONE = 'the program that drives Lathe is gone';

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
