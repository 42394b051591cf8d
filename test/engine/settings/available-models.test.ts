import { describe, expect, it } from 'vitest';
import { listModels, resolveModel } from '../../../src/main/engine/model/catalog';
import {
  type AvailableModels,
  availableModel,
  choosableModels,
  choosing,
  smallModelOf,
  withRefusals,
} from '../../../src/main/engine/settings/available-models';
import { PLAN_ALIAS } from '../../../src/shared/model-name';
import type { SettingsProblem } from '../../../src/shared/settings';

const denied = (...entries: string[]) => ({ file: 'managed.json', entries });
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
    const mayChoose = choosing({ availableModels: listed('sonnet') }, problems);
    expect(mayChoose('model', 'haiku')).toBeUndefined();
    expect(mayChoose('model', 'haiku')).toBeUndefined();
    expect(mayChoose('model', 'sonnet')).toBe('sonnet');
    expect(problems.map(({ field }) => field)).toEqual(['model']);
  });
});

describe('the model that is taken where nobody chose', () => {
  const bound = (...entries: string[]) => ({
    availableModels: listed(...entries),
    enforceAvailableModels: true,
  });
  const taken = (limits: AvailableModels) => {
    const result = availableModel('default', limits, resolve);
    return result.ok ? result.value : result.error.message;
  };
  const usual = standard.ok ? standard.value : '';

  it.each<[string, AvailableModels, string]>([
    ['is the usual one', { availableModels: listed('sonnet') }, usual],
    ['is the first of the list that binds it', bound('sonnet', 'haiku'), 'claude-sonnet-5-5'],
    ['stays where the list has it', bound('haiku', 'opus'), usual],
    ['stays where the list is empty', bound(), usual],
    ['needs a list', { enforceAvailableModels: true }, usual],
    ['may be named without the maker', bound('haiku-4-5'), 'claude-haiku-4-5'],
    [
      'stands on every list',
      {
        availableModels: [...listed('sonnet', 'haiku'), ...listed('haiku')],
        enforceAvailableModels: true,
      },
      'claude-haiku-5-5',
    ],
    [
      'is bound by a list of exact ids, too',
      { availableModels: listed('sonnet'), exactModels: true },
      'claude-sonnet-5-5',
    ],
    [
      'is not bound by names that mean another model with the next version',
      { availableModels: listed('default', 'opusplan'), exactModels: true },
      usual,
    ],
    ['steps down past a denied one', { deniedModels: denied('opus') }, 'claude-sonnet-5-5'],
    ['steps down twice', { deniedModels: denied('opus', 'sonnet') }, 'claude-haiku-5-5'],
    [
      'is none where all are denied',
      { deniedModels: denied('claude') },
      `The model "${usual}" is in deniedModels of managed.json.`,
    ],
    [
      'is none where a list of denials cannot be read',
      { deniedModels: denied('*') },
      `The model "${usual}" is in deniedModels of managed.json.`,
    ],
  ])('%s', (_what, limits, model) => {
    expect(taken(limits)).toBe(model);
  });

  it('cannot be chosen by its name where it is not on the list', () => {
    const asked = availableModel('opus', bound('sonnet'), resolve);
    expect(asked).toMatchObject({ error: { code: 'model_not_available' } });
    expect(taken(bound('opusplan', 'sonnet'))).toBe('claude-sonnet-5-5');
  });
});

describe('exact ids and denials', () => {
  it.each([
    ['claude-sonnet-5', 'claude-sonnet-5-5', false],
    ['claude-sonnet-5', 'us.anthropic.claude-sonnet-5-20260101-v1:0', true],
    ['claude-sonnet-5', 'claude-sonnet-5-fast', true],
    ['sonnet', 'claude-sonnet-5-5', true],
  ])('the exact entry %s has %s: %s', (entry, model, has) => {
    const limits = { availableModels: listed(entry), exactModels: true };
    expect(availableModel(model, limits, resolve).ok).toBe(has);
  });

  it.each([
    ['sonnet', 'claude-sonnet-5', true],
    ['claude-sonnet-5', 'claude-sonnet-5-5', true],
    ['claude-sonnet-5-5', 'claude-sonnet-5', false],
    ['claude-sonnet-5-5-fast', 'anthropic.claude-sonnet-5-5', true],
    ['opus', PLAN_ALIAS, true],
    ['opusplan', 'claude-sonnet-5', false],
    ['default', 'claude-opus-4-1', false],
  ])('the denial %s covers %s: %s', (entry, model, covers) => {
    const limits = { availableModels: listed('opus', 'sonnet'), deniedModels: denied(entry) };
    expect(availableModel(model, limits, resolve).ok).toBe(!covers);
  });

  it('lets another model answer small questions where theirs is denied', () => {
    expect(smallModelOf('claude-haiku-4-5', { deniedModels: denied('opus') }, resolve)).toBe(
      'claude-haiku-4-5',
    );
    expect(smallModelOf('claude-haiku-4-5', { deniedModels: denied('haiku') }, resolve)).toBe(
      standard.ok ? standard.value : '',
    );
  });

  it('marks what cannot be chosen in a menu', () => {
    const menu = withRefusals(listModels(), { availableModels: listed('haiku') });
    expect(menu.map(({ alias, refused }) => [alias, refused !== undefined])).toEqual([
      ['opus', false],
      ['sonnet', true],
      ['haiku', false],
      ['fable', true],
      ['opusplan', true],
    ]);
  });
});
