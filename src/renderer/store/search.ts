import { ok, type Result } from '../../shared/result';
import type { SearchAnswer, SearchHit } from '../../shared/session-search';
import type { Lathe } from './lathe';
import { followRequest } from './projects';

/** Searches what was said in all sessions and calls back with each answer, until it is done or the signal aborts. */
export const searchSessions = (
  { ask }: Pick<Lathe, 'ask'>,
  text: string,
  signal: AbortSignal,
  onAnswer: (answer: SearchAnswer) => void,
): Promise<Result<null>> =>
  ask(async (client) => {
    for await (const answer of await client.sessions.search({ text }, { signal })) {
      if (signal.aborted) break;
      if (!answer.ok) return answer;
      onAnswer(answer.value);
    }
    return ok(null);
  });

/** Shows the message that was found, in its session and project. */
export async function showHit(
  lathe: Lathe,
  { project, sessionId, itemId, snippet }: SearchHit,
): Promise<void> {
  const text = snippet.find(({ found }) => found)?.text ?? '';
  await followRequest(lathe, { type: 'show', project, sessionId });
  lathe.store.setState({ revealed: { sessionId, itemId, text } });
}
