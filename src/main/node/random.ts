import type { Random } from '../engine/ports';

/** Randomness for jitter; not for secrets. */
export const createNodeRandom = (): Random => () => Math.random();
