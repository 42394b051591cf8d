import type { SessionScope } from './session-scope';

/**
 * Begins to keep the inputs of calls as programs see them (docs/spec.md B8), each as it is when the model has written
 * it. Returns what takes one by its call, once; null for a call it does not know.
 */
export function watchInputs({
  log,
  agents,
}: Pick<SessionScope, 'log' | 'agents'>): (
  callId: string,
) => Readonly<Record<string, unknown>> | null {
  const inputs = new Map<string, Readonly<Record<string, unknown>>>();
  log.listen(({ agentId, event }) => {
    if (event.type === 'tombstone') for (const id of event.calls ?? []) inputs.delete(id);
    if (event.type !== 'block_finished' || event.block.type !== 'tool_use') return;
    const agent = agents.get(agentId);
    if (agent) inputs.set(event.block.id, agent.observableInput(event.block));
  });
  return (callId) => {
    const input = inputs.get(callId) ?? null;
    inputs.delete(callId);
    return input;
  };
}
