import { ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Tracing } from '../engine/telemetry/tracing';
import type { TracePlan } from './plan';

/** Spans that wait to be sent; what comes when there are as many is lost. */
const MAX_WAITING = 2048;
/** Spans that are sent together, and how long they wait for company. Milliseconds. */
const BATCH = 256;
const DELAY_MS = 2_000;
/** A collector that has not answered by then does not get those spans, where a person set no other time. Milliseconds. */
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
  /** Takes that spans were lost, and why. */
  readonly lost: (spans: number, why: string) => void;
}

/** Makes spans by the SDK of OpenTelemetry and sends them over OTLP, as JSON. Its failures are told and touch nothing else. */
export function openExporter(plan: TracePlan, parts: ExporterParts) {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ ...plan.resource, 'service.version': parts.version }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: createSender(plan, parts),
        maxQueueSize: MAX_WAITING,
        maxExportBatchSize: BATCH,
        scheduledDelayMillis: DELAY_MS,
        exportTimeoutMillis: plan.timeoutMs ?? ANSWER_MS,
      }),
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
    await Promise.race([provider.shutdown().catch(() => {}), limit.promise]);
    clearTimeout(timer);
  };
  return { tracing, close };
}

const shortened = (text: string): string =>
  text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}…`;

/** The code of the SDK for spans that were taken, and for others. */
const TAKEN = 0;
const LOST = 1;

function createSender(
  { url, headers, timeoutMs }: TracePlan,
  { fetch, lost }: ExporterParts,
): SpanExporter {
  const over = new AbortController();
  const sending = new Set<Promise<void>>();
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
  return {
    export: (spans, done) => {
      const work = send(JsonTraceSerializer.serializeRequest(spans) ?? new Uint8Array()).then(
        (why) => {
          if (why !== null) lost(spans.length, why);
          sending.delete(work);
          done({ code: why === null ? TAKEN : LOST });
        },
      );
      sending.add(work);
    },
    forceFlush: async () => void (await Promise.all(sending)),
    shutdown: async () => {
      await Promise.all(sending);
      over.abort();
    },
  };
}

const causeOf = ({ cause }: Error): string => (cause instanceof Error ? `(${cause.message})` : '');
