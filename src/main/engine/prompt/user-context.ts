import type { MemoryFile } from './memory-files';

/** What stands in front of the first message. Computed once a session: it must not change under thinking blocks. */
export interface UserContext {
  readonly memory: readonly MemoryFile[];
  readonly cwd: string;
  readonly gitBranch: string | null;
  /** Epoch milliseconds. */
  readonly now: number;
  /** IANA name; default: the system's. */
  readonly timeZone?: string;
}

const KIND: Readonly<Record<MemoryFile['kind'], string>> = {
  managed: 'instructions of the organisation',
  user: "the person's own instructions for all projects",
  project: 'instructions of the project',
  local: "the person's own instructions for this project",
  import: 'imported by the file before',
};

/** The text of the opening reminder (docs/spec.md B4); `normalizeMessages` wraps it and puts it first. */
export function userContextText(context: UserContext): string {
  const facts = [
    `Working directory: ${context.cwd}`,
    ...(context.gitBranch === null ? [] : [`Git branch: ${context.gitBranch}`]),
    `Today's date: ${dateOf(context.now, context.timeZone)}`,
  ].join('\n');
  if (context.memory.length === 0) return facts;
  const memory = context.memory.map((f) => `Contents of ${f.path} (${KIND[f.kind]}):\n\n${f.text}`);
  return [
    'Instructions for work here. They go before your defaults; where two disagree, the later one counts. What the person says in the conversation goes before all of them.',
    ...memory,
    facts,
  ].join('\n\n');
}

/** `2026-11-21` where the person is. Without a time zone of its own it needs no Intl, which takes 15 ms to load. */
function dateOf(now: number, timeZone: string | undefined): string {
  if (timeZone === undefined) {
    const date = new Date(now);
    const two = (part: number) => String(part).padStart(2, '0');
    return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  }
  const format = new Intl.DateTimeFormat('en-CA', {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    timeZone,
  });
  const part = (type: string) => format.formatToParts(now).find((p) => p.type === type)?.value;
  return `${part('year')}-${part('month')}-${part('day')}`;
}
