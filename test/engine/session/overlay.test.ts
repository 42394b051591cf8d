import { expect, test } from 'vitest';
import { createSessionOverlay } from '../../../src/main/engine/session/overlay';
import type { EffectiveSettings } from '../../../src/main/engine/settings/effective';

const SETTINGS = {
  rules: [{ behavior: 'deny', text: 'Bash(rm:*)', source: 'projectSettings' }],
  additionalDirectories: [],
  env: {},
} as unknown as EffectiveSettings;

test('settings with a rule of the session on top are the same object until something changes', () => {
  const overlay = createSessionOverlay(() => {});
  expect(overlay.over(SETTINGS)).toBe(SETTINGS);
  overlay.addRule({ behavior: 'allow', text: 'Bash(ls)' });
  const laid = overlay.over(SETTINGS);
  expect(laid.rules.map(({ text }) => text)).toEqual(['Bash(ls)', 'Bash(rm:*)']);
  expect(overlay.over(SETTINGS)).toBe(laid);
  expect(overlay.over({ ...SETTINGS })).not.toBe(laid);
  overlay.setVariables({ A: '1' });
  expect(overlay.over(SETTINGS).env).toEqual({ A: '1' });
  overlay.removeRule({ behavior: 'allow', text: 'Bash(ls)' });
  expect(overlay.over(SETTINGS).rules).toEqual(SETTINGS.rules);
});
