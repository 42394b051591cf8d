import { describe, expect, it } from 'vitest';
import { planRestore } from '../../../src/main/engine/checkpoints/restore-plan';
import type { FileState } from '../../../src/main/engine/ports-checkpoints';

const file = (blob: string): FileState => ({ kind: 'file', mode: 0o644, size: 1, blob });
const FOLDER: FileState = { kind: 'folder', mode: 0o755 };
type Step = readonly [before: FileState | null, after: FileState | null];

describe('planRestore', () => {
  it.each<[string, readonly Step[], FileState | null, 'edited' | undefined]>([
    ['as the session left it', [[file('a'), file('b')]], file('b'), undefined],
    ['changed since', [[file('a'), file('b')]], file('mine'), 'edited'],
    ['taken away since', [[file('a'), file('b')]], null, 'edited'],
    [
      'changed in between',
      [
        [file('a'), file('b')],
        [file('mine'), file('c')],
      ],
      file('c'),
      'edited',
    ],
    [
      'taken away in between, made and removed again',
      [
        [file('a'), file('b')],
        [null, file('c')],
        [file('c'), null],
      ],
      null,
      'edited',
    ],
    ['a file that the session removed', [[file('a'), null]], null, undefined],
    [
      'a folder made, taken away and made again',
      [
        [null, FOLDER],
        [null, FOLDER],
      ],
      FOLDER,
      undefined,
    ],
    [
      'a folder removed, and made again since',
      [[FOLDER, null]],
      { kind: 'folder', mode: 0o700 },
      undefined,
    ],
  ])('%s', (_, steps, now, conflict) => {
    const sets = steps.map(([before, after]) => ({
      changes: [{ path: 'a', before, after }],
      uncertain: false,
    }));
    const { files, lost } = planRestore(sets, new Map([['a', now]]));
    const target = steps[0]?.[0] ?? null;
    expect(files).toEqual([{ path: 'a', now, target, ...(conflict && { conflict }) }]);
    expect(lost).toEqual([]);
  });
});
