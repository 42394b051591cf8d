import type { ToolView } from '../../../../../shared/tool-call';
import { createWaker } from '../../../../../shared/waker';
import { localAgent } from '../../../tasks/runners/local-agent';
import type { SubAgentWork, ToolContext } from '../../environment';
import type { ToolProgress } from '../../tool';

/** The end of the wait for a sub-agent: it has ended, or goes on without its call. */
export type Followed =
  | { readonly kind: 'ended'; readonly ok: boolean; readonly text: string }
  | { readonly kind: 'background' };

/** The refusal of one more sub-agent in the background. */
export const FULL = 'Five sub-agents work already. Wait until one ends, or stop one with TaskStop.';

/** Returns the card of a sub-agent. */
export const agentView = (work: SubAgentWork, taskId?: string): ToolView => ({
  kind: 'agent',
  ...work.progress(),
  ...(taskId === undefined ? {} : { taskId }),
});

/** Waits for the end of a sub-agent and shows how far it is; an abort of the call stops it. */
export async function* followAgent(
  work: SubAgentWork,
  { signal, backgroundRequested, agent }: ToolContext,
): AsyncGenerator<ToolProgress, Followed> {
  const over = new AbortController();
  const waker = createWaker(over.signal);
  const stop = () => work.stop(signal.reason === 'ending' ? 'ending' : 'stopped');
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const unfollow = work.onProgress(waker.wake);
  const moved = agent.agents?.mayGoOn
    ? backgroundRequested.then(() => ({ kind: 'background' as const }))
    : new Promise<never>(() => {});
  const end = Promise.race([
    work.ended.then(({ status, text }) => ({
      ...{ kind: 'ended' as const, ok: status === 'completed', text },
    })),
    moved,
  ]).then((followed) => {
    waker.close();
    return followed;
  });
  try {
    yield { view: agentView(work) };
    while (await waker.wait()) yield { view: agentView(work) };
    return await end;
  } finally {
    unfollow();
    signal.removeEventListener('abort', stop);
    over.abort('over');
  }
}

/** Makes a background task of a sub-agent at work; returns its id and what the model is told, or an error. */
export async function letGoOn(
  work: SubAgentWork,
  { callId, agent }: Pick<ToolContext, 'agent' | 'callId'>,
): Promise<{ readonly ok: boolean; readonly taskId: string; readonly text: string }> {
  const { title } = work.progress();
  const task = agent.tasks.start(localAgent, work, {
    ...{ callId, title, background: true, subAgentId: work.agentId },
  });
  const { taskId } = task;
  const running = await task.running;
  if (!running.ok) {
    work.stop('stopped');
    await work.ended;
    return { ok: false, taskId, text: `It cannot go on: ${running.error.message}` };
  }
  const text = `The sub-agent ${work.agentId} works in the background as task ${taskId}. You are told when it ends, with its report. Until then go on with other work or end your answer; SendMessage tells it more, TaskStop ends it.`;
  return { ok: true, taskId, text };
}
