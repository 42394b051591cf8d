import type { Result } from '../../../shared/result';
import type { QueryDeps } from './query-deps';
import { recordEnd } from './run-query';
import { type Ending, noTotals } from './state';
import { STOPPED } from './texts';
import { abortTerminal } from './transitions';

/** Something a person does in the conversation without asking the model. Returns a text for them. */
export type Act = (deps: QueryDeps, signal: AbortSignal) => Promise<Result<string>>;

/** Carries out an act as a query without turns, so that it is shown, stopped and reported like any other. Never throws. */
export async function actNow(
  queryId: string,
  act: Act,
  deps: QueryDeps,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = deps.clock.now();
  deps.record({ type: 'query_started', queryId });
  const ending = await endingOf(act, deps, signal);
  recordEnd({ queryId, ending, totals: noTotals(), startedAt }, deps);
}

async function endingOf(act: Act, deps: QueryDeps, signal: AbortSignal): Promise<Ending> {
  try {
    const done = await act(deps, signal);
    if (signal.aborted) return { terminal: abortTerminal(true), text: STOPPED, stopReason: null };
    if (done.ok) return { terminal: 'completed', text: done.value, stopReason: null };
    const { message, fix } = done.error;
    const text = fix === undefined ? message : `${message} ${fix}`;
    return { terminal: 'model_error', text, stopReason: null };
  } catch (thrown) {
    const text = thrown instanceof Error ? thrown.message : String(thrown);
    return { terminal: 'model_error', text: `Something in Lathe broke: ${text}`, stopReason: null };
  }
}

/**
 * Runs a shell line of the person: their words, the call and its result stand in the conversation, so that the model
 * knows them at its next turn. The call runs outside the sandbox and asks nobody, since the person typed it.
 */
export const runShellLine =
  (command: string, model: string): Act =>
  async (deps, query) => {
    const signal = deps.startTurn(query);
    const text = `!${command}`;
    deps.record({
      type: 'user_message',
      id: deps.ids.next('msg'),
      content: [{ type: 'text', text }],
    });
    const call = {
      type: 'tool_use' as const,
      id: deps.ids.next('toolu'),
      name: 'Bash',
      input: { command, dangerouslyDisableSandbox: true },
    };
    deps.record({
      type: 'block_finished',
      messageId: deps.ids.next('msg'),
      model,
      index: 0,
      block: call,
    });
    const executor = deps.createExecutor(deps.record, signal, { byPerson: true });
    executor.add(call);
    await executor.done();
    return { ok: true, value: '' };
  };
