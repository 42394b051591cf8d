import type { Context, Span, Tracer } from '@opentelemetry/api';

/** A way to make spans, and what may be written into them. */
export interface Tracing {
  readonly tracer: Tracer;
  /** Returns the place of spans below another one. */
  below(span: Span): Context;
  /** Cleans and shortens a text of the conversation; null where texts stay out of spans. */
  readonly text: ((text: string) => string) | null;
  /** Returns the resident memory of the process. Bytes. */
  memory(): number;
}

/** Sends spans to where a user said. Loaded with the first session. */
export interface Telemetry {
  open(): Promise<Tracing>;
  /** Sends what waits, as far as that takes little time. */
  close(): Promise<void>;
}

/** `SpanStatusCode.ERROR` of the OpenTelemetry API, whose code is only loaded where spans are sent. */
export const FAILED = { code: 2 } as const;
/** `SpanKind` of the same API: work of Lathe itself, and a request to somebody else. */
export const KIND = { internal: 0, client: 2 } as const;

/** Returns facts without those that are not known. */
export const definedOnly = <T>(
  facts: Readonly<Record<string, T | null | undefined>>,
): Record<string, T> =>
  Object.fromEntries(
    Object.entries(facts).flatMap(([name, value]) => (value == null ? [] : [[name, value]])),
  );

/** The ends of a query that are failures. */
export const BROKEN: ReadonlySet<string> = new Set([
  'model_error',
  'image_error',
  'prompt_too_long',
  'blocking_limit',
]);

/** Returns a message as the semantic conventions write it. */
export const messageOf = (role: string, content: string): string =>
  JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);
