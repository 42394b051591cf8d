import type { StartCall } from '../../telemetry/session-spans';
import type { ToolEnvironment } from '../environment';
import type { CallMiddleware } from './call-middleware';
import { type CheckpointStore, checkpoint } from './checkpoint';
import { type FileFollower, followFiles } from './follow-files';
import type { CallHooks } from './hooks';
import { type PermissionGate, permissionGate } from './permission-gate';
import { type ResultBudget, resultBudget } from './result-budget';
import { spans } from './spans';
import { validate } from './validate';

/** The parts that the concerns of one response share. */
export interface CallMiddlewareParts {
  readonly environment: ToolEnvironment;
  readonly gate: PermissionGate;
  readonly budget: ResultBudget;
  /** Null where a session has none. */
  readonly hooks: CallHooks | null;
  /** Absent where nobody wants spans. */
  readonly span?: StartCall | undefined;
  readonly checkpoints?: CheckpointStore;
  /** Hears of the files that calls use. Absent: nobody wants to. */
  readonly follower?: FileFollower;
}

/**
 * Lists every concern around calls, outermost first: THE order. A call goes down the list to its tool, and its outcome
 * comes back up. So results are cut before they are recorded, and recorded before hooks hear of them.
 */
export const createCallMiddleware = (parts: CallMiddlewareParts): readonly CallMiddleware[] => [
  spans(parts.span),
  ...(parts.hooks ? [parts.hooks.after] : []),
  settle,
  validate(parts.environment, parts.gate),
  ...(parts.hooks ? [parts.hooks.before] : []),
  permissionGate(parts.gate),
  waitTurn,
  resultBudget(parts.budget),
  checkpoint(parts.checkpoints, parts.environment),
  followFiles(parts.follower),
];

/** Records the outcome, however it came about. */
const settle: CallMiddleware = async (call, next) => {
  const outcome = await next(call);
  call.control.settle(outcome);
  return outcome;
};

/** Holds the permitted call back until those it must wait for have ended, and confirms it then. */
const waitTurn: CallMiddleware = async (call, next) =>
  (await call.control.waitTurn(call)) ?? (await call.confirm?.()) ?? next(call);
