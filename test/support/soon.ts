import { vi } from 'vitest';

/** Waits until a check throws nothing, also on a machine in use, and returns what it gives. */
export const soon = <T>(check: () => T | Promise<T>): Promise<T> => vi.waitFor(check, 60_000);
