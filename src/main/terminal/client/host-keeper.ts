import { err, fault, ok, type Result } from '../../../shared/result';
import { type HostPlace, hostPlace } from '../run-folder';
import { type ControlChannel, connectToHost, type HostConnection } from './host-connection';
import { type HostLaunch, launchHost } from './launch-host';

/** A host that dies again and again is started anew this often (DESIGN "Terminal host"). */
export const MAX_RESTARTS = 5;

/** What the keeper needs. */
export interface HostKeeperOptions {
  readonly runFolder: string;
  readonly launch: HostLaunch;
  /** Turns a fresh connection into the control channel; `onClose` must be called when it ends. */
  open(connection: HostConnection, onClose: () => void): ControlChannel;
}

/** Keeps one control connection to the terminal host: finds a running host, starts one, starts it again after a crash. */
export class HostKeeper {
  readonly place: HostPlace;
  readonly #options: HostKeeperOptions;
  #channel: ControlChannel | null = null;
  #connecting: Promise<Result<ControlChannel>> | null = null;
  #launches = 0;
  #closed = false;
  #ended: PromiseWithResolvers<void> | null = null;

  constructor(options: HostKeeperOptions) {
    this.#options = options;
    this.place = hostPlace(options.runFolder);
  }

  /** Whether the end of the connection is what we wanted. */
  get isClosed(): boolean {
    return this.#closed;
  }

  /** The connection, if there is one at this moment. */
  current(): ControlChannel | null {
    return this.#channel;
  }

  /** A connection to the host if one runs; null otherwise. Starts nothing. */
  async running(): Promise<ControlChannel | null> {
    const found = await this.#connect(false);
    return found.ok ? found.value : null;
  }

  /** A connection to the host, which is started when none runs. */
  started(): Promise<Result<ControlChannel>> {
    return this.#connect(true);
  }

  /** Ends the connection and waits until it is ended. */
  async close(): Promise<void> {
    await this.#connecting?.catch(() => undefined);
    this.#closed = true;
    this.#channel?.close();
    await this.#ended?.promise;
  }

  async #connect(mayStart: boolean): Promise<Result<ControlChannel>> {
    if (this.#channel !== null) return ok(this.#channel);
    if (this.#closed) return err(fault('terminals_closed', 'The terminals were closed.'));
    if (this.#connecting !== null) {
      const found = await this.#connecting;
      return found.ok || !mayStart ? found : this.#connect(mayStart);
    }
    this.#connecting = this.#find(mayStart);
    try {
      return await this.#connecting;
    } finally {
      this.#connecting = null;
    }
  }

  async #find(mayStart: boolean): Promise<Result<ControlChannel>> {
    const found = await connectToHost(this.place, 'control');
    if (found.ok) return ok(this.#adopt(found.value));
    if (!mayStart || found.error.code !== 'no_terminal_host') return found;
    if (this.#launches > MAX_RESTARTS)
      return err(
        fault(
          'terminal_host',
          `The terminal host ended ${this.#launches} times.`,
          'Restart Lathe. What it logged is in the run folder.',
        ),
      );
    this.#launches += 1;
    const launched = await launchHost(this.place, this.#options.launch);
    return launched.ok ? ok(this.#adopt(launched.value)) : launched;
  }

  #adopt(connection: HostConnection): ControlChannel {
    const ended = Promise.withResolvers<void>();
    this.#ended = ended;
    this.#channel = this.#options.open(connection, () => {
      this.#channel = null;
      ended.resolve();
    });
    return this.#channel;
  }
}
