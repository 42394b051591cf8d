import type { HookSetting } from '../../shared/hooks';

/** How a hook that is asked over HTTP ended. */
export type PostEnd =
  | {
      readonly kind: 'exited';
      readonly exitCode: number;
      readonly stdout: string;
      readonly stderr: string;
    }
  | { readonly kind: 'cancelled' | 'failed'; readonly message: string };

/** A longer answer is cut. Bytes. */
const MAX_BYTES = 1024 * 1024;

/**
 * Sends a hook's input to its address and takes the answer for its output. Redirects are not followed: the
 * address in the settings is the one a person agreed to. Anything but success is an error that blocks nothing.
 * Never rejects.
 */
export async function postHook(
  hook: Pick<HookSetting, 'run' | 'headers' | 'allowedEnvVars'>,
  input: string,
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<PostEnd> {
  try {
    const response = await fetch(hook.run, {
      method: 'POST',
      headers: { ...headersOf(hook, env), 'content-type': 'application/json' },
      body: input,
      redirect: 'manual',
      signal,
    });
    const text = await firstPart(response);
    if (response.ok) return { kind: 'exited', exitCode: 0, stdout: text, stderr: '' };
    return { kind: 'failed', message: `the address answered with status ${response.status}` };
  } catch (thrown) {
    if (signal.aborted) return { kind: 'cancelled', message: 'ended before it was done' };
    return { kind: 'failed', message: `the address could not be reached: ${reasonOf(thrown)}` };
  }
}

/** `$NAME` and `${NAME}` become the variables that the hook may use; others become nothing. */
function headersOf(
  { headers = {}, allowedEnvVars = [] }: Pick<HookSetting, 'headers' | 'allowedEnvVars'>,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const value = (name: string) => (allowedEnvVars.includes(name) ? (env[name] ?? '') : '');
  const filled = (text: string) =>
    text.replace(
      /\$\{([A-Za-z_]\w*)\}|\$([A-Za-z_]\w*)/g,
      (_, braced: string | undefined, bare: string | undefined) => value(braced ?? bare ?? ''),
    );
  return Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, filled(text)]));
}

async function firstPart(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let room = MAX_BYTES;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk.subarray(0, room));
    room -= Math.min(chunk.length, room);
    if (room === 0) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  return thrown.cause instanceof Error ? thrown.cause.message : thrown.message;
}
