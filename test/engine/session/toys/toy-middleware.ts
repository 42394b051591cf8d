import type { CallMiddleware } from '../../../../src/main/engine/tools/middleware/call-middleware';

/** Lets no call about secrets run. */
export const toyMiddleware: CallMiddleware = async (call, next) => {
  if (call.input['text'] !== 'a secret') return next(call);
  const outcome = { kind: 'refused', status: 'failed', message: 'No secrets here.' } as const;
  call.control.settle(outcome);
  return outcome;
};
