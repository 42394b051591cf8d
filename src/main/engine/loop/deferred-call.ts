import type { Message, ToolUseBlock } from '../../../shared/message';
import type { DeferredCall } from '../../../shared/tool-call';
import { openCalls, settledCalls } from '../messages/history';
import { sinceBoundary } from '../messages/normalize';
import type { QueryDeps } from './query-deps';
import type { Ending } from './state';
import { deferredText, STOPPED, unavailableText } from './texts';
import { abortTerminal } from './transitions';

/** Returns the deferred call as the model made it; null when the history no longer asks for it. */
export function pendingCall(
  deferred: DeferredCall | null,
  history: readonly Message[],
): ToolUseBlock | null {
  const sent = sinceBoundary(history);
  if (deferred === null || !openCalls(sent).some(({ id }) => id === deferred.id)) return null;
  return { ...deferred, type: 'tool_use' };
}

/**
 * Resumes a call that a hook deferred: it goes the whole way again, hooks first. Returns how the query ends with it;
 * null when it has its result and the query goes on.
 */
export async function resumeDeferred(
  call: ToolUseBlock,
  deps: QueryDeps,
  query: AbortSignal,
): Promise<Ending | null> {
  await deps.admit?.(null, query);
  const signal = deps.startTurn(query);
  if (!deps.offers(call.name)) {
    const { id, name, input } = call;
    deps.defer({ id, name, input });
    const terminal = 'tool_deferred_unavailable';
    return { terminal, text: unavailableText(call.name), stopReason: terminal };
  }
  const executor = deps.createExecutor(deps.record, signal);
  executor.add(call);
  await executor.done();
  if (signal.aborted) {
    return { terminal: abortTerminal(true), text: STOPPED, stopReason: null };
  }
  if (deps.deferred() !== null) {
    const terminal = 'tool_deferred';
    return { terminal, text: deferredText(call.name), stopReason: terminal };
  }
  const batch = settledCalls([call], deps.history());
  const stop = (await deps.batchHooks?.(batch, signal)) ?? null;
  const reason = deps.takeHookStop() ?? stop;
  return reason === null ? null : { terminal: 'hook_stopped', text: reason, stopReason: null };
}
