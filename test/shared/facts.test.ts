import { expect, test } from 'vitest';
import { foldCosts, NO_COSTS } from '../../src/shared/facts';

test.each(['constructor', '__proto__', 'toString'])(
  'what a model called %s costs is counted like that of others',
  (name) => {
    const spend = { ...NO_COSTS.total, costUsd: 2, requests: 1 };
    const fold = foldCosts(NO_COSTS);
    fold.add('main', Object.fromEntries([[name, spend]]));
    fold.add('main', Object.fromEntries([[name, spend]]));
    const { total, byModel } = fold.costs();
    expect(total.costUsd).toBe(4);
    expect(Object.entries(byModel)).toEqual([[name, { ...spend, costUsd: 4, requests: 2 }]]);
  },
);
