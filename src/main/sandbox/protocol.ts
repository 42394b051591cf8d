import { z } from 'zod';

/** The messages between a main process and the sandbox process of a session. */

const Texts = z.array(z.string()).readonly();

const Signing = z.enum(['deny', 'passthrough']).optional();

const KEY = {
  hosts: Texts,
  shape: z
    .object({
      extract: z.string().optional(),
      decode: z.literal('jwt').optional(),
      claims: Texts.optional(),
      failsWithout: z.boolean().optional(),
      duplicates: z.boolean().optional(),
    })
    .optional(),
};

/** `SandboxPolicy` of the engine's ports, on its way. */
const Policy = z.object({
  writable: Texts,
  denyWrite: Texts,
  denyRead: Texts,
  allowRead: Texts,
  allowedDomains: Texts,
  deniedDomains: Texts,
  proxyPorts: z.object({ http: z.number().optional(), socks: z.number().optional() }),
  strictAllowlist: z.boolean(),
  withheldVariables: Texts,
  masked: z
    .array(z.object({ ...KEY, name: z.string().regex(/^\w+$/), value: z.string() }))
    .readonly(),
  maskedFiles: z.array(z.object({ ...KEY, path: z.string() })).readonly(),
  awsPairs: z
    .array(
      z.object({
        accessKeyIdVar: z.string(),
        secretAccessKeyVar: z.string(),
        sessionTokenVar: z.string().optional(),
      }),
    )
    .readonly(),
  sigv4: z.object({ streaming: Signing, presigned: Signing, sigv4a: Signing }),
  plaintextInject: z.boolean(),
  withoutFileWalls: z.boolean(),
  tlsTerminate: z
    .object({ caCertPath: z.string().optional(), caKeyPath: z.string().optional() })
    .nullable(),
  weakerNested: z.boolean(),
  weakerNetwork: z.boolean(),
  appleEvents: z.boolean(),
  nestedNamespaces: z.boolean(),
  allowLocalBinding: z.boolean(),
  allowAllUnixSockets: z.boolean(),
  allowUnixSockets: Texts,
  allowMachLookup: Texts,
  ignoreViolations: z.record(z.string(), Texts),
});

/** Programs of the system the sandbox is made of; absolute. Absent where the system needs none. */
const Tools = z.object({
  bwrap: z.string().optional(),
  socat: z.string().optional(),
  ripgrep: z.object({ command: z.string(), args: Texts.optional() }),
});

/** To the sandbox process. */
export const Order = z.discriminatedUnion('kind', [
  /** `command` is a shell line; `text` what a user calls it. */
  z.object({
    kind: z.literal('enter'),
    id: z.string(),
    command: z.string(),
    text: z.string(),
    policy: Policy,
    tools: Tools,
  }),
  z.object({ kind: z.literal('started'), id: z.string(), pid: z.number() }),
  z.object({ kind: z.literal('ended'), id: z.string() }),
  z.object({
    kind: z.literal('answer'),
    question: z.number(),
    allow: z.boolean(),
    reason: z.string(),
  }),
  z.object({ kind: z.literal('close') }),
]);
export type Order = z.infer<typeof Order>;
export type SandboxTools = z.infer<typeof Tools>;

const Violation = z.object({
  kind: z.enum(['write', 'connect']),
  target: z.string(),
  reason: z.string().optional(),
});

/** From the sandbox process. */
export const Reply = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('entered'),
    id: z.string(),
    argv: z.array(z.string()),
    unmasked: z.array(z.string()),
  }),
  z.object({ kind: z.literal('refused'), id: z.string(), message: z.string() }),
  z.object({ kind: z.literal('report'), id: z.string(), violations: z.array(Violation) }),
  z.object({
    kind: z.literal('question'),
    question: z.number(),
    host: z.string(),
    port: z.number().nullable(),
  }),
]);
export type Reply = z.infer<typeof Reply>;
