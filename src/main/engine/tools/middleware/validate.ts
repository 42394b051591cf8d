import type { ToolEnvironment } from '../environment';
import type { CallMiddleware } from './call-middleware';
import type { PermissionGate } from './permission-gate';

/** Refuses calls that cannot work, before anyone is asked. Of what a rule denies, not even that much is told. */
export const validate =
  (environment: ToolEnvironment, gate: Pick<PermissionGate, 'denial'>): CallMiddleware =>
  async (call, next) => {
    const objection = await call.tool.validateInput(call.input, environment);
    if (objection === null) return next(call);
    return (await gate.denial(call)) ?? { kind: 'refused', status: 'failed', message: objection };
  };
