import { createBell } from '../../../../../shared/bell';
import type { TerminalExit, TerminalProgress } from '../../../ports';
import type { ToolContext } from '../../tool';

/** What ended the watching of a command. */
export type WatchEnd =
  | { readonly kind: 'exited'; readonly exit: TerminalExit }
  | { readonly kind: 'background' | 'timeout' | 'aborted' };

/** Gives a command's progress as it comes (the newest only, when it comes too fast), and why it stopped watching. */
export async function* watchCommand(
  terminalId: string,
  timeoutMs: number,
  context: ToolContext,
): AsyncGenerator<TerminalProgress, WatchEnd> {
  const { terminals, clock } = context;
  const over = new AbortController();
  const bell = createBell(over.signal);
  let newest: TerminalProgress | null = null;
  const unfollow = terminals.onProgress(terminalId, (progress) => {
    newest = progress;
    bell.ring();
  });
  const end = Promise.race<WatchEnd>([
    terminals.exited(terminalId).then((exit) => ({ kind: 'exited', exit })),
    context.backgroundRequested.then(() => ({ kind: 'background' })),
    clock.sleep(timeoutMs, over.signal).then(() => ({ kind: 'timeout' })),
    whenAborted(context.signal, over.signal).then(() => ({ kind: 'aborted' })),
  ]).then((reason) => {
    bell.close();
    return reason;
  });
  try {
    while (await bell.wait()) {
      if (newest !== null) yield newest;
    }
    return await end;
  } finally {
    unfollow();
    // With a reason, because making one up costs a stack trace.
    over.abort('over');
  }
}

/** Resolves when the signal aborts; never, once `over` has. */
const whenAborted = (signal: AbortSignal, over: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true, signal: over });
  });
