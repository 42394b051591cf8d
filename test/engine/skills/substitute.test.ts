// biome-ignore-all lint/suspicious/noTemplateCurlyInString: skills write variables so
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expandSkill, splitArguments } from '../../../src/main/engine/skills/substitute';

const expand = (body: string, args = '', names: readonly string[] = []) =>
  expandSkill(body, {
    args,
    names,
    variables: { CLAUDE_SESSION_ID: 's1', CLAUDE_SKILL_DIR: '/skill', CLAUDE_PROJECT_DIR: '/p' },
  });
const textOf = (...given: Parameters<typeof expand>) =>
  expand(...given)
    .map((part) => (part.kind === 'text' ? part.text : `<${part.command}>`))
    .join('');

describe('the text of a skill', () => {
  it.each([
    ['Fix $ARGUMENTS now', 'a b', 'Fix a b now'],
    ['$0 then $1, not $2!', 'one "two three"', 'one then two three, not $2!'],
    ['costs $12, $issue of $area', '7', 'costs $12, 7 of '],
    ['only $3', 'a', 'only $3\n\nARGUMENTS: a'],
    ['\\$1.00 for $0', 'geese', '$1.00 for geese'],
    [
      '\\$ARGUMENTS \\$ARGUMENTS[0] \\$issue',
      'x',
      '$ARGUMENTS $ARGUMENTS[0] $issue\n\nARGUMENTS: x',
    ],
    ['\\\\$0 \\$other \\${CLAUDE_SKILL_DIR} \\n', 'x', '\\\\x \\$other \\/skill \\n'],
    ["!`awk '{print $2}' f`", '', "<awk '{print $2}' f>"],
    ['$ARGUMENTS[1] and $ARGUMENTS[0]', 'a b', 'b and a'],
    ['$issue of $area', '12 ui', '12 of ui'],
    ['costs $other and $ 5', '', 'costs $other and $ 5'],
    [
      '${CLAUDE_SESSION_ID} ${CLAUDE_SKILL_DIR}/x ${CLAUDE_PROJECT_DIR} ${HOME}',
      '',
      's1 /skill/x /p ${HOME}',
    ],
    ['No place', 'for it', 'No place\n\nARGUMENTS: for it'],
    ['$ARGUMENTS', '$0 ${CLAUDE_SKILL_DIR} !`rm x`', '$0 ${CLAUDE_SKILL_DIR} !`rm x`'],
    ['Now: !`git status` and !`git log $0`.', 'main', 'Now: <git status> and <git log main>.'],
    ['```!\ndate\nuptime\n```\nend', '', '<date\nuptime>\nend'],
    ['not a`b`!`c` one, nor `!`', '', 'not a`b`!`c` one, nor `!`'],
  ])('%j with %j', (body, args, filled) => {
    expect(textOf(body, args, ['issue', 'area'])).toBe(filled);
  });

  it('never gets a command from what is filled in', () => {
    fc.assert(
      fc.property(fc.string(), (args) => {
        const commands = expand('a $ARGUMENTS $0 b', args).filter(({ kind }) => kind === 'command');
        expect(commands).toEqual([]);
      }),
    );
  });

  it('is filled in at once, however many backslashes stand in it', () => {
    expect(textOf('\\'.repeat(200_000))).toHaveLength(200_000);
  });

  it('is taken apart at once, however many blocks without an end stand in it', () => {
    const open = '```!\n'.repeat(200_000);
    expect(expand(open)).toEqual([{ kind: 'text', text: open }]);
    expect(textOf(`\`\`\`!\na\n\`\`\`\n${open}!\`b\``)).toBe(`<a>\n${open}<b>`);
  });

  it('splits arguments as a shell does', () => {
    expect(splitArguments(`a  "b c" 'd "e' f"g h"i "open`)).toEqual([
      'a',
      'b c',
      'd "e',
      'fg hi',
      'open',
    ]);
  });
});
