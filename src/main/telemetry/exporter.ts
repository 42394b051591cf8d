import { ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  type SpanExporter,
  type SpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Tracing } from '../engine/telemetry/tracing';
import type { TracePlan } from './plan';

/** Spans that wait to be sent; what comes when there are as many is lost. */
const MAX_WAITING = 2048;
/** Spans that are sent together, and how long they wait for company. Milliseconds. */
const BATCH = 256;
const DELAY_MS = 2_000;
/** A collector that has not answered by then does not get those spans, where a user set no other time. Milliseconds. */
const ANSWER_MS = 10_000;
/** The end of Lathe waits no longer for the last spans, where they set none. Milliseconds. */
const LAST_MS = 1_500;
/** The length of a text of the conversation in a span. Characters. */
const MAX_TEXT = 4_000;

interface ExporterParts {
  readonly fetch: typeof fetch;
  /** Takes the keys out of a text. */
  readonly clean: (text: string) => string;
  readonly version: string;
  /** Is called when spans were lost, with their number and the reason. */
  readonly lost: (spans: number, why: string) => void;
}

/** Makes spans by the SDK of OpenTelemetry and sends them over OTLP, as JSON. Its failures are told and touch nothing else. */
export function openExporter(plan: TracePlan, parts: ExporterParts) {
  const load: Load = { waiting: 0, sending: 0, dropped: 0 };
  const sender = createSender(plan, parts, load);
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ ...plan.resource, 'service.version': parts.version }),
    spanProcessors: [
      counted(
        new BatchSpanProcessor({
          exporter: sender,
          maxQueueSize: MAX_WAITING,
          maxExportBatchSize: BATCH,
          scheduledDelayMillis: DELAY_MS,
          exportTimeoutMillis: plan.timeoutMs ?? ANSWER_MS,
        }),
        load,
      ),
    ],
  });
  const tracing: Tracing = {
    tracer: provider.getTracer('lathe', parts.version),
    below: (span) => trace.setSpan(ROOT_CONTEXT, span),
    text: plan.texts ? (text) => shortened(parts.clean(text)) : null,
    memory: () => process.memoryUsage.rss(),
  };
  const close = async (): Promise<void> => {
    const limit = Promise.withResolvers<void>();
    const timer = setTimeout(limit.resolve, plan.timeoutMs ?? LAST_MS);
    // The SDK gives up at the first batch that fails; the others are on their way.
    const sent = provider.shutdown().then(sender.settled, sender.settled);
    await Promise.race([sent, limit.promise]);
    clearTimeout(timer);
    sender.end();
  };
  return { tracing, close };
}

const shortened = (text: string): string =>
  text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}…`;

/** The code of the SDK for spans that were taken, and for others. */
const TAKEN = 0;
const LOST = 1;

/** The spans that have ended and were not taken. */
interface Load {
  /** They are not handed to the sender. */
  waiting: number;
  /** They are on their way. */
  sending: number;
  /** There was no room for them, and that was not told. */
  dropped: number;
}

/** Keeps count of what a processor is given, which drops spans without a word when too many wait. */
const counted = (inner: SpanProcessor, load: Load): SpanProcessor => ({
  forceFlush: () => inner.forceFlush(),
  shutdown: () => inner.shutdown(),
  onStart: (span, context) => inner.onStart(span, context),
  onEnd: (span) => {
    const fits = load.waiting < MAX_WAITING;
    load[fits ? 'waiting' : 'dropped'] += 1;
    if (fits) inner.onEnd(span);
  },
});

/** Sends spans; `end` tells of those that will not be sent any more. */
function createSender(
  { url, headers, timeoutMs }: TracePlan,
  { fetch, lost }: ExporterParts,
  load: Load,
) {
  const over = new AbortController();
  const sending = new Set<Promise<void>>();
  const settled = async () => void (await Promise.all(sending));
  const tellDropped = () => {
    const { dropped } = load;
    load.dropped = 0;
    if (dropped > 0) lost(dropped, `more than ${MAX_WAITING} waited`);
  };
  const send = async (body: Uint8Array): Promise<string | null> => {
    try {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: new Uint8Array(body),
        // The headers may hold a key of that one host.
        redirect: 'error',
        signal: AbortSignal.any([over.signal, AbortSignal.timeout(timeoutMs ?? ANSWER_MS)]),
      });
      await answer.body?.cancel();
      return answer.ok ? null : `status ${answer.status}`;
    } catch (problem) {
      return problem instanceof Error ? `${problem.message} ${causeOf(problem)}`.trim() : 'unknown';
    }
  };
  const exporter: SpanExporter = {
    export: (spans, done) => {
      load.waiting -= spans.length;
      load.sending += spans.length;
      const work = send(JsonTraceSerializer.serializeRequest(spans) ?? new Uint8Array()).then(
        (why) => {
          sending.delete(work);
          if (!over.signal.aborted) {
            load.sending -= spans.length;
            if (why !== null) lost(spans.length, why);
            tellDropped();
          }
          done({ code: why === null ? TAKEN : LOST });
        },
      );
      sending.add(work);
    },
    forceFlush: settled,
    shutdown: settled,
  };
  const end = () => {
    if (over.signal.aborted) return;
    over.abort();
    tellDropped();
    const rest = load.waiting + load.sending;
    if (rest > 0) lost(rest, 'Lathe ended before they were sent');
  };
  return { ...exporter, settled, end };
}

const causeOf = ({ cause }: Error): string => (cause instanceof Error ? `(${cause.message})` : '');
