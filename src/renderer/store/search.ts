import { ok, type Result } from '../../shared/result';
import type {
  OtherPage,
  OtherPageRequest,
  SearchAnswer,
  SearchHit,
} from '../../shared/session-search';
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

/** Reads a page of another agent's log. */
export const readOther = (
  { ask }: Pick<Lathe, 'ask'>,
  request: OtherPageRequest,
): Promise<Result<OtherPage>> => ask((client) => client.sessions.readOther(request));

/** Shows the message that was found: in its session and project, or in another agent's log. */
export async function showHit(lathe: Lathe, hit: SearchHit): Promise<void> {
  const { project, sessionId, itemId, snippet, other } = hit;
  if (other !== undefined) {
    lathe.store.setState({ dialog: { kind: 'otherLog', hit: { ...hit, other } } });
    return;
  }
  const text = snippet.find(({ found }) => found)?.text ?? '';
  await followRequest(lathe, { type: 'show', project, sessionId });
  lathe.store.setState({ revealed: { sessionId, itemId, text } });
}
