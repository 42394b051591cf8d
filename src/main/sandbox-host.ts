import { createRequire } from 'node:module';
import { join } from 'node:path';

/**
 * Runs the process of one session's sandbox. It talks with its main process over the channel it was started with. Its
 * argument is the folder for temporary files of commands.
 */
async function main(): Promise<void> {
  const temp = process.argv[2];
  if (temp === undefined) throw new Error('The folder for temporary files is missing.');
  // What the library gives commands as TMPDIR.
  process.env['CLAUDE_CODE_TMPDIR'] = temp;
  const [{ loadLibrary }, { SandboxService }, { Order }] = await Promise.all([
    import('./sandbox/library'),
    import('./sandbox/sandbox-service'),
    import('./sandbox/protocol'),
  ]);
  const host = new SandboxService({
    library: await loadLibrary(),
    temp,
    applyPath: helperBesideArchive(),
    say: (reply) => {
      if (process.connected) process.send?.(reply);
    },
    exit: (code) => process.exit(code),
  });
  const failed = (thrown: unknown) => {
    process.stderr.write(`${thrown instanceof Error ? thrown.stack : String(thrown)}\n`);
    process.exit(1);
  };
  process.on('uncaughtException', failed);
  process.on('unhandledRejection', failed);
  // The session decides when it is over, not a key pressed in the terminal Lathe runs in.
  process.on('SIGINT', () => undefined);
  process.on('SIGHUP', () => undefined);
  process.on('SIGTERM', () => host.end().catch(failed));
  process.on('disconnect', () => host.leftAlone().catch(failed));
  process.on('message', (message) => {
    const order = Order.safeParse(message);
    if (order.success) host.take(order.data).catch(failed);
  });
  if (!process.connected) await host.end();
}

/** Finds the helper: in a packaged app it lies beside the archive, because archives hold no executables. */
function helperBesideArchive(): string | null {
  const library = createRequire(import.meta.url).resolve('@anthropic-ai/sandbox-runtime');
  const archived = /^(.*)[\\/]app\.asar[\\/]/.exec(library);
  if (archived === null) return null;
  const vendor = 'node_modules/@anthropic-ai/sandbox-runtime/vendor/seccomp';
  return join(`${archived[1]}`, 'app.asar.unpacked', vendor, process.arch, 'apply-seccomp');
}

void main();
