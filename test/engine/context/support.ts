import type { CompactDeps } from '../../../src/main/engine/context/compact';
import { countingIds, memoryClock } from '../../support/memory-clock';

/** What layers are given where none of them may ask a model. */
export const noCompaction: CompactDeps = {
  model: {
    stream: () => {
      throw new Error('This layer must not ask a model.');
    },
  },
  buildRequest: () => Promise.reject(new Error('This layer must not ask a model.')),
  maxOutput: () => 64_000,
  restore: async () => [],
  clock: memoryClock(),
  ids: countingIds(),
};
