import type { Message } from '../../../shared/message';
import { err, ok, type Result } from '../../../shared/result';
import type { AgentState } from '../agent-state';
import { type AgentDefinition, REPORT } from '../agents/definitions';
import type { Worktree } from '../agents/worktree';
import { beforeOpenCalls, historyOf } from '../messages/history';
import { loadLog } from '../sessions/load';
import type { SessionScope, SharedWithForks } from './session-scope';

/** The part of its parent that a sub-agent begins with. */
export interface Inherited {
  /** The conversation before the answer that started it. */
  readonly messages: readonly Message[];
  readonly shared: SharedWithForks;
}

/**
 * Returns what a sub-agent inherits; null for one of a kind that knows nothing of its parent. One that worked before gets what
 * it got then, out of the session's log. The error is for the model.
 */
export async function inheritedBy(
  { agents, log, paths, services }: SessionScope,
  parent: AgentState,
  { inherits }: Pick<AgentDefinition, 'inherits'>,
  resumed: string | null,
): Promise<Result<Inherited | null, string>> {
  if (inherits !== true) return ok(null);
  const shared = agents.get(parent.id)?.shared;
  if (shared === undefined) return err('Its parent has ended.');
  if (resumed === null) return ok({ shared, messages: beforeOpenCalls(parent.history()) });
  await log.flush();
  const whole = await loadLog(services.files, paths.file);
  if (!whole.ok) return err(`What it knew cannot be read: ${whole.error.message}`);
  const events = whole.value.lines.map(({ event }) => event);
  const began = events.findIndex(
    (event) => event.type === 'agent_started' && event.agent.id === resumed,
  );
  const before = historyOf(events.slice(0, Math.max(0, began))).messages();
  return ok({ shared, messages: beforeOpenCalls(before) });
}

/** Returns the beginning of the first prompt of a sub-agent that inherits its parent's conversation. Pure. */
export const forkOpening = (worktree: Worktree | null, notes: readonly string[]): string =>
  [
    'You are now a sub-agent that began with the conversation above. The agent of that conversation goes on without you, and what you do is not seen there: carry out the task below and nothing else. What was planned there is not yours to do.',
    ...(worktree === null ? [] : [placeText(worktree, notes)]),
    REPORT,
    '# Task\n\n',
  ].join('\n\n');

/** Tells a sub-agent of the worktree it works in, and of what is not in it as one may expect. Pure. */
export const placeText = ({ path, branch }: Worktree, notes: readonly string[]): string =>
  [
    `You work in ${path}, a git worktree of the project on the branch ${branch}. Change files only there, never those of the project itself. Commit what is to be kept.`,
    ...notes,
  ].join(' ');
