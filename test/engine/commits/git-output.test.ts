import { describe, expect, it } from 'vitest';
import { readHunks, readStatus } from '../../../src/main/engine/commits/git-output';

const zeros = '0'.repeat(40);
const status = (...records: readonly string[]) => readStatus(`${records.join('\0')}\0`);

describe('the status of a repository', () => {
  it('tells what is staged and what is not, and where', () => {
    const found = status(
      '# branch.oid (initial)',
      '# branch.head feature/a b',
      `1 M. N... 100644 100644 100644 ${zeros} ${zeros} staged file.txt`,
      `1 .D N... 100644 100644 000000 ${zeros} ${zeros} gone.txt`,
      `1 AM N... 000000 100644 100644 ${zeros} ${zeros} both.txt`,
      `2 R. N... 100644 100644 100644 ${zeros} ${zeros} R100 new name.txt`,
      'old name.txt',
      `u UU N... 100644 100644 100644 100644 ${zeros} ${zeros} ${zeros} clash.txt`,
      '? fresh file.txt',
    );
    expect(found).toEqual({
      branch: 'feature/a b',
      files: [
        { path: 'both.txt', staged: 'new', unstaged: 'changed' },
        { path: 'clash.txt', staged: null, unstaged: 'conflict' },
        { path: 'fresh file.txt', staged: null, unstaged: 'new' },
        { path: 'gone.txt', staged: null, unstaged: 'deleted' },
        { path: 'new name.txt', from: 'old name.txt', staged: 'renamed', unstaged: null },
        { path: 'staged file.txt', staged: 'changed', unstaged: null },
      ],
      ...{ count: 6, stagedCount: 3 },
    });
  });

  it('keeps files in their places while they are staged, and those that are known ahead of new ones where not all are listed', () => {
    const known = `1 .M N... 100644 100644 100644 ${zeros} ${zeros} ships.txt`;
    const added = `1 A. N... 000000 100644 100644 ${zeros} ${zeros} new.txt`;
    const paths = (...records: readonly string[]) =>
      status(...records).files.map((one) => one.path);
    expect(paths(known, '? new.txt', '? secret.txt')).toEqual(paths(added, known, '? secret.txt'));
    const many = Array.from({ length: 600 }, (_, at) => `? file-${at}`);
    expect(paths(known, ...many)).toContain('ships.txt');
  });

  it('has no branch where none is checked out, and a list that ends', () => {
    const many = Array.from({ length: 600 }, (_, at) => `? file-${at}`);
    const { branch, files, count } = status('# branch.head (detached)', ...many);
    expect([branch, files.length, count]).toEqual([null, 500, 600]);
  });
});

describe('the hunks of a difference', () => {
  const head = 'diff --git a/x b/x\nold mode 100644\nnew mode 100755\n--- a/x\n+++ b/x\n';
  const one = '@@ -1,2 +1,2 @@ fn\n-a\n+b\n c\n';
  const two = '@@ -9 +9,2 @@\n z\n+@@ not a hunk\n\\ No newline at end of file\n';

  it('are patches of their own, without the change of the mode', () => {
    const hunks = readHunks(head + one + two);
    const plain = 'diff --git a/x b/x\n--- a/x\n+++ b/x\n';
    expect(hunks?.map(({ patch }) => patch)).toEqual([plain + one, plain + two]);
    expect(hunks?.map(({ hunk }) => [hunk.oldStart, hunk.newStart, hunk.lines])).toEqual([
      [1, 1, ['-a', '+b', ' c']],
      [9, 9, [' z', '+@@ not a hunk']],
    ]);
    expect(new Set(hunks?.map(({ hunk }) => hunk.id)).size).toBe(2);
  });

  it.each([
    ['bytes that are no text', 'Binary files a/x and b/x differ\n'],
    ['a text that is not UTF-8', `${one}+\uFFFD\n`],
  ])('are not taken from %s', (_, body) => expect(readHunks(head + body)).toBeNull());

  it('are none where nothing differs', () => expect(readHunks('')).toEqual([]));
});
