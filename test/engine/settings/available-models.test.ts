import { describe, expect, it } from 'vitest';
import { listModels, resolveModel } from '../../../src/main/engine/model/catalog';
import {
  availableModel,
  choosableModels,
  choosing,
} from '../../../src/main/engine/settings/available-models';
import { PLAN_ALIAS } from '../../../src/shared/model-name';
import type { SettingsProblem } from '../../../src/shared/settings';

const listed = (...entries: string[]) => [{ file: 'settings.json', entries }];
const resolve = (name: string) => resolveModel(name, {}, true);
const standard = resolve('default');
const may = (model: string, ...entries: string[]) =>
  availableModel(model, { availableModels: listed(...entries) }, resolve).ok;

describe('availableModels', () => {
  it.each([
    ['sonnet', 'claude-sonnet-5', true],
    ['sonnet', 'claude-haiku-4-5', false],
    ['sonnet', 'us.anthropic.claude-sonnet-5-20260101-v1:0', true],
    ['claude-sonnet-5', 'claude-sonnet-5', true],
    ['claude-sonnet-5', 'claude-sonnet-5-5', true],
    ['claude-sonnet-5', 'claude-sonnet-50', false],
    ['sonnet-5', 'claude-sonnet-5', true],
    ['claude-sonnet-5-5', 'claude-sonnet-5', false],
    ['Claude-Sonnet-5[1m]', 'claude-sonnet-5', true],
    ['claude', 'claude-haiku-4-5', true],
    [' ', 'claude-haiku-4-5', false],
    ['local-model', 'local-model', true],
    ['local-model', 'local-models', false],
  ])('the entry %j has the model %s: %s', (entry, model, has) => {
    expect(may(model, entry)).toBe(has);
  });

  it('lets the model be chosen that is taken where nobody chose, whatever the list says', () => {
    expect(standard.ok && may(standard.value)).toBe(true);
    expect(may('claude-haiku-4-5')).toBe(false);
  });

  it('has the choice that depends on the mode when it is named, or both of its models', () => {
    expect(may(PLAN_ALIAS, 'sonnet')).toBe(false);
    expect(may(PLAN_ALIAS, 'sonnet', 'opus')).toBe(true);
    expect(may(PLAN_ALIAS, PLAN_ALIAS)).toBe(true);
  });

  it('says which file does not have a model, and what can be chosen', () => {
    const refused = availableModel(
      'claude-haiku-4-5',
      { availableModels: listed('sonnet') },
      resolve,
    );
    expect(refused).toMatchObject({
      error: {
        message: 'The model "claude-haiku-4-5" is not in availableModels of settings.json.',
        fix: 'Choose one of: sonnet.',
      },
    });
  });

  it('knows a family by what the environment puts in its place', () => {
    const env = { ANTHROPIC_DEFAULT_SONNET_MODEL: 'harbour-large' };
    const asked = (name: string, ...entries: string[]) =>
      availableModel(name, { availableModels: listed(...entries) }, (one) =>
        resolveModel(one, env),
      );
    expect(asked('sonnet', 'sonnet')).toEqual({ ok: true, value: 'harbour-large' });
    expect(asked('harbour-large', 'sonnet').ok).toBe(true);
    expect(asked('sonnet', 'haiku').ok).toBe(false);
  });

  it('wants a model on each of several lists', () => {
    const availableModels = [...listed('sonnet', 'haiku'), ...listed('haiku')];
    const asked = (model: string) => availableModel(model, { availableModels }, resolve).ok;
    expect([asked('claude-sonnet-5'), asked('claude-haiku-4-5')]).toEqual([false, true]);
  });

  it('shortens the menu, and leaves it alone where there is no list', () => {
    expect(choosableModels({})).toEqual(listModels());
    const families = choosableModels({ availableModels: listed('haiku') }).map((one) => one.alias);
    expect(families).toEqual(['opus', 'haiku']);
  });

  it('leaves out what settings choose, and tells it once', () => {
    const problems: SettingsProblem[] = [];
    const mayChoose = choosing(listed('sonnet'), problems);
    expect(mayChoose('model', 'haiku')).toBeUndefined();
    expect(mayChoose('model', 'haiku')).toBeUndefined();
    expect(mayChoose('model', 'sonnet')).toBe('sonnet');
    expect(problems.map(({ field }) => field)).toEqual(['model']);
  });
});
