import { z } from 'zod';
import { FormValues } from '../../../shared/form';
import type { DrivingProgram } from '../../app/headless-session';
import type { ProgramLink } from './program-link';

const Reply = z.looseObject({
  action: z.enum(['accept', 'decline', 'cancel']),
  content: FormValues.nullish(),
});

/** Creates what puts the questions of tool servers to the program that drives Lathe. No usable answer declines. */
export const createProgramElicit =
  (link: ProgramLink): NonNullable<DrivingProgram['elicit']> =>
  async ({ server, params }, signal) => {
    const { message } = params;
    const about =
      params.mode === 'url'
        ? { mode: 'url', url: params.url, elicitation_id: params.elicitationId }
        : {
            mode: 'form',
            requested_schema: params.requestedSchema,
            property_order: Object.keys(params.requestedSchema.properties),
          };
    const answer = await link.ask(
      { subtype: 'elicitation', mcp_server_name: server, message, ...about, input: {} },
      signal,
    );
    if (signal.aborted) return { action: 'cancel' };
    const reply = Reply.safeParse(answer.ok ? answer.value : null);
    if (!reply.success) return { action: 'decline' };
    const { action, content } = reply.data;
    return content == null ? { action } : { action, content };
  };
