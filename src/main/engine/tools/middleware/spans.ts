import type { CallMiddleware } from './call-middleware';

/** A span as the OpenTelemetry API has it, as far as calls use it. */
interface Span {
  setAttribute(key: string, value: string | number | boolean): unknown;
  setStatus(status: { readonly code: SpanStatus; readonly message?: string }): unknown;
  end(): void;
}

/** Starts spans: any tracer of the OpenTelemetry API fits. */
export interface Tracer {
  startSpan(name: string, options: { readonly attributes: Readonly<Record<string, string>> }): Span;
}

/** `SpanStatusCode` of the OpenTelemetry API: OK and ERROR. */
type SpanStatus = 1 | 2;

/** Spans each call from its valid input to its result; does nothing without a tracer. */
export const spans =
  (tracer?: Tracer): CallMiddleware =>
  async (call, next) => {
    if (tracer === undefined) return next(call);
    const span = tracer.startSpan(`tool ${call.tool.name}`, {
      attributes: { 'lathe.call.id': call.id, 'lathe.tool': call.tool.name },
    });
    try {
      const outcome = await next(call);
      const status = outcome.kind === 'refused' ? outcome.status : outcome.kind;
      span.setAttribute('lathe.call.status', status);
      span.setStatus({ code: status === 'failed' ? 2 : 1 });
      return outcome;
    } catch (thrown) {
      span.setStatus({ code: 2, message: String(thrown) });
      throw thrown;
    } finally {
      span.end();
    }
  };
