import { implement } from '@orpc/server';
import type { RestorePreview } from '../../../src/shared/checkpoint';
import { restoreContract } from '../../../src/shared/contract-restore';
import { ok } from '../../../src/shared/result';

const os = implement(restoreContract);

/** Answers about restores of files, the same each time; `did` hears of what was asked for. */
export const fakeRestore = (did: (name: string, input: unknown) => void) => ({
  preview: os.preview.handler(({ input }) => {
    did('restore.preview', input);
    return ok(RESTORE_PREVIEW);
  }),
  diff: os.diff.handler(({ input }) =>
    ok({
      path: input.path,
      hunks: [{ oldStart: 1, newStart: 1, lines: ['-after the call', '+before it'] }],
    }),
  ),
  files: os.files.handler(({ input }) => {
    did('restore.files', input);
    return ok({ id: 'session/chk_9', count: 3, left: [], failed: [] });
  }),
});

/** A preview with a file of each kind. */
const RESTORE_PREVIEW: RestorePreview = {
  files: [
    { path: 'src/auth.ts', kind: 'file', act: 'change', added: 4, removed: 1 },
    { path: 'src/new-helper.ts', kind: 'file', act: 'delete', added: 0, removed: 31 },
    { path: 'assets/logo.png', kind: 'file', act: 'create', binary: true },
  ],
  count: 3,
  conflicts: [
    { path: 'README.md', kind: 'file', act: 'change', added: 2, removed: 2, conflict: 'edited' },
  ],
  conflictCount: 1,
  lost: [],
};
