import { expect, test } from 'vitest';
import { ruleDoubt } from '../../../src/main/engine/permissions/rule-doubts';
import { readRule } from '../../../src/main/engine/permissions/rules';
import type { RuleBehavior } from '../../../src/shared/permission';

const DRIVE = 'can never match: no path here begins with the drive of Windows';

test.each<[RuleBehavior, string, string | null]>([
  ['deny', 'Read(C:\\x)', DRIVE],
  ['ask', 'Read(./d:/x)', DRIVE],
  ['allow', 'Edit(//C:/x/**)', DRIVE],
  [
    'deny',
    'Read(.\\keys\\a.pem)',
    'folders are parted by “/”, as in “./keys/a.pem”, which it covers, too',
  ],
  ['allow', 'Edit(src\\gen\\**)', 'can never match: folders are parted by “/”, as in “src/gen/**”'],
  ['deny', 'Read(..\\x)', 'contains “..”'],
  ['deny', 'Read(a:b.txt)', null],
  ['deny', 'Read(\\*.pem)', null],
  ['allow', 'Edit(a\\ b/**)', null],
])('the doubt about a path: %s %s', (behavior, text, words) => {
  const { parsed, problem } = readRule({ behavior, text, source: 'userSettings' });
  const told = problem?.message ?? (parsed && ruleDoubt(parsed));
  if (words === null) expect(told).toBeNull();
  else expect(told).toContain(words);
});
