import { MAIN_AGENT } from '../../../shared/agent-event';
import type { Message, ToolUseBlock } from '../../../shared/message';
import { cleanCuts, SUMMARY_TOKENS } from '../context/summarise';
import { mostOutput } from '../model/catalog';
import { sideCall, textOf } from '../model/side-call';
import type { LiveAgent, SessionScope } from './session-scope';

/** The work of a sub-agent at one moment. */
export interface AgentProgress {
  /** The task it is; its own id where it is none. */
  readonly taskId: string;
  readonly callId: string;
  readonly title: string;
  readonly type: string;
  /** Its work in a few words of the model. */
  readonly summary: string;
  readonly tokens: number;
  readonly calls: number;
  readonly lastTool?: string;
  /** Milliseconds since it began. */
  readonly tookMs: number;
}

/** Questions to the model beside an agent's work, behind its own conversation; nothing of that changes. */
export interface Asides {
  /** Returns what the user would most likely say next; null: nothing is to be expected. Never fails. */
  nextPrompt(signal: AbortSignal): Promise<string | null>;
  /** Answers a question beside the conversation, which hears nothing of it; null: there is no answer. Never fails. */
  answer(question: string, signal: AbortSignal): Promise<string | null>;
  /** Calls back now and then with what each running sub-agent does; gives a function that ends it. */
  onProgress(listener: (progress: AgentProgress) => void): () => void;
}

/** The pause between two looks at a sub-agent. Milliseconds. */
const PROGRESS_MS = 30_000;
/** Longer answers are none. Characters. */
const MAX_ANSWER = 300;
/** Longer answers to a user are none. Characters. */
const MAX_LONG_ANSWER = 100_000;

const SIDE_QUESTION = `[This comes from the user, beside the conversation, and changes nothing.] Answer the question from what you know of the conversation, in a few sentences. Use no tool.`;

const NEXT_PROMPT = `[This comes from the app, not from the user, and changes nothing.] Which message is the user most likely to send next? Answer with that message alone, as they would type it, in their language, in at most fifteen words. Use no tool. When nothing is clearly next, answer with the word NOTHING.`;

const PROGRESS = `[This comes from the app and changes nothing.] What are you doing right now? Answer in three to eight words that begin with a verb such as "Reading" or "Analyzing", and name the file or topic. No quotes, no full stop. Use no tool, and go on with your work afterwards.`;

/** Creates them for one session. They reuse what the API has cached of a conversation, and count towards its limits. */
export function createAsides(scope: AsideScope): Asides {
  const { log, agents, tasks, services } = scope;
  const progressOf = async (id: string, live: LiveAgent, signal: AbortSignal) => {
    const summary = await ask(scope, live, { purpose: 'progress', text: PROGRESS }, signal);
    const agent = log.transcript().agents.find((one) => one.id === id);
    if (summary === null || agent === undefined || signal.aborted) return null;
    const { callId, title, type, startedAt } = agent;
    const task = tasks.list().find(({ subAgentId }) => subAgentId === id);
    const tookMs = Math.max(0, services.clock.date() - startedAt);
    return { taskId: task?.id ?? id, callId, title, type, summary, tookMs, ...workOf(live) };
  };
  /** Looks at one sub-agent until it has ended. */
  const follow = async (
    id: string,
    listener: (progress: AgentProgress) => void,
    signal: AbortSignal,
  ) => {
    let seen = '';
    for (;;) {
      await services.clock.sleep(PROGRESS_MS, signal);
      const live = agents.get(id);
      const last = live?.state.history().at(-1)?.id ?? '';
      if (signal.aborted || live === undefined) return;
      if (last === seen) continue;
      seen = last;
      // A failure tells nothing; the next look is taken all the same.
      await progressOf(id, live, signal)
        .then((progress) => progress && listener(progress))
        .catch(() => {});
    }
  };
  return {
    nextPrompt: async (signal) => {
      const live = agents.get(MAIN_AGENT);
      if (live === undefined) return null;
      const question = { purpose: 'prompt suggestion', text: NEXT_PROMPT };
      const words = await ask(scope, live, question, signal).catch(() => null);
      return words === null || /^\W*nothing\W*$/i.test(words) ? null : words;
    },
    answer: async (question, signal) => {
      const live = agents.get(MAIN_AGENT);
      if (live === undefined) return null;
      const text = `${SIDE_QUESTION}\n\n${question}`;
      const asked = { purpose: 'side question', text, maxChars: MAX_LONG_ANSWER };
      return ask(scope, live, asked, signal).catch(() => null);
    },
    onProgress: (listener) => {
      const running = new Map<string, AbortController>();
      const end = (id: string) => {
        running.get(id)?.abort();
        running.delete(id);
      };
      const unlisten = log.listen(({ event }) => {
        if (event.type === 'agent_settled') end(event.agentId);
        if (event.type !== 'agent_started') return;
        const { id } = event.agent;
        end(id);
        const stop = new AbortController();
        running.set(id, stop);
        // The pause ends with an error where it is cut short.
        follow(id, listener, stop.signal).catch(() => {});
      });
      return () => {
        unlisten();
        for (const id of [...running.keys()]) end(id);
      };
    },
  };
}

type AsideScope = Pick<
  SessionScope,
  'log' | 'agents' | 'tasks' | 'services' | 'host' | 'spending' | 'settings'
>;

interface Question {
  readonly purpose: string;
  readonly text: string;
  readonly maxChars?: number;
}

/** Asks once, behind the conversation up to where no call stands open. Null: no money is left, or nothing came of it. */
async function ask(
  { services, host, spending, settings }: AsideScope,
  { state, shared }: LiveAgent,
  { purpose, text, maxChars = MAX_ANSWER }: Question,
  signal: AbortSignal,
): Promise<string | null> {
  await spending.refresh();
  if (signal.aborted || spending.reached() !== null) return null;
  const { clock, ids } = services;
  const question: Message = {
    ...{ role: 'user', id: ids.next('msg'), synthetic: true },
    content: [{ type: 'text', text }],
  };
  const whole = [...state.history(), question];
  const head = whole.slice(0, Math.max(...cleanCuts(whole)));
  const request = await shared.requests.build([...head, question], state.config(), signal);
  const maxTokens = Math.min(SUMMARY_TOKENS, mostOutput(request.model, settings().maxOutputTokens));
  const once = new AbortController();
  const until = AbortSignal.any([signal, once.signal]);
  const asked = { ...request, maxTokens, pause: clock.sleep };
  const call = sideCall(asked, purpose, { model: host.model, clock }, until);
  let step = await call.next();
  while (!step.done) {
    if (step.value.type === 'side_call') state.record(step.value);
    // Nobody waits for it, so it is not tried again.
    if (step.value.type === 'retry_waiting') once.abort();
    step = await call.next();
  }
  const words = step.value.kind === 'answer' ? textOf(step.value.blocks).trim() : '';
  return words === '' || words.length > maxChars ? null : words;
}

/** Returns what an agent has used and called so far. */
function workOf({ state }: LiveAgent) {
  const answers = state.history().flatMap((one) => (one.role === 'assistant' ? one : []));
  const calls = answers.flatMap(({ content }) => content.filter(isCall));
  const lastTool = calls.at(-1)?.name;
  const tokens = answers
    .flatMap(({ usage }) => usage ?? [])
    .reduce((sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens, 0);
  return { tokens, calls: calls.length, ...(lastTool === undefined ? {} : { lastTool }) };
}

const isCall = (block: { readonly type: string }): block is ToolUseBlock =>
  block.type === 'tool_use';
