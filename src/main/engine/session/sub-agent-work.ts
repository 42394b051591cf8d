import { type AgentEvent, MAIN_AGENT, type SubAgentEnd } from '../../../shared/agent-event';
import { err, fault, ok } from '../../../shared/result';
import type { AgentState } from '../agent-state';
import { mergedFindings } from '../agents/findings';
import { branchText, removeUnchanged } from '../agents/worktree';
import type { Clock } from '../ports';
import type { SubAgentProgress, SubAgentWork } from '../tools/environment';
import type { OpenSubAgent } from './open-sub-agent';
import type { SessionScope } from './session-scope';

/** Gives the next prompt of an agent that works on, null: there is none. Never rejects. */
export type NextPrompt = (signal: AbortSignal) => Promise<string | null>;

/**
 * Has an open sub-agent work on its prompt, and on what it is told meanwhile. With `next` it goes on with what that gives, and
 * reports nothing at its end.
 */
export function startWork(
  session: SessionScope,
  parent: AgentState,
  { agent, info, modeOf, opening }: OpenSubAgent,
  prompt: string,
  next: NextPrompt | null = null,
): SubAgentWork {
  const { log } = session;
  const { state, engine, environment } = agent;
  const listeners = new Set<() => void>();
  const stopping = new AbortController();
  let progress: SubAgentProgress = {
    ...{ agentId: info.id, type: info.type, title: info.title },
    ...{ lastLine: '', calls: 0, costUsd: 0 },
  };
  let isOver = false;
  /** The words that it wrote last. */
  let spoken = '';
  const findings: string[] = [];
  const note = (text: string) => {
    if (text.trim() !== '') findings.push(text.trim());
  };

  const report = (next: SubAgentProgress) => {
    if (next === progress) return;
    progress = next;
    for (const listener of listeners) listener();
  };

  /** Runs one query to its end. */
  const answer = async (text: string): Promise<QueryEnd | null> => {
    let end: QueryEnd | null = null;
    let said: string[] = [];
    const query = engine.submit(text);
    if (stopping.signal.aborted) interrupt();
    for await (const { event } of query) {
      if (event.type === 'query_finished') end = event;
      if (event.type === 'message_started') said = [];
      if (event.type === 'block_finished' && event.block.type === 'text') {
        said.push(event.block.text);
        spoken = event.block.text.trim() || spoken;
      }
      // It had finished what it was asked first.
      if (event.type === 'continued' && event.reason === 'queued_prompt') note(said.join('\n\n'));
      report(progressAfter(progress, event, state));
    }
    return end;
  };
  const interrupt = () =>
    void engine.interrupt(stopping.signal.reason === 'ending' ? 'ending' : 'stopped');

  const work = async (): ReturnType<typeof workEnd> => {
    // The mode is the user's word on the whole session: whoever works follows a change of it.
    const unfollow = parent.onModeChanged((mode) => state.configure({ mode: modeOf(mode) }));
    state.configure({ mode: modeOf(parent.config().mode) });
    let end: QueryEnd | null = null;
    let status: SubAgentEnd = 'failed';
    let report = '';
    try {
      for (let text: string | null = opening + prompt; text !== null; ) {
        end = await answer(text);
        note(end?.text ?? '');
        const [queued] = stopping.signal.aborted ? [] : engine.queue;
        const given = queued === undefined ? null : (engine.takeBack(queued.id)?.text ?? null);
        text =
          given ?? (stopping.signal.aborted ? null : ((await next?.(stopping.signal)) ?? null));
      }
      status = statusOf(end?.terminal, stopping.signal);
      report =
        status === 'completed'
          ? next === null
            ? await mergedFindings(prompt, findings, environment.agent.ask, stopping.signal)
            : ''
          : withLastWords(end?.text.trim() ?? '', spoken);
    } catch (thrown) {
      const text = thrown instanceof Error ? thrown.message : String(thrown);
      return { status: 'failed', text: `The sub-agent did not finish. ${text}` };
    } finally {
      isOver = true;
      unfollow();
      session.agents.delete(state.id);
      await agent.hooks.end();
      session.tasks.handOver(state.id, isOpen(session, parent) ? parent.id : MAIN_AGENT);
      const spend = log.transcript().costs.byAgent[state.id] ?? {};
      log.append({ type: 'agent_settled', agentId: state.id, status, spend });
      await log.closeAgentFile(state.id);
    }
    return workEnd(session, info, status, report, stopping.signal);
  };

  return {
    agentId: info.id,
    progress: () => progress,
    onProgress: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    onLine: (listener) => {
      let last = progress.lastLine;
      const tell = () => {
        if (progress.lastLine !== last) listener(progress.lastLine);
        last = progress.lastLine;
      };
      listeners.add(tell);
      return () => void listeners.delete(tell);
    },
    ended: work(),
    stop: (why) => {
      if (stopping.signal.aborted) return;
      stopping.abort(why);
      interrupt();
    },
    message: (text) => {
      if (isOver || stopping.signal.aborted) return err(fault('ended', 'It has just ended.'));
      return engine.enqueue(text, 'next') === null
        ? err(fault('queue_full', 'Too many messages wait for it.'))
        : ok(null);
    },
  };
}

