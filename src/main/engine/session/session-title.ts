import { MAIN_AGENT } from '../../../shared/agent-event';
import type { UserBlock } from '../../../shared/message';
import { pastedBody, typedWords } from '../../../shared/paste';
import { DEMO_MODEL } from '../../../shared/settings';
import { textOf } from '../model/side-call';
import { DAMAGED, titleFromPrompt } from '../sessions/list';
import { cleanTitle, titleQuestion } from '../sessions/title';
import type { Agent } from './agent';
import type { SessionScope } from './session-scope';

/** The title of a session that nobody gives one: the first words of its first prompt, then the small model's. */
export interface SessionTitle {
  /** Takes the first words of a prompt where there is no title yet. */
  begin(prompt: readonly UserBlock[]): void;
  /** Asks the small model for a title of what a text is about; null when it names none, or the limit is reached. */
  suggest(text: string): Promise<string | null>;
  /** Gives up waiting for the model. */
  end(): Promise<void>;
}

/**
 * Keeps the title of a session. The small model is asked once, when the first answer is complete and where the host
 * wants it; whatever anybody else calls the session counts instead, also while the model is asked.
 */
export function createSessionTitle(
  { log, host, spending }: Pick<SessionScope, 'log' | 'host' | 'spending'>,
  { state, environment }: Pick<Agent, 'state' | 'environment'>,
): SessionTitle {
  let given = new AbortController();
  /** The prompt whose first words are the title, as long as nobody was asked for a better one. */
  let titled: string | null = null;
  let asking: Promise<void> = Promise.resolve();

  const ask = async (prompt: string, answer: string, signal: AbortSignal) => {
    await spending.refresh();
    if (signal.aborted || spending.reached() !== null) return null;
    const reply = await environment.agent.ask(titleQuestion(prompt, answer), signal);
    return reply.ok && !signal.aborted ? cleanTitle(textOf(reply.value)) : null;
  };
  const closing = new AbortController();
  const titleAfter = async (prompt: string, answer: string) => {
    const title = await ask(prompt, answer, given.signal);
    if (title !== null) state.record({ type: 'title_changed', title });
  };
  const unlisten = log.listen(({ event, agentId }) => {
    if (event.type === 'title_changed') given.abort();
    if (event.type !== 'query_finished' || agentId !== MAIN_AGENT || titled === null) return;
    if (event.terminal !== 'completed') return;
    const isWanted = host.titles?.() === true && state.config().model !== DEMO_MODEL;
    // A failure changes nothing: the first words stay.
    if (isWanted) asking = titleAfter(titled, event.text).catch(() => {});
    titled = null;
  });
  return {
    begin: (prompt) => {
      const title = titleFromPrompt(prompt);
      const named = log.transcript().title;
      if (title === '' || (named !== '' && named !== DAMAGED)) return;
      state.record({ type: 'title_changed', title });
      given = new AbortController();
      titled = wordsOf(prompt);
    },
    suggest: (text) => ask(text, '', closing.signal),
    end: async () => {
      unlisten();
      given.abort();
      closing.abort();
      await asking;
    },
  };
}

/** Returns what a user typed; of a prompt without words, what they pasted. */
const wordsOf = (prompt: readonly UserBlock[]): string =>
  typedWords(prompt).trim() ||
  prompt
    .flatMap((block) => (block.type === 'text' ? (pastedBody(block.text) ?? []) : []))
    .join('\n');
