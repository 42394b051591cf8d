import type { Lathe } from './lathe';
import type { Screen } from './screen';
import { reported } from './toasts';

type Parts = Pick<Lathe, 'ask' | 'store'>;

/** Returns the key of the draft of a session's next commit message. */
export const commitDraftKey = (sessionId: string): string => `commit:${sessionId}`;

/** Commits what is staged. How it ends stands in the store until it is dismissed, whatever is on screen meanwhile. */
export async function commitStaged(
  { ask, store, drafts }: Parts & Pick<Lathe, 'drafts'>,
  sessionId: string,
  message: string,
): Promise<void> {
  setCommit(store, sessionId, 'running');
  const done = await ask((client) => client.commits.commit({ sessionId, message }));
  if (done.ok && done.value.commit !== null) drafts.set(commitDraftKey(sessionId), '');
  setCommit(store, sessionId, done.ok ? done.value : done.error);
}

/** Ends the commit that runs in a session, with its hooks. */
export async function stopCommit({ ask, store }: Parts, sessionId: string): Promise<void> {
  reported(store, await ask((client) => client.commits.stop({ sessionId })));
}

/** Takes away how a commit ended. */
export const dismissCommit = ({ store }: Pick<Lathe, 'store'>, sessionId: string): void =>
  store.setState(({ commits: { [sessionId]: _, ...commits } }) => ({ commits }));

const setCommit = (
  store: Lathe['store'],
  sessionId: string,
  state: Screen['commits'][string],
): void => store.setState(({ commits }) => ({ commits: { ...commits, [sessionId]: state } }));