type QueryEnd = Extract<AgentEvent, { type: 'query_finished' }>;

const isOpen = (session: SessionScope, { id }: AgentState): boolean => session.agents.has(id);

/** The most of the last words of a sub-agent that did not finish. Characters. */
const MAX_LAST_WORDS = 10_000;

/** Adds what a sub-agent wrote last to why it did not finish: what it found is not to be looked for again. */
const withLastWords = (why: string, spoken: string): string =>
  spoken === '' || why.includes(spoken)
    ? why
    : `${why}\n\nIt wrote last:\n${spoken.slice(-MAX_LAST_WORDS).toWellFormed()}`;

const NO_ANSWER = 'The sub-agent ended without a report.';

/** Returns the end of a sub-agent for whoever started it, once its worktree is gone or known to stay. */
async function workEnd(
  { services, project, hooks }: SessionScope,
  { worktree }: OpenSubAgent['info'],
  status: SubAgentEnd,
  answer: string,
  stopped: AbortSignal,
): Promise<Awaited<SubAgentWork['ended']>> {
  const late = lateAfter(services.clock, stopped);
  const why = worktree
    ? await removeUnchanged(services, project, worktree, hooks.main, late.signal)
    : null;
  late.end();
  const place =
    worktree === undefined || why === null
      ? ''
      : `\n\nIts worktree stays, because ${why}: ${worktree.path}${branchText(worktree)}.`;
  if (status === 'completed') return { status, text: (answer || NO_ANSWER) + place };
  const cut = status === 'cancelled' ? 'It was stopped.' : answer;
  return {
    status: status === 'cancelled' ? 'killed' : 'failed',
    text: `The sub-agent did not finish. ${cut}${place}`,
  };
}

/** A hook that removes a worktree has this long once its sub-agent is stopped. Milliseconds. */
const STOPPED_HOOK_MS = 5_000;

/** Returns a signal that aborts a while after another one; `end` ends the waiting. */
function lateAfter(clock: Clock, signal: AbortSignal) {
  const late = new AbortController();
  const over = new AbortController();
  const wait = () => {
    clock
      .sleep(STOPPED_HOOK_MS, over.signal)
      .then(() => late.abort())
      .catch(() => {});
  };
  if (signal.aborted) wait();
  else signal.addEventListener('abort', wait, { once: true });
  return {
    signal: late.signal,
    end: () => {
      signal.removeEventListener('abort', wait);
      over.abort();
    },
  };
}

function statusOf(terminal: string | undefined, signal: AbortSignal): SubAgentEnd {
  if (signal.aborted) return 'cancelled';
  return terminal === 'completed' ? 'completed' : 'failed';
}

/** Returns the progress after an event: a new one where a user would see a difference. Pure but for the costs. */
function progressAfter(
  before: SubAgentProgress,
  event: AgentEvent,
  state: AgentState,
): SubAgentProgress {
  switch (event.type) {
    case 'call_changed':
      if (event.status !== 'running') return before;
      return { ...before, lastLine: lineOf(event.title) };
    case 'call_settled':
      return { ...before, calls: before.calls + 1, lastLine: lineOf(event.title) };
    case 'message_finished':
      return { ...before, costUsd: state.transcript().query?.spend.costUsd ?? before.costUsd };
    default:
      return before;
  }
}

const lineOf = ({ verb, target }: { readonly verb: string; readonly target: string }): string =>
  `${verb} ${target}`.trim().slice(0, 200);
