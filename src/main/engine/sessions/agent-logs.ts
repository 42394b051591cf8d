import { err, fault, ok, type Result } from '../../../shared/result';
import { encodeLine } from '../event-log';
import type { Files } from '../ports';
import { type LoadedLog, type LogLine, loadLog, setTornEndAside, transcriptOf } from './load';
import { subAgentFile } from './paths';
import { type AgentTotals, repairEvents } from './repair';

/** The own log of a sub-agent, as it was found. */
export interface AgentLog {
  readonly agentId: string;
  readonly log: LoadedLog;
  /** Events that close it where a crash cut it; empty for one that ended well. */
  readonly repairs: readonly LogLine[];
}

/** Loads the logs of sub-agents from a session's folder; those that cannot be read are left out. `at`: epoch milliseconds. */
export async function loadAgentLogs(
  files: Files,
  folder: string,
  agentIds: readonly string[],
  at: number,
): Promise<readonly AgentLog[]> {
  const found: AgentLog[] = [];
  for (const agentId of agentIds) {
    const loaded = await loadLog(files, subAgentFile(folder, agentId));
    if (!loaded.ok) continue;
    const repairs = repairEvents(loaded.value.lines).map((event) => ({ at, event }));
    found.push({ agentId, log: loaded.value, repairs });
  }
  return found;
}

/** Returns how far each sub-agent came, by its id. */
export const totalsOf = (logs: readonly AgentLog[]): ReadonlyMap<string, AgentTotals> =>
  new Map(
    logs.map(({ agentId, log: { lines } }) => [
      agentId,
      {
        spend: transcriptOf(agentId, lines).costs.byModel,
        calls: lines.filter(({ event }) => event.type === 'call_settled').length,
      },
    ]),
  );

/** Closes in place the logs that a crash cut. Only for who holds the session. */
export async function repairAgentLogs(
  files: Files,
  folder: string,
  logs: readonly AgentLog[],
): Promise<Result<null>> {
  for (const { agentId, log, repairs } of logs) {
    const file = subAgentFile(folder, agentId);
    const torn = await setTornEndAside(files, file, log);
    if (!torn.ok) return torn;
    const text = torn.value.prefix + repairs.map(encodeLine).join('');
    if (text === '') continue;
    const open = await files.openAppend(file);
    if (!open.ok) return err(fault(open.error.code, open.error.message));
    const written = await open.value.append(text);
    await open.value.close();
    if (!written.ok) return err(fault(written.error.code, written.error.message));
  }
  return ok(null);
}

/** Writes copies of the logs, closed where a crash cut them, into the folder of another session. */
export async function copyAgentLogs(
  files: Files,
  folder: string,
  logs: readonly AgentLog[],
): Promise<Result<null>> {
  for (const { agentId, log, repairs } of logs) {
    const text = [...log.lines, ...repairs].map(encodeLine).join('');
    const written = await files.write(subAgentFile(folder, agentId), text, 0o600);
    if (!written.ok) return err(fault(written.error.code, written.error.message));
  }
  return ok(null);
}

/** Merges the lines of logs in order of time; each log keeps its own order, and at one time the first log goes first. */
export function mergeLines(
  first: readonly LogLine[],
  second: readonly LogLine[],
): readonly LogLine[] {
  const merged: LogLine[] = [];
  let next = 0;
  for (const line of second) {
    for (let other = first[next]; other && other.at <= line.at; other = first[next]) {
      merged.push(other);
      next += 1;
    }
    merged.push(line);
  }
  return [...merged, ...first.slice(next)];
}
