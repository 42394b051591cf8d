import { z } from 'zod';

/** The colours that a definition may give its agents, and a program its session. */
export const AgentColor = z.enum([
  'red',
  'blue',
  'green',
  'yellow',
  'purple',
  'orange',
  'pink',
  'cyan',
]);
export type AgentColor = z.infer<typeof AgentColor>;
