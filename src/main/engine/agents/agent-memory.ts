import { join } from 'node:path';
import type { Files } from '../ports';
import type { AgentDefinition } from './definitions';

/** The part of its notes that an agent begins with. Lines and bytes (docs/agents.md). */
const MAX_LINES = 200;
const MAX_BYTES = 25 * 1024;

/** The folders that notes of agents lie in. */
export interface NotePlaces {
  /** Absolute, a real path. */
  readonly project: string;
  /** `~/.claude`, or what stands for it. */
  readonly userFolder: string;
  readonly trusted: boolean;
}

/** The notes of an agent, as a section of its prompt. */
export interface AgentNotes {
  /** The agent may change files in it without asking; null where a link leads elsewhere. */
  readonly ownFolder: string | null;
  readonly section: string;
}

/**
 * Reads the notes that an agent keeps from one task to the next: the first {@link MAX_LINES} lines of its `MEMORY.md`. Null
 * for an agent without, and for notes of a project that nobody trusts.
 */
export async function readAgentNotes(
  files: Pick<Files, 'read' | 'realPath' | 'makeDirectory'>,
  { name, memory }: Pick<AgentDefinition, 'name' | 'memory'>,
  { project, userFolder, trusted }: NotePlaces,
): Promise<AgentNotes | null> {
  if (memory === undefined || (memory !== 'user' && !trusted)) return null;
  const home = memory === 'user' ? await realOr(files, userFolder) : join(project, '.claude');
  const folder = join(home, memory === 'local' ? 'agent-memory-local' : 'agent-memory', name);
  await files.makeDirectory(folder);
  const real = await files.realPath(folder);
  const isOwn = real.ok && real.value === folder;
  const read = isOwn ? await files.read(join(folder, 'MEMORY.md'), MAX_BYTES * 40) : null;
  const notes = read?.ok ? beginningOf(new TextDecoder().decode(read.value)) : '';
  return {
    ownFolder: isOwn ? folder : null,
    section: [
      '# Your notes',
      `You keep notes from one task to the next in ${folder}. MEMORY.md there is their index and begins your prompt; longer notes are files of their own beside it. Before you end, write down what will help you next time: what is true of this project and hard to find, not what you did. Correct notes that turn out wrong.`,
      notes === '' ? 'There are none yet.' : `MEMORY.md says:\n\n${notes}`,
    ].join('\n\n'),
  };
}

const realOr = async (files: Pick<Files, 'realPath'>, folder: string): Promise<string> => {
  const real = await files.realPath(folder);
  return real.ok ? real.value : folder;
};

/** Returns the beginning of the notes, and says when there is more. Pure. */
export function beginningOf(text: string): string {
  const lines = text.trim().split('\n');
  let bytes = 0;
  const kept = lines.slice(0, MAX_LINES).filter((line) => {
    bytes += Buffer.byteLength(line) + 1;
    return bytes <= MAX_BYTES;
  });
  const left = lines.length - kept.length;
  return left === 0
    ? kept.join('\n')
    : `${kept.join('\n')}\n(${left} more ${left === 1 ? 'line' : 'lines'})`;
}
