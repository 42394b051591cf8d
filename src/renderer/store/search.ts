import { ok, type Result } from '../../shared/result';
import type {
  OtherContents,
  OtherLogName,
  OtherPage,
  OtherPageRequest,
  SearchAnswer,
  SearchHit,
} from '../../shared/session-search';
import type { Lathe } from './lathe';
import { followRequest } from './projects';
import { putInDraft } from './sessions';
import { reported } from './toasts';

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

/** Lists the prompts in another agent's log. */
export const contentsOfOther = (
  { ask }: Pick<Lathe, 'ask'>,
  log: OtherLogName,
): Promise<Result<OtherContents>> => ask((client) => client.sessions.contentsOfOther(log));

/** Makes a session of another agent's log, up to a message or to its end (null), and shows it; a failure is shown. */
export async function forkOther(
  lathe: Lathe,
  { origin, log }: OtherLogName,
  itemId: string | null,
): Promise<Result<null>> {
  const project = lathe.store.getState().opened?.path ?? null;
  const copied = reported(
    lathe.store,
    await lathe.ask((client) => client.sessions.copyOther({ origin, log, itemId, project })),
  );
  if (!copied.ok) return copied;
  const { sessionId, prompt } = copied.value;
  if (prompt !== null) putInDraft(lathe, sessionId, prompt);
  await followRequest(lathe, { type: 'show', project: copied.value.project, sessionId });
  return ok(null);
}

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
