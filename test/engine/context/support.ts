import type { LayerDeps } from '../../../src/main/engine/context/layer';
import type { CacheFacts } from '../../../src/main/engine/context/policy';
import { countingIds, memoryClock } from '../../support/memory-clock';

/** What layers are given where none of them may ask a model. */
export const noCompaction: LayerDeps = {
  model: {
    stream: () => {
      throw new Error('This layer must not ask a model.');
    },
  },
  buildRequest: () => Promise.reject(new Error('This layer must not ask a model.')),
  maxOutput: () => 64_000,
  restore: async () => [],
  pinned: () => new Set(),
  clock: memoryClock(),
  ids: countingIds(),
  record: () => {},
  beside: () => {
    throw new Error('This layer must not work beside others.');
  },
  affords: () => true,
};

/** A cache that holds all that was sent, at the usual prices. */
export const WARM: CacheFacts = {
  prices: { read: 0.1, write: 1.25 },
  isCold: false,
  turnsLeft: null,
};
