import type { StartCall } from '../../telemetry/session-spans';
import type { CallMiddleware, CallOutcome } from './call-middleware';

/** Spans each call from its valid input to its result; does nothing where nobody wants spans. */
export const spans =
  (start?: StartCall): CallMiddleware =>
  async (call, next) => {
    if (start === undefined) return next(call);
    const span = start({ id: call.id, tool: call.tool.name, input: call.input });
    try {
      const outcome = await next(call);
      span.end(outcome.kind === 'refused' ? outcome.status : outcome.kind, textOf(outcome));
      return outcome;
    } catch (thrown) {
      span.end('failed');
      throw thrown;
    }
  };

const textOf = (outcome: CallOutcome): string | undefined => {
  if (outcome.kind === 'refused' || outcome.kind === 'failed') return outcome.message;
  if (outcome.kind === 'deferred') return undefined;
  return outcome.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
};
