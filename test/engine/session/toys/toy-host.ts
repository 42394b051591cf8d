import { type Broker, createBroker } from '../../../../src/main/engine/permissions/broker';
import type { HostPolicy } from '../../../../src/main/engine/session/session-scope';

/** A host that says yes to every question, and keeps what was asked. */
export const toyHost =
  (asked: string[]) =>
  (plain: HostPolicy): HostPolicy => ({
    ...plain,
    prompts: { append: 'You live in a toy.' },
    createBroker: (emit) => {
      const broker: Broker = createBroker((event, agentId) => {
        emit(event, agentId);
        if (event.type !== 'approval_requested') return;
        const { id, tool, digest } = event.approval;
        asked.push(tool);
        queueMicrotask(() => void broker.answer(id, { behavior: 'allow', digest }));
      });
      return broker;
    },
  });
