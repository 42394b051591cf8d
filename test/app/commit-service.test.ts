import { expect, it } from 'vitest';
import { createCommitService } from '../../src/main/app/commit-service';
import type { CommandEnd, CommandSpec } from '../../src/main/engine/ports';
import type { Session } from '../../src/main/engine/session/session';
import { memoryClock } from '../support/memory-clock';

const SESSION = {
  project: '/project',
  main: { environment: { session: { trusted: () => true, shellEnv: async () => ({}) } } },
} as object as Session;

/** Git in a repository, which does what it is asked at once unless it is stopped. */
const git = async ({ argv }: CommandSpec, signal: AbortSignal): Promise<CommandEnd> => {
  const output = {
    exitCode: 0,
    stderr: '',
    stdout: argv.includes('rev-parse') ? '/project\n' : '',
  };
  return { kind: signal.aborted ? 'aborted' : 'exited', ...output };
};

it('stops a commit whose repository is still looked for', async () => {
  const found = Promise.withResolvers<void>();
  const commits = createCommitService({
    commands: { run: git },
    clock: memoryClock(),
    ids: { next: (prefix) => prefix, uuid: () => 'id' },
    decide: () => {
      throw new Error('Nothing is read.');
    },
    inSession: async (_, act) => {
      await found.promise;
      return act(SESSION);
    },
  });
  const end = commits.commit('session', 'Add a tug');
  expect(await commits.commit('session', 'Add another')).toMatchObject({ ok: false });
  await commits.stop('session');
  found.resolve();
  expect(await end).toMatchObject({ ok: true, value: { commit: null, stopped: true } });
});
