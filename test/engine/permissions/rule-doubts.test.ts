// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are variables of rules
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
  ['deny', 'Read($HOME/secret)', 'can never match: “$HOME” is not filled in'],
  ['deny', 'Read(${HOME}/secret)', 'can never match: “${HOME}” is not filled in'],
  ['deny', 'Read(//home/$USER/secret)', 'can never match: “$USER” is not filled in'],
  ['deny', 'Edit(%USERPROFILE%/secret)', 'can never match: “%USERPROFILE%” is not filled in'],
  ['deny', 'Read($(pwd)/secret)', 'can never match: “$(pwd)” is not filled in'],
  ['allow', 'Read($PWD/**)', 'can never match: “$PWD” is not filled in'],
  ['deny', 'Read(~root/x)', 'can never match: only “~/”'],
  ['deny', 'Read(//~/x)', 'can never match: nothing stands before “~/”'],
  ['deny', 'Read(./~/x)', 'can never match: nothing stands before “~/”'],
  ['deny', 'Read(file:///home/me/x)', 'can never match: a path stands here'],
  [
    'deny',
    'Read("~/secret")',
    'a path stands in no quotes of its own; “Read(~/secret)” may be meant, which it covers, too',
  ],
  [
    'deny',
    "Read('~/secret')",
    'a path stands in no quotes of its own; “Read(~/secret)” may be meant, which it covers, too',
  ],
  ['deny', 'Read(app/routes/$id.tsx)', null],
  ['deny', 'Read(routes/$userId/**)', null],
  ['deny', 'Read(~/.ssh/**)', null],
  ['deny', 'Read(~$report.docx)', null],
  ['deny', 'Read(100%/a%b)', null],
  ['deny', "Read(it's/**)", null],
])('the doubt about a path: %s %s', (behavior, text, words) => {
  const { parsed, problem } = readRule({ behavior, text, source: 'userSettings' });
  const told = problem?.message ?? (parsed && ruleDoubt(parsed));
  if (words === null) expect(told).toBeNull();
  else expect(told).toContain(words);
});

test.each<[RuleBehavior, string, string | null]>([
  ['deny', 'mcp__a__', '“mcp__a__*” may be meant, which it covers, too'],
  ['allow', 'mcp__a__', 'can never match'],
  ['deny', 'mcp__a.b__t', '“mcp__a_b__t” may be meant, which it covers, too'],
  ['allow', 'mcp__a.b__t', 'can never match'],
  ['deny', 'mcp__my server__t', '“mcp__my_server__t” may be meant'],
  ['deny', 'mcp__a__.*', '“mcp__a__*” may be meant'],
  ['deny', 'mcp__a', null],
  ['deny', 'mcp__a-b__t_u', null],
  ['deny', 'mcp__*__t', null],
  ['deny', 'mcp____t', 'names no server'],
])('the doubt about a name of tools: %s %s', (behavior, text, words) => {
  const { parsed, problem } = readRule({ behavior, text, source: 'userSettings' });
  const told = problem?.message ?? (parsed && ruleDoubt(parsed));
  if (words === null) expect(told).toBeNull();
  else expect(told).toContain(words);
});
