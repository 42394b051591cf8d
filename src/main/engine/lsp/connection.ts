import type { Message, MessageReader, MessageWriter } from 'vscode-jsonrpc';
import { plainLine } from '../../../shared/plain-line';
import { err, ok, type Result } from '../../../shared/result';
import { inTime } from '../mcp/in-time';
import type { Clock, CommandSpec, Commands } from '../ports';
import { createFrameReader, framed } from './framing';

/** The most of a server's standard error that is kept for messages. Bytes. */
const MAX_STDERR_BYTES = 4096;
/** The longest words of a server that are told. Characters. */
const MAX_WORDS = 500;
/** A server that leaves so many requests without an answer is not asked any more. */
const MAX_OPEN_REQUESTS = 200;
/** A server that asks more at a time is ended: nothing that works together with others does. */
const MAX_ASKED_AT_ONCE = 1000;
/** A server that leaves more unread is ended. Characters. */
export const MAX_UNREAD = 64 * 1024 * 1024;

/** The reason that there is no answer. `code` is the server's own, where it has one. */
interface AnswerFault {
  readonly message: string;
  readonly code?: number;
  readonly data?: unknown;
}

/** The party that a server asks and tells. */
export interface ConnectionEvents {
  /** Answers a request; undefined: nobody here knows it. */
  onRequest(method: string, params: unknown): unknown;
  onNotification(method: string, params: unknown): void;
}

/** A running server, and the line to it. Nothing here rejects. */
export interface LspConnection {
  request(
    method: string,
    params: unknown,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<Result<unknown, AnswerFault>>;
  notify(method: string, params?: unknown): void;
  /** Returns the last lines that it printed on standard error. */
  printed(): string;
  /** Resolves when it is gone, with the reason. */
  readonly ended: Promise<string>;
  /** Ends it and everything that grew from it. */
  end(): Promise<void>;
}

/**
 * Starts a server and connects to it. Requests, answers and cancellation are the library's; framing is our own, because the
 * library's keeps a message of any length, and nothing here may.
 */
export async function connect(
  { clock, commands }: { readonly clock: Clock; readonly commands: Pick<Commands, 'start'> },
  command: Pick<CommandSpec, 'id' | 'argv' | 'cwd' | 'env'>,
  events: ConnectionEvents,
): Promise<LspConnection> {
  const rpc = await import('vscode-jsonrpc/node');
  const bodiesOf = createFrameReader();
  let broken: string | null = null;
  let deliver = (_message: Message) => {};

  const breakOff = (why: string): void => {
    broken ??= why;
    end();
  };
  /** The ids of requests to the server without an answer, and the number of its own. */
  const sent = new Set<string>();
  let asked = 0;
  /** Hands on a message. The library puts each into a queue without a bound, so it is given answers and requests alone. */
  const take = (message: Message): void => {
    const { id, method, params } = message as Message & Readonly<Record<string, unknown>>;
    if (typeof method !== 'string') {
      if (sent.delete(String(id))) deliver(message);
    } else if (typeof id !== 'number' && typeof id !== 'string') {
      events.onNotification(method, params);
    } else {
      asked += 1;
      if (asked > MAX_ASKED_AT_ONCE) throw new Error(TOO_MUCH);
      deliver(message);
    }
  };
  const receive = (chunk: Uint8Array): void => {
    if (broken !== null) return;
    try {
      for (const body of bodiesOf(chunk)) take(messageIn(body));
    } catch (thrown) {
      breakOff(thrown instanceof Error ? thrown.message : String(thrown));
    }
  };
  const program = commands.start({ ...command, maxBytes: MAX_STDERR_BYTES }, receive);
  const silent = () => ({ dispose: () => {} });
  const reader: MessageReader = {
    ...{ onError: silent, onClose: silent, onPartialMessage: silent, dispose: () => {} },
    listen: (callback) => {
      deliver = callback;
      return { dispose: () => {} };
    },
  };
  let unread = 0;
  const writer: MessageWriter = {
    ...{ onError: silent, onClose: silent, dispose: () => {}, end: () => {} },
    write: async (message) => {
      const { id, method } = message as Message & Readonly<Record<string, unknown>>;
      if (method === undefined) asked -= 1;
      else if (id !== undefined) sent.add(String(id));
      const text = framed(message);
      if (unread + text.length > MAX_UNREAD)
        return breakOff('It does not read what it is sent, so Lathe ended it.');
      unread += text.length;
      await program.write(text).finally(() => {
        unread -= text.length;
      });
    },
  };
  const line = rpc.createMessageConnection(reader, writer);
  line.onRequest((method, params) => {
    const answer = events.onRequest(method, params);
    return answer === undefined
      ? new rpc.ResponseError(rpc.ErrorCodes.MethodNotFound, `${method} is not known here`)
      : answer;
  });
  line.listen();

  let ending: Promise<void> | null = null;
  const end = (): Promise<void> => {
    ending ??= program.end();
    return ending;
  };
  let isOpen = true;
  const ended = program.ended.then((why) => {
    isOpen = false;
    line.dispose();
    return broken ?? why;
  });
  let open = 0;
  const cancellation = () => {
    const source = new rpc.CancellationTokenSource();
    // A line that is closed takes no cancellation.
    return { token: source.token, cancel: () => isOpen && source.cancel() };
  };

  return {
    request: async (method, params, timeoutMs, signal) => {
      if (open >= MAX_OPEN_REQUESTS) return err({ message: 'It has left too much unanswered.' });
      const { token, cancel } = cancellation();
      open += 1;
      // The library throws at once where the line is closed.
      const answered = (async () => line.sendRequest(method, ...given(params), token))().finally(
        () => {
          open -= 1;
        },
      );
      // Whoever asked may be gone by then.
      answered.catch(() => {});
      try {
        const answer = await inTime(clock, timeoutMs, signal, ({ signal: stop }) =>
          orAborted(answered, stop),
        );
        return ok(answer);
      } catch (thrown) {
        cancel();
        return err(isOpen ? faultOf(thrown) : { message: await ended });
      }
    },
    notify: (method, params) => {
      (async () => line.sendNotification(method, ...given(params)))().catch(() => {});
    },
    printed: () => program.stderr(),
    ended,
    end,
  };
}

const TOO_MUCH = 'It asked too much at once, so Lathe ended it.';

/** Returns parameters as the library takes them: of none at all it makes a list, which servers do not know. */
const given = (params: unknown): readonly unknown[] => (params === undefined ? [] : [params]);

function messageIn(body: string): Message {
  try {
    const message: unknown = JSON.parse(body);
    if (typeof message === 'object' && message !== null && !Array.isArray(message))
      return { jsonrpc: '2.0', ...message };
  } catch {
    // Told below.
  }
  throw new Error('It sent a message that is not JSON, so Lathe ended it.');
}

function orAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  return Promise.race([answer, promise]).finally(() => signal.removeEventListener('abort', stop));
}

function faultOf(thrown: unknown): AnswerFault {
  const { message, code, data } = Object(thrown) as Readonly<Record<string, unknown>>;
  const words = typeof message === 'string' ? message : String(thrown);
  return {
    message: plainLine(words, MAX_WORDS),
    ...(typeof code === 'number' ? { code } : {}),
    ...(data === undefined ? {} : { data }),
  };
}
