import { basename } from 'node:path';
import type { CostRow, CostView } from '../../../shared/cost-view';
import { type Spend, totalSpend } from '../../../shared/facts';
import type { Transcript } from '../../../shared/transcript';
import type { DayLedger } from './day-ledger';

/** Returns what all sessions spent, with the limit of a day as far as there is one. `daily`: dollars. */
export async function costView(ledger: DayLedger, daily: number | undefined): Promise<CostView> {
  const [today, days] = [await ledger.today(), await ledger.days()];
  const raisedUsd = ledger.raisedUsd();
  return { today, days, limitUsd: daily === undefined ? null : daily + raisedUsd, raisedUsd };
}

/** The most rows that are listed of one kind, the dearest first. */
const MAX_ROWS = 5;

/** Says in lines what a session and all sessions of the day cost, as the window of costs does (docs/spec.md M7). */
export async function costReport(
  { sessionId, costs }: Pick<Transcript, 'sessionId' | 'costs'>,
  ledger: DayLedger,
  daily: number | undefined,
): Promise<string> {
  const { today, days, limitUsd } = await costView(ledger, daily);
  const { total, byModel, byTool } = costs;
  const { bySession, byAgent, byUse, misses } = today;
  const month = days.reduce((sum, { usd }) => sum + usd, 0);
  const limit = limitUsd === null ? 'no limit for a day is set' : `the limit is ${money(limitUsd)}`;
  const sessions = bySession.map((row) => ({
    ...row,
    name: row.name === sessionId ? 'this session' : sessionName(row),
  }));
  const inToday = spendOf({ ...today, costUsd: today.usd });
  return [
    `This session: ${spendOf(total)}`,
    ...Object.entries(byModel).map(([model, spend]) => `  ${model}: ${spendOf(spend)}`),
    ...(Object.keys(byTool).length === 0
      ? []
      : [`  of that tools and sub-agents: ${spendOf(totalSpend(byTool))}`]),
    `Today, all sessions: ${inToday}; ${money(today.lastHourUsd)} in the last hour; ${limit}`,
    ...rowsOf('sessions', sessions),
    ...rowsOf('models', today.byModel),
    ...rowsOf('agents', byAgent),
    ...rowsOf('uses', byUse),
    ...misses.slice(0, MAX_ROWS).map(({ reason, count }) => `  cache missed ${count} ×: ${reason}`),
    `Last thirty days: ${money(month)}`,
  ].join('\n');
}

const money = (usd: number): string => `$${usd.toFixed(usd > 0 && usd < 0.1 ? 4 : 2)}`;

function spendOf({ usage, costUsd, requests }: Spend): string {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
  const read = inputTokens + cacheReadTokens + cacheWriteTokens;
  const asked = requests === 1 ? '1 request' : `${requests} requests`;
  return `${money(costUsd)} (${asked}, ${read} tokens in, ${outputTokens} out)`;
}

function rowsOf(kind: string, rows: readonly CostRow[]): readonly string[] {
  const shown = rows.slice(0, MAX_ROWS).map(({ name, usd }) => `${name} ${money(usd)}`);
  if (shown.length === 0) return [];
  const more = rows.length > shown.length ? `, ${rows.length - shown.length} more` : '';
  return [`  by ${kind}: ${shown.join(', ')}${more}`];
}

const sessionName = ({ name, project }: CostRow): string =>
  `session ${name.slice(0, 8)}${project === undefined ? '' : ` in ${basename(project)}`}`;
