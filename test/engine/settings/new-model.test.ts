import { expect, it } from 'vitest';
import { resolveModel } from '../../../src/main/engine/model/catalog';
import { type ModelSettings, newModel } from '../../../src/main/engine/settings/new-model';

const resolve = (name: string) => resolveModel(name, {});

it.each<[string, ModelSettings, Record<string, string>, string]>([
  [
    'a setting',
    { model: 'nope', places: { model: { file: '/s.json', line: 2 } } },
    {},
    '/s.json, line 2: model: There is no model "nope".',
  ],
  [
    'a variable of settings',
    { ownVariables: { ANTHROPIC_MODEL: { file: '/s.json', line: 3, value: 'nope' } } },
    { ANTHROPIC_MODEL: 'nope' },
    '/s.json, line 3: env.ANTHROPIC_MODEL: There is no model "nope".',
  ],
  [
    'a variable, over a setting',
    { model: 'opus', places: { model: { file: '/s.json', line: 2 } } },
    { ANTHROPIC_MODEL: 'nope' },
    'the environment: ANTHROPIC_MODEL: There is no model "nope".',
  ],
])('a model that there is not is told where %s names it', (_, settings, env, words) => {
  const found = newModel(settings, env, resolve);
  expect(found.ok ? '' : found.error.message).toBe(words);
});
