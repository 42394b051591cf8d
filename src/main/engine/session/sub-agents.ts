import { plainLine } from '../../../shared/plain-line';
import { err, ok, type Result } from '../../../shared/result';
import type { AgentState } from '../agent-state';
import { findAgent } from '../agents/definitions';
import { EffortSetting } from '../settings/schema';
import type {
  AgentSpawner,
  ResumeRequest,
  SubAgentRequest,
  SubAgentWork,
} from '../tools/environment';
import { startObservers } from './observers';
import { openSubAgent, type SubAgentOrder } from './open-sub-agent';
import type { SessionScope } from './session-scope';
import { startWork } from './sub-agent-work';

/** Sub-agents of one agent that work at a time. */
const MAX_TOGETHER = 5;

/** Longer titles are cut. Characters. */
const MAX_TITLE = 500;

/** The depth to which sub-agents may start sub-agents when no setting says it: they start none. */
const DEFAULT_DEPTH = 1;

/**
 * Creates what starts sub-agents for the calls of `parent`, which is `depth` sub-agents below the main one. They work until
 * their answer, or until they are stopped.
 */
export function createAgentSpawner(
  session: SessionScope,
  parent: AgentState,
  depth = 0,
): AgentSpawner {
  const { services, log, definitions } = session;
  const slots = createSlots(MAX_TOGETHER);
  const working = new Map<string, SubAgentWork>();
  // What is left of a sub-agent's own agents would have nobody to report to.
  const mayGoOn = depth === 0;

  const spawnerOf = (state: AgentState): AgentSpawner | null => {
    const max = session.settings().maxAgentDepth ?? DEFAULT_DEPTH;
    return depth + 1 < max ? createAgentSpawner(session, state, depth + 1) : null;
  };

  const launch = async (
    order: SubAgentOrder,
    prompt: string,
    signal: AbortSignal,
  ): Promise<Result<SubAgentWork, string>> => {
    const release = await slots.take(signal);
    if (release === null) return err('It was stopped before it began.');
    const opened = await openSubAgent(session, parent, order, spawnerOf, signal).catch(
      (thrown: unknown) => {
        release();
        throw thrown;
      },
    );
    if (!opened.ok) {
      release();
      return err(`The sub-agent was not started. ${opened.error}`);
    }
    const work = startWork(session, parent, opened.value, prompt);
    working.set(work.agentId, work);
    startObservers(session, parent, { ...order, ...work, prompt });
    work.ended
      .finally(() => {
        working.delete(work.agentId);
        release();
      })
      .catch(() => {});
    return ok(work);
  };

  const start = async (request: SubAgentRequest, signal: AbortSignal) => {
    const definition = findAgent(definitions.agents.list(), request.type);
    if (definition === null)
      return err(`The sub-agent was not started. There is no sub-agent "${request.type}".`);
    const { callId, name, model, isolated, skill } = request;
    const own = request.effort ?? skill?.effort ?? definition.effort;
    const effort = own ?? effortAsked(request.prompt, parent.config().effort);
    const title = plainLine(request.title, MAX_TITLE);
    const background = request.background === true;
    const order = { id: services.ids.next('agt'), callId, title, definition, background };
    return launch(
      {
        ...order,
        ...(name === undefined ? {} : { name }),
        ...(model === undefined ? {} : { model }),
        effort,
        ...(isolated === undefined ? {} : { isolated }),
        ...(skill === undefined ? {} : { skill }),
        past: null,
      },
      request.prompt,
      signal,
    );
  };

  const resume = async ({ agentId, callId, prompt }: ResumeRequest, signal: AbortSignal) => {
    const before = log.transcript().agents.find(({ id }) => id === agentId);
    if (before === undefined) return err(`There is no sub-agent ${agentId}.`);
    const definition = findAgent(definitions.agents.list(), before.type);
    if (definition === null) return err(`The kind "${before.type}" is not defined any more.`);
    const { title, name, worktree = null } = before;
    const past = { worktree };
    const isolated = worktree === null ? {} : { isolated: true };
    const named = name === undefined ? {} : { name };
    const order = { id: agentId, callId, title, definition, background: true, past };
    return launch({ ...order, ...named, ...isolated }, prompt, signal);
  };

  return {
    kinds: () => definitions.agents.list(),
    mayGoOn,
    start,
    resume,
    find: (name) => {
      const own = log.transcript().agents.filter(({ parentId }) => parentId === parent.id);
      const found =
        own.find(({ id }) => id === name) ??
        own.findLast((one) => one.name === name) ??
        own.findLast(({ title }) => title.toLowerCase() === name.toLowerCase());
      if (found === undefined) return null;
      return { agentId: found.id, title: found.title, work: working.get(found.id) ?? null };
    },
    isFull: slots.isFull,
  };
}

/** Words of a prompt by which people ask for more thought than usual, and the effort that they stand for. */
const THINKING_WORDS = [
  {
    words: /\bultrathink\b|\bthink (?:harder|(?:very|really|super) hard|intensely)\b/i,
    effort: 'max',
  },
  { words: /\bthink (?:hard|deeply|more|a lot)\b/i, effort: 'xhigh' },
] as const;

/** Returns the effort that a prompt asks for where that is more than `usual`, else `usual`. Pure. */
export function effortAsked(prompt: string, usual: string): string {
  const asked = THINKING_WORDS.find(({ words }) => words.test(prompt))?.effort;
  const levels: readonly string[] = EffortSetting.options;
  return asked !== undefined && levels.indexOf(asked) > levels.indexOf(usual) ? asked : usual;
}

/** Places for those who may work at a time; the others wait in their order. */
interface Slots {
  /** Waits for a place and gives what frees it; null when the signal aborts first. */
  take(signal: AbortSignal): Promise<(() => void) | null>;
  isFull(): boolean;
}

/** Creates `count` places. */
function createSlots(count: number): Slots {
  let free = count;
  const waiting = new Set<() => void>();
  const release = () => {
    free += 1;
    const [next] = waiting;
    next?.();
  };
  return {
    isFull: () => free === 0,
    take: async (signal) => {
      while (free === 0 && !signal.aborted) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const wake = () => resolve();
        waiting.add(wake);
        signal.addEventListener('abort', wake, { once: true });
        await promise;
        waiting.delete(wake);
        signal.removeEventListener('abort', wake);
      }
      if (signal.aborted) return null;
      free -= 1;
      return release;
    },
  };
}
