import { expect, test } from 'vitest';
import { agentDefaults, withDefaults } from '../../../src/main/engine/settings/agent-defaults';
import { readSettings } from '../../../src/main/engine/settings/read';
import type { RuleSource } from '../../../src/shared/permission';

const layer = (source: RuleSource, json: object) =>
  readSettings(JSON.stringify(json), source, `/${source}.json`);

test('each default says what the user set, and which file goes before it', () => {
  const found = agentDefaults([
    layer('managed', { maxBudgetUsd: 5 }),
    layer('projectSettings', { model: 'opus', alwaysThinkingEnabled: false }),
    layer('userSettings', { model: 'haiku', effortLevel: 'low', maxTurns: 9 }),
  ]);
  const project = { source: 'projectSettings', file: '/projectSettings.json' };
  expect(found).toEqual({
    model: { own: 'haiku', overruled: { value: 'opus', ...project } },
    effort: { own: 'low' },
    thinking: { own: null, overruled: { value: 'disabled', ...project } },
    maxTurns: { own: 9 },
    maxBudgetUsd: { own: null, overruled: { value: 5, source: 'managed', file: '/managed.json' } },
    maxDailyBudgetUsd: { own: null },
  });
});

test('a change keeps comments and all else, and null takes a setting out', () => {
  const text =
    '{\n  // mine\n  "model": "haiku",\n  "alwaysThinkingEnabled": true,\n  "env": {}\n}\n';
  const change = {
    ...{ model: null, effort: 'high' as const, thinking: { budgetTokens: 2048 } },
    ...{ maxTurns: 30, maxBudgetUsd: 2.5 },
  };
  const changed = withDefaults(text, '/settings.json', change);
  if (!changed.ok) throw new Error(changed.error.message);
  expect(changed.value).toContain('// mine');
  expect(JSON.parse(changed.value.replace('// mine', ''))).toEqual({
    ...{ env: {}, effortLevel: 'high', maxThinkingTokens: 2048, maxTurns: 30, maxBudgetUsd: 2.5 },
  });
  const back = withDefaults(changed.value, '/settings.json', { thinking: 'disabled' });
  expect(back.ok && back.value).toContain('"alwaysThinkingEnabled": false');
  expect(back.ok && back.value).not.toContain('maxThinkingTokens');
  expect(withDefaults('{', '/settings.json', { maxTurns: 1 }).ok).toBe(false);
  expect(withDefaults(text, '/settings.json', {})).toEqual({ ok: true, value: text });
});
