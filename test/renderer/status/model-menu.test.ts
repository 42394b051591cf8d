import { expect, test } from 'vitest';
import {
  readAmount,
  type ThinkingMenu,
  thinkingMenu,
} from '../../../src/renderer/status/model-menu';
import type { ThinkingMode } from '../../../src/shared/agent-event';
import type { ModelChoice } from '../../../src/shared/settings';

type Known = NonNullable<ModelChoice['thinking']>;

const modelOf = (thinking: Known | undefined): ModelChoice => ({
  ...{ id: 'm', name: 'M', contextTokens: 1, efforts: [] },
  ...(thinking === undefined ? {} : { thinking }),
});
const budget = { budgetTokens: 3000 };

test.each<
  [Known | undefined, ThinkingMode | null, readonly string[], ThinkingMenu['used'], RegExp]
>([
  [undefined, null, [], 'adaptive', /does not know/],
  [undefined, 'disabled', [], 'adaptive', /does not know/],
  [{ adaptive: true, off: 'never' }, null, [], 'adaptive', /always thinks/],
  [{ adaptive: true, off: 'never' }, 'disabled', [], 'adaptive', /always thinks/],
  [{ adaptive: true, off: 'disabled' }, null, ['Adaptive', 'Off'], 'adaptive', /^As much as the/],
  [{ adaptive: true, off: 'disabled' }, budget, ['Adaptive', 'Off'], 'adaptive', /no budget/],
  [{ adaptive: true, off: 'disabled' }, 'disabled', ['Adaptive', 'Off'], 'disabled', /at once/],
  [
    { adaptive: true, off: 'between_tools' },
    'disabled',
    ['Adaptive', 'Only between calls'],
    'disabled',
    /between tool calls/,
  ],
  [{ adaptive: false, off: 'disabled' }, null, ['Off', 'Budget'], 'disabled', /at once/],
  [{ adaptive: false, off: 'disabled' }, 'adaptive', ['Off', 'Budget'], 'disabled', /at once/],
  [{ adaptive: false, off: 'disabled' }, budget, ['Off', 'Budget'], 'budget', /At most/],
])('%j asked to think %j', (thinking, wished, labels, used, note) => {
  const menu = thinkingMenu(modelOf(thinking), wished);
  expect(menu.options.map(({ label }) => label)).toEqual(labels);
  expect(menu.used).toBe(used);
  expect(menu.note).toMatch(note);
});

test.each([
  ['turns', '', null],
  ['turns', ' 20 ', 20],
  ['turns', '0', undefined],
  ['turns', '1.5', undefined],
  ['turns', 'many', undefined],
  ['dollars', '', null],
  ['dollars', '$2.50', 2.5],
  ['dollars', '2,5', 2.5],
  ['dollars', '1,000', undefined],
  ['dollars', '12.500', undefined],
  ['dollars', '0.125', 0.125],
  ['dollars', '0', undefined],
  ['dollars', '-3', undefined],
  ['dollars', '1e3', undefined],
  ['tokens', '4096', 4096],
  ['tokens', '1023', undefined],
  ['tokens', '', undefined],
] as const)('%s typed as "%s": %s', (kind, typed, value) => {
  const read = readAmount(kind, typed);
  expect(read.ok ? read.value : undefined).toBe(value);
});

test('an amount that two people read differently is asked for in one way', () => {
  expect(readAmount('dollars', '1,000')).toEqual({
    ok: false,
    error: 'Enter 1000 or 1.00.',
  });
});
