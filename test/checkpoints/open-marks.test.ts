import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createOpenMarks } from '../../src/main/checkpoints/open-marks';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'marks-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a mark stands until its call is over', () => {
  const marks = createOpenMarks(folder);
  const release = marks.put({ session: 'ses', text: 'Bash' });
  expect(marks.left('ses')).toEqual(['Bash']);
  release();
  expect(marks.left('ses')).toEqual([]);
});

test.skipIf(process.platform !== 'linux')('a full disk leaves no empty mark', () => {
  mkdirSync(join(folder, 'ses'));
  symlinkSync('/dev/full', join(folder, 'ses', '00000001'));
  const marks = createOpenMarks(folder);
  marks.put({ session: 'ses', text: 'Bash' })();
  expect(readdirSync(join(folder, 'ses'))).toEqual([]);
});
