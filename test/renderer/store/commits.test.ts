import { expect, test, vi } from 'vitest';
import type { Ask } from '../../../src/renderer/store/ask';
import {
  commitDraftKey,
  commitStaged,
  dismissCommit,
  stopCommit,
} from '../../../src/renderer/store/commits';
import type { Lathe } from '../../../src/renderer/store/lathe';
import { createScreenStore } from '../../../src/renderer/store/screen';
import { err, fault, ok } from '../../../src/shared/result';

const parts = (commits: object) => {
  const set = vi.fn();
  const ask = ((call: (given: unknown) => unknown) => call({ commits })) as unknown as Ask;
  return { ask, set, store: createScreenStore(), drafts: { set } as unknown as Lathe['drafts'] };
};

test('a commit is known to run, and how it ended, whatever is on screen', async () => {
  const done = Promise.withResolvers<unknown>();
  const lathe = parts({ commit: () => done.promise });
  const committing = commitStaged(lathe, 's', 'Begin');
  expect(lathe.store.getState().commits).toEqual({ s: 'running' });
  const report = { commit: 'abc', output: '' };
  done.resolve(ok(report));
  await committing;
  expect(lathe.store.getState().commits).toEqual({ s: report });
  expect(lathe.set).toHaveBeenCalledWith(commitDraftKey('s'), '');
  dismissCommit(lathe, 's');
  expect(lathe.store.getState().commits).toEqual({});
});

test('the message stays when nothing was committed', async () => {
  const problem = fault('no_git', 'There is no git.');
  const lathe = parts({ commit: async () => err(problem) });
  await commitStaged(lathe, 's', 'Begin');
  expect(lathe.store.getState().commits).toEqual({ s: problem });
  expect(lathe.set).not.toHaveBeenCalled();
});

test('a stop that fails is told', async () => {
  const lathe = parts({ stop: async () => err(fault('offline', 'Not connected.')) });
  await stopCommit(lathe, 's');
  expect(lathe.store.getState().toasts).toMatchObject([{ text: 'Not connected.' }]);
});
