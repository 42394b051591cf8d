import { expect, it } from 'vitest';
import type { CollectContext } from '../../../src/main/engine/attachments/attachment';
import {
  createSkillSuggestions,
  speaksOf,
} from '../../../src/main/engine/attachments/skill-suggestions';
import type { Message } from '../../../src/shared/message';

it.each<[string, string, string, boolean]>([
  ['its name', 'Keep CHANGELOG.md in order', '/p/CHANGELOG.md', true],
  ['a folder', 'Writes database migrations', '/p/db/migration/0001_init.txt', true],
  ['a word of its name', 'How releases are made', '/p/scripts/release-notes.txt', true],
  ['its ending', 'For *.sql files.', '/p/a/b.sql', true],
  ['its ending, at the end of a sentence', 'Rules of .tsx', '/p/Button.tsx', true],
  ['another ending', 'For .sqlite files', '/p/a.sql', false],
  ['a short name without an ending', 'How to run and prune things', '/p/bin/run', false],
  ['a common name without an ending', 'Writes docs', '/p/bin/docs', false],
  ['part of a name', 'Mind data.json5', '/p/data.json', false],
  ['a name without an ending', 'Writes a Dockerfile.', '/p/Dockerfile', true],
  ['a name at the end of a sentence', 'Mind app.config.', '/p/app.config', true],
  ['a word that is everywhere', 'Writes tests and docs', '/p/src/tests/index.ts', false],
  ['a short word', 'Use the api', '/p/api/a.ts', false],
  ['part of a word', 'Talks of portability', '/p/port/a.ts', false],
  ['a folder far above', 'For harbour work', '/harbour/a/b/c/d/e.ts', false],
  ['an ending that a pattern would misread', 'x', '/p/a.(', false],
])('a skill that speaks of %s', (_, description, file, fits) =>
  expect(speaksOf({ name: 'x', description }, [file])).toBe(fits),
);

const call = (id: string, name: string, input: Record<string, unknown>): Message => ({
  ...{ role: 'assistant', id: `a${id}`, model: 'm' },
  content: [{ type: 'tool_use', id, name, input }],
});
const result = (id: string, failed = false): Message => ({
  ...{ role: 'user', id: `r${id}` },
  content: [{ type: 'tool_result', tool_use_id: id, content: [], is_error: failed }],
});
const prompt = (id: string): Message => ({ role: 'user', id, content: [] });

const SKILLS = [
  { name: 'changelog', description: 'Keep CHANGELOG.md in order' },
  { name: 'migrate', description: 'Writes migrations' },
];

/** Asks one collector for each of the histories in turn and gives the names that it suggests. */
async function suggestedFor(...histories: readonly (readonly Message[])[]) {
  const collector = createSkillSuggestions(() => SKILLS);
  const told: (readonly string[])[] = [];
  for (const history of histories) {
    const promptId = history.findLast(({ id }) => id.startsWith('p'))?.id ?? null;
    const query = { queryId: `q${promptId}`, promptId, turns: 1, spentUsd: 0 };
    const context = { history, mode: 'default', windowTokens: 1, query } as const;
    const facts = await collector.collect(
      {
        ...context,
        query: { ...query, maxTurns: null, maxBudgetUsd: null },
      } satisfies CollectContext,
      new AbortController().signal,
    );
    for (const fact of facts) fact.accept?.();
    const text = facts.flatMap(({ attachment }) => attachment?.text ?? []).join('\n');
    told.push([...text.matchAll(/^- (\w+):/gm)].map(([, name]) => name ?? ''));
  }
  return told;
}

it('suggests after a write, once for a prompt, and again for the next', async () => {
  const first = [prompt('p1'), call('1', 'Write', { file_path: '/p/CHANGELOG.md' }), result('1')];
  const more = [...first, call('2', 'Edit', { file_path: '/p/CHANGELOG.md' }), result('2')];
  const other = [...more, call('3', 'Write', { file_path: '/p/migrations/1.txt' }), result('3')];
  const next = [
    ...other,
    prompt('p2'),
    call('4', 'Edit', { file_path: 'CHANGELOG.md' }),
    result('4'),
  ];
  expect(await suggestedFor([prompt('p1')], first, more, other, next)).toEqual([
    [],
    ['changelog'],
    [],
    ['migrate'],
    ['changelog'],
  ]);
});

it.each<[string, readonly Message[]]>([
  ['a write that failed', [call('1', 'Write', { file_path: 'CHANGELOG.md' }), result('1', true)]],
  ['a write without a result', [call('1', 'Write', { file_path: 'CHANGELOG.md' })]],
  ['a read', [call('1', 'Read', { file_path: 'CHANGELOG.md' }), result('1')]],
  [
    'a skill that is in use',
    [
      ...[call('0', 'Skill', { skill: 'Changelog' }), result('0')],
      ...[call('1', 'Write', { file_path: 'CHANGELOG.md' }), result('1')],
    ],
  ],
  ['a path that is no text', [call('1', 'Write', { file_path: 5 }), result('1')]],
])('suggests nothing for %s', async (_, messages) =>
  expect(await suggestedFor([prompt('p1'), ...messages])).toEqual([[]]),
);
