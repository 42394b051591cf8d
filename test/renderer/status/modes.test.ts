import { expect, it } from 'vitest';
import { modeChoices, modeLabel } from '../../../src/renderer/status/modes';
import { PermissionMode } from '../../../src/shared/permission';

it('offers every mode, and the judge only where there is a model to judge', () => {
  const values = modeChoices(false).map((choice) => choice.value);
  expect(new Set(values)).toEqual(new Set(PermissionMode.options));
  expect(modeChoices(true).map((choice) => choice.value)).not.toContain('auto');
  expect(modeLabel('auto')).toBe('Decide by itself');
});
