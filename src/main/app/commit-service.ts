import { join } from 'node:path';
import type { CommitReport, GitChanges, StageDiff } from '../../shared/commit';
import { err, fault, ok, type Result } from '../../shared/result';
import { DEMO_MODEL } from '../../shared/settings';
import { type Commits, createCommits } from '../engine/commits/commits';
import { draftMessage } from '../engine/commits/draft-message';
import type { Decide } from '../engine/permissions/request';
import type { Clock, Commands, Ids } from '../engine/ports';
import type { Session } from '../engine/session/session';
import { locate, readRequest } from '../engine/tools/builtin/support/target';

/** Stages and commits what changed in the projects of sessions, each act at a press of a user. */
export interface CommitService {
  /** Null where there is nothing to commit to: no repository, or a folder nobody trusts. */
  view(sessionId: string): Promise<Result<GitChanges | null>>;
  diff(sessionId: string, path: string): Promise<Result<StageDiff>>;
  stage(sessionId: string, path: string, staged: boolean, hunk?: string): Promise<Result<null>>;
  draft(sessionId: string): Promise<Result<string>>;
  commit(sessionId: string, message: string): Promise<Result<CommitReport>>;
  /** Stops the commit of a session, with the hooks that it runs. */
  stop(sessionId: string): Promise<Result<null>>;
}

export interface CommitServiceOptions {
  readonly commands: Pick<Commands, 'run'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly decide: Decide;
  readonly inSession: <T>(
    sessionId: string,
    act: (session: Session) => Result<T> | Promise<Result<T>>,
  ) => Promise<Result<T>>;
}

/** The longest wait for a draft. Milliseconds. */
const DRAFT_MS = 60_000;

/** Creates the service. */
export function createCommitService(options: CommitServiceOptions): CommitService {
  const { commands, clock, ids, decide, inSession } = options;
  const inRepository = <T>(
    sessionId: string,
    act: (commits: Commits, session: Session) => Promise<Result<T>>,
    untrusted: Result<T> = err(UNTRUSTED),
  ) =>
    inSession(sessionId, async (session) => {
      const { environment } = session.main;
      if (!environment.session.trusted()) return untrusted;
      const env = environment.session.shellEnv;
      return act(createCommits({ commands, clock, ids, folder: session.project, env }), session);
    });

  /** The commits that run, by session. */
  const running = new Map<string, AbortController>();

  /** Tells whether the model may read a file of the repository without asking. */
  const mayRead = async ({ main, permissions }: Session, path: string) => {
    const target = await locate(path, main.environment);
    const { rules, mode, context } = permissions.now();
    return decide(readRequest(target), rules, mode, context).behavior === 'allow';
  };

  return {
    view: (sessionId) => inRepository(sessionId, (commits) => commits.view(), ok(null)),
    diff: (sessionId, path) => inRepository(sessionId, (commits) => commits.diff(path)),
    stage: (sessionId, path, staged, hunk) =>
      inRepository(sessionId, (commits) => commits.stage(path, staged, hunk)),
    draft: (sessionId) =>
      inRepository(sessionId, async (commits, session) => {
        if (session.main.state.config().model === DEMO_MODEL) return err(IN_DEMO);
        const [top, found] = [await commits.top(), await commits.view()];
        if (!found.ok) return found;
        const shown: string[] = [];
        const hidden: string[] = [];
        for (const { path, from, staged } of found.value?.files ?? []) {
          if (staged === null) continue;
          for (const name of from === undefined ? [path] : [from, path])
            ((await mayRead(session, join(top ?? '', name))) ? shown : hidden).push(name);
        }
        if (shown.length + hidden.length === 0) return err(NOTHING_STAGED);
        const diff = shown.length === 0 ? ok('') : await commits.stagedText(shown);
        if (!diff.ok) return diff;
        const facts = { diff: diff.value, hidden, subjects: await commits.subjects() };
        const { ask } = session.main.environment.agent;
        return draftMessage(facts, ask, AbortSignal.timeout(DRAFT_MS));
      }),
    commit: async (sessionId, message) => {
      if (running.has(sessionId)) return err(COMMITTING);
      // From now on it can be stopped, also while its repository is looked for.
      const stop = new AbortController();
      running.set(sessionId, stop);
      try {
        return await inRepository(sessionId, (commits) => commits.commit(message, stop.signal));
      } finally {
        running.delete(sessionId);
      }
    },
    stop: async (sessionId) => {
      running.get(sessionId)?.abort();
      return ok(null);
    },
  };
}

const UNTRUSTED = fault('untrusted', 'This folder is not trusted.', 'Trust it first.');
const COMMITTING = fault('busy', 'A commit is being made.', 'Wait for it, or stop it.');
const NOTHING_STAGED = fault('nothing_staged', 'Nothing is staged.', 'Choose what to commit.');
const IN_DEMO = fault('demo', 'The demo drafts no messages.', 'Write one, or connect a model.');
