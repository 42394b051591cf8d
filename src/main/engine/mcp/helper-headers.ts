import { z } from 'zod';
import { err, ok, type Result } from '../../../shared/result';
import type { Programs } from '../ports';
import type { McpServerSetting } from '../settings/mcp-servers';

/** The longest run of a command that prints headers. Milliseconds. */
const LIMIT_MS = 10_000;
/** The most that such a command may print. Bytes. */
const MAX_BYTES = 64 * 1024;

const Headers = z.record(z.string(), z.string());

/** The parts that run it. */
interface HelperParts {
  readonly programs: Pick<Programs, 'run'>;
  /** The shell of commands. */
  readonly shell: string;
  readonly project: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Returns the headers of a server: those that are written, and over them those that its helper prints. The error shows
 * nothing of what was printed: that is secret.
 */
export async function helperHeaders(
  server: string,
  { url, headers: written, headersHelper: command }: NonNullable<McpServerSetting['remote']>,
  { programs, shell, project, env }: HelperParts,
  signal: AbortSignal,
): Promise<Result<Readonly<Record<string, string>>, string>> {
  if (command === undefined) return ok(written);
  const ran = await programs.run(
    [shell, '-c', command],
    {
      cwd: project,
      maxBytes: MAX_BYTES,
      timeoutMs: LIMIT_MS,
      env: { ...env, CLAUDE_CODE_MCP_SERVER_NAME: server, CLAUDE_CODE_MCP_SERVER_URL: url },
    },
    signal,
  );
  if (!ran.ok) {
    const late = ran.error.code === 'timeout';
    return err(
      `Its headersHelper ${late ? `did not finish in ${LIMIT_MS / 1000} s` : 'could not be run'}.`,
    );
  }
  const { exitCode, stdout, truncated } = ran.value;
  if (truncated) return err(`Its headersHelper printed more than ${MAX_BYTES / 1024} KiB.`);
  if (exitCode !== 0) return err(`Its headersHelper failed with exit code ${exitCode}.`);
  const headers = Headers.safeParse(parsed(new TextDecoder().decode(stdout)));
  return headers.success
    ? ok({ ...written, ...headers.data })
    : err('Its headersHelper printed no JSON object of names and texts.');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
