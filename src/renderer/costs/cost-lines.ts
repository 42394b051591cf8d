import type { SessionSummary } from '../../shared/contract';
import type { CostView, DayCosts } from '../../shared/cost-view';
import type { ModelChoice } from '../../shared/settings';
import { modelLabel } from '../status/models';
import { capital } from '../ui/format';

/** The ways to look at the costs of a day. */
export const GROUPINGS = [
  { id: 'bySession', label: 'Sessions' },
  { id: 'byModel', label: 'Models' },
  { id: 'byAgent', label: 'Agents' },
  { id: 'byUse', label: 'Uses' },
] as const;
export type Grouping = (typeof GROUPINGS)[number]['id'];

/** One line: a name with its part of the day. `share`: of the dearest, 0 … 1. */
export interface CostLine {
  readonly id: string;
  readonly name: string;
  readonly note: string;
  readonly usd: number;
  readonly requests: number;
  readonly share: number;
}

/** The most lines that are drawn; those after them are summed up in a last one. */
const MAX_LINES = 20;

/** Returns the lines of a day, the dearest first. Pure. */
export function linesOf(
  today: DayCosts,
  grouping: Grouping,
  known: {
    readonly sessions: readonly Pick<SessionSummary, 'id' | 'title'>[];
    readonly models: readonly ModelChoice[];
  },
): readonly CostLine[] {
  const rows = today[grouping];
  const most = rows[0]?.usd ?? 0;
  const shareOf = (usd: number) => (most === 0 ? 0 : usd / most);
  const lines = rows.slice(0, MAX_LINES).map((row) => ({
    ...{ id: row.name, usd: row.usd, requests: row.requests, share: shareOf(row.usd) },
    name: nameOf(row.name, grouping, known),
    note: row.project === undefined ? '' : (row.project.split(/[\\/]/).at(-1) ?? ''),
  }));
  const rest = rows.slice(MAX_LINES);
  if (rest.length === 0) return lines;
  const usd = rest.reduce((sum, row) => sum + row.usd, 0);
  const requests = rest.reduce((sum, row) => sum + row.requests, 0);
  const name = `${rest.length} more`;
  return [...lines, { id: 'more', name, note: '', usd, requests, share: shareOf(usd) }];
}

const AGENTS: Readonly<Record<string, string>> = { main: 'Main agent' };
const USES: Readonly<Record<string, string>> = {
  answers: 'Answers',
  compaction: 'Summaries',
  broken_answer: 'Answers that broke off',
  title: 'Titles of sessions',
};

function nameOf(
  name: string,
  grouping: Grouping,
  { sessions, models }: Parameters<typeof linesOf>[2],
): string {
  if (grouping === 'byModel') return modelLabel(models, name);
  if (grouping === 'byAgent') return AGENTS[name] ?? name;
  if (grouping === 'byUse') return USES[name] ?? capital(name);
  const title = sessions.find(({ id }) => id === name)?.title ?? '';
  return title === '' ? `Session ${name.slice(0, 8)}` : title;
}

/** One day as a bar. `share`: of the dearest day, 0 … 1. */
export interface CostBar {
  readonly day: string;
  readonly label: string;
  readonly usd: number;
  readonly share: number;
}

/** Returns the bars of days. Pure. */
export function dayBars(days: CostView['days']): readonly CostBar[] {
  const most = Math.max(0, ...days.map(({ usd }) => usd));
  return days.map(({ day, usd }) => ({
    ...{ day, usd, share: most === 0 ? 0 : usd / most },
    label: new Date(`${day}T12:00:00`).toLocaleDateString('en-US', {
      month: 'short',
      day: 'numeric',
    }),
  }));
}
