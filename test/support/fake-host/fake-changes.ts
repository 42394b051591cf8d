import { implement } from '@orpc/server';
import type { SessionChanges } from '../../../src/shared/changes';
import { changesContract } from '../../../src/shared/contract-changes';
import { commitsContract } from '../../../src/shared/contract-commits';
import { ok } from '../../../src/shared/result';

const os = implement(changesContract);

/** Answers about what a session changed, the same each time; `did` hears of what was asked for. */
export const fakeChanges = (did: (name: string, input: unknown) => void) => ({
  list: os.list.handler(({ input }) => {
    did('changes.list', input);
    return ok(CHANGES);
  }),
  diff: os.diff.handler(({ input }) =>
    ok({
      path: input.path,
      now: 'f00d',
      hunks: [
        {
          oldStart: 10,
          newStart: 10,
          lines: [
            ' export function check(user: User) {',
            '-  if (user) return true;',
            '+  if (user.active && !user.locked) return true;',
            '   return false;',
          ],
        },
        {
          oldStart: 40,
          newStart: 40,
          lines: [" import { hash } from './hash';", "+import { compare } from './compare';", ' '],
        },
      ],
    }),
  ),
  revertHunk: os.revertHunk.handler(({ input }) => {
    did('changes.revertHunk', input);
    return ok({ id: 'session/chk_9', count: 1, left: [], failed: [] });
  }),
});

/** A file of each kind. */
const CHANGES: SessionChanges = {
  files: [
    { path: 'src/auth.ts', kind: 'file', act: 'change', added: 2, removed: 1, shared: false },
    {
      path: 'src/new-helper.ts',
      kind: 'file',
      act: 'create',
      added: 31,
      removed: 0,
      shared: false,
    },
    { path: 'src/old-helper.ts', kind: 'file', act: 'delete', added: 0, removed: 12, shared: true },
    { path: 'assets/logo.png', kind: 'file', act: 'create', binary: true, shared: false },
  ],
  count: 4,
};

const commits = implement(commitsContract);

/** Answers about commits: the project is in no repository. */
export const fakeCommits = (did: (name: string, input: unknown) => void) => ({
  view: commits.view.handler(() => ok(null)),
  diff: commits.diff.handler(() => ok({ staged: [], unstaged: [] })),
  stage: commits.stage.handler(({ input }) => {
    did('commits.stage', input);
    return ok(null);
  }),
  stop: commits.stop.handler(() => ok(null)),
  draft: commits.draft.handler(() => ok('Begin')),
  commit: commits.commit.handler(({ input }) => {
    did('commits.commit', input);
    return ok({ commit: 'abc1234', output: '' });
  }),
});
