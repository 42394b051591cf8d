import type { MemoryOverview, MemoryPlace } from '../../shared/memory';
import type { Result } from '../../shared/result';
import type { Lathe } from './lathe';

/** Lists what new sessions of a project begin with. */
export const listMemory = (lathe: Lathe, project: string): Promise<Result<MemoryOverview>> =>
  lathe.ask((client) => client.memory.list({ project }));

/** Adds a memory at the end of a place's file and returns the file. */
export const addMemory = (
  lathe: Lathe,
  project: string,
  place: MemoryPlace,
  text: string,
): Promise<Result<string>> => lathe.ask((client) => client.memory.add({ project, place, text }));

/** Lets a project import a file from outside of it, or no longer. */
export const allowImport = (
  lathe: Lathe,
  project: string,
  path: string,
  allowed: boolean,
): Promise<Result<null>> =>
  lathe.ask((client) => client.memory.allowImport({ project, path, allowed }));
