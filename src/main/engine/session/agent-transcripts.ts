import { type AgentEvent, MAIN_AGENT } from '../../../shared/agent-event';
import { type FilesChanged, withChanges } from '../../../shared/fold-changes';
import { err, fault, ok, type Result } from '../../../shared/result';
import type { AgentTranscript, Transcript } from '../../../shared/transcript';
import { loadLog, transcriptOf } from '../sessions/load';
import type { OpenLog } from '../sessions/open-log';
import { subAgentFile } from '../sessions/paths';
import type { SessionScope } from './session-scope';

/**
 * Creates what gives the conversation of a sub-agent: from the session's picture, or else from the agent's own log, with the
 * marks of changed files, which stand in the log of the session.
 */
export function createAgentTranscripts(
  { log, services, paths }: SessionScope,
  { events }: OpenLog,
): (agentId: string) => Promise<Result<AgentTranscript>> {
  const changes: FilesChanged[] = events.filter(isChange);
  log.listen(({ event }) => {
    if (isChange(event)) changes.push(event);
  });
  return async (agentId) => {
    const known = log.transcript().agents.find(({ id }) => id === agentId);
    if (!known) return err(fault('not_found', `This session has no agent ${agentId}.`));
    if (known.transcript) return ok(known.transcript);
    const own = await loadLog(services.files, subAgentFile(paths.folder, agentId));
    return own.ok ? ok(withChanges(transcriptOf(agentId, own.value.lines), changes)) : own;
  };
}

const isChange = (event: AgentEvent): event is FilesChanged => event.type === 'files_changed';

/** Returns the checkpoints of an agent's calls, which know the calls that started it and those above it. */
export const checkpointsIn = (
  { checkpoints, log }: SessionScope,
  agentId: string,
): Pick<SessionScope['checkpoints'], 'begin'> => ({
  begin: (callId, scope) =>
    checkpoints.begin(callId, scope, callsAround(log.transcript().agents, agentId)),
});

/** Returns the calls that started an agent and those above it, outermost first; none for the main agent. */
function callsAround(agents: Transcript['agents'], agentId: string): readonly string[] {
  const agent = agentId === MAIN_AGENT ? undefined : agents.find(({ id }) => id === agentId);
  return agent === undefined ? [] : [...callsAround(agents, agent.parentId), agent.callId];
}
