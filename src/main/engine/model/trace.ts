import type { Clock, Log } from '../ports';
import type { ModelClient, ModelEvent, ModelRequest, RequestTrace } from './model-client';
import { mapTexts, scrub } from './scrub';
import { through } from './through';

/** The needs of {@link withTrace}. */
export interface TraceOptions {
  readonly log: Log;
  readonly clock: Pick<Clock, 'now'>;
  /** Keys that must never be written. */
  readonly secrets: readonly string[];
  /** Called when an attempt leaves. */
  readonly onSent: () => void;
  /** Counts the requests of the process. */
  readonly nextNumber: () => number;
}

/**
 * Records each request in the debug log: what was sent, each attempt with its answer or failure, retries, silences,
 * fallbacks, and the end. Stands outside all other layers; {@link RequestTrace} lets the endpoint report from inside.
 */
export function withTrace(inner: ModelClient, options: TraceOptions): ModelClient {
  return {
    stream: (request, signal) => {
      const run = startRun(request, options);
      return through(
        inner.stream({ ...request, trace: bothTraces(request.trace, run.trace) }, signal),
        (event) => {
          run.see(event);
          return event;
        },
      );
    },
  };
}

/** Reports to a second follower of a request what the first one is told. */
export const bothTraces = (first: RequestTrace | undefined, second: RequestTrace): RequestTrace =>
  first === undefined
    ? second
    : {
        sent: (facts, body) => {
          first.sent(facts, body);
          second.sent(facts, body);
        },
        ended: (what, facts) => {
          first.ended(what, facts);
          second.ended(what, facts);
        },
      };

function startRun(
  request: ModelRequest,
  { log, clock, secrets, nextNumber, onSent }: TraceOptions,
): { readonly trace: RequestTrace; see(event: ModelEvent): void } {
  const number = nextNumber();
  const startedAt = clock.now();
  const clean = <T>(value: T): T => mapTexts(value, (text) => scrub(text, secrets, [])) as T;
  const note = (what: string, facts: object) =>
    log.record(what, clean({ request: number, ...facts }));
  let attempt = 0;
  let sentAt = startedAt;
  const { model, maxTokens, effort, thinking } = request;
  const [messages, tools] = [request.messages.length, request.tools.length];
  note('request', { model, messages, tools, maxTokens, effort, thinking });
  return {
    trace: {
      sent: (facts, body) => {
        attempt += 1;
        sentAt = clock.now();
        const text = JSON.stringify(clean(body), null, 1);
        note('sent', { attempt, ...facts, characters: text.length, body: log.keep(text) });
        onSent();
      },
      ended: (what, facts) => note(what, { attempt, ...facts, durationMs: clock.now() - sentAt }),
    },
    see: (event) => {
      const facts = factsOf(event);
      if (facts !== null) note(facts.what, facts.facts);
      const end = endOf(event);
      if (end === null) return;
      note('end', { ...end, attempts: attempt, durationMs: clock.now() - startedAt });
    },
  };
}

/** Returns the record of an event; null for content, and for what the endpoint reports itself. */
function factsOf(event: ModelEvent): { readonly what: string; readonly facts: object } | null {
  switch (event.type) {
    case 'retry_waiting': {
      const { type: _, heartbeat, ...facts } = event;
      return heartbeat ? null : { what: 'retry', facts };
    }
    case 'stalled':
      return { what: 'stalled', facts: { silentMs: event.silentMs } };
    case 'notice':
      return { what: 'notice', facts: { code: event.code, text: event.text } };
    case 'message_voided':
      return { what: 'voided', facts: { messageId: event.messageId, reason: event.reason } };
    case 'model_fallback':
      return { what: 'fallback', facts: { from: event.from, to: event.to } };
    default:
      return null;
  }
}

/** Returns how a request ended, seen from outside; null when it goes on. */
function endOf(event: ModelEvent): object | null {
  if (event.type === 'message_finished')
    return { result: 'answered', stopReason: event.stopReason, costUsd: event.costUsd };
  if (event.type !== 'failed') return null;
  const { kind, message, fix } = event.error;
  return { result: kind === 'aborted' ? 'aborted' : 'failed', kind, message, fix };
}
