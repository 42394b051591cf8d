import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { SkillOverrides } from '../../../src/main/engine/settings/skill-overrides';
import { createSkillStore } from '../../../src/main/engine/skills/skill-store';
import { createNodeFiles } from '../../../src/main/node/files';
import { tempFolder } from '../../node/temp-folder';

const FILE = '/home/ann/.claude/settings.json';

/** The problems of a project with the skill `review` under these overrides, which a settings file has in line 3. */
async function told(skillOverrides: SkillOverrides, includeFiles = true) {
  const project = await tempFolder();
  const file = join(project, '.claude', 'skills', 'review', 'SKILL.md');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, '---\nname: review\ndescription: Reviews.\n---\nReview it.');
  const places = Object.keys(skillOverrides).map((name) => [
    `skillOverrides.${name}`,
    { file: FILE, line: 3 },
  ]);
  const store = createSkillStore(
    createNodeFiles(),
    () => ({
      ...{ project, userFolder: join(project, 'home'), managedFile: null, includeProject: true },
      ...{ includeFiles, skillOverrides, settingPlaces: Object.fromEntries(places) },
    }),
    new Set(),
  );
  await store.refresh();
  return store.problems().map(({ message }) => message);
}

test.each<[string, SkillOverrides, readonly string[]]>([
  ['no skill', { deploy: 'off' }, ['no skill has this name so far, so it changes nothing.']],
  ['a mistyped one', { reveiw: 'off' }, ['so it changes nothing; “review” may be meant.']],
  [
    'a name of every object',
    JSON.parse('{"constructor": "off"}'),
    ['no skill has this name so far'],
  ],
  ['one that is off by it', { review: 'off' }, []],
  ['one that is on', { review: 'on' }, []],
])('an override of settings that names %s', async (_, overrides, words) => {
  const found = await told(overrides);
  const [name] = Object.keys(overrides);
  expect(found).toEqual(words.map((one) => expect.stringContaining(one)));
  for (const line of found) expect(line).toContain(`${FILE}, line 3: skillOverrides.${name}: `);
});

test('a session without skills says nothing of overrides', async () => {
  expect(await told({ deploy: 'off' }, false)).toEqual([]);
});
