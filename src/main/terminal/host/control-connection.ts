import { err, fault, ok, type Result } from '../../../shared/result';
import { type ControlCall, type HostEvent, parseCall } from '../protocol/control';
import { parseJsonRecord } from '../protocol/records';
import type { Connection, RecordHandler } from './connection';
import type { HostedTerminals } from './hosted-terminals';
import { ProgressReporter } from './progress';

/** The part of the host that a control connection needs. */
export interface ControlHost {
  readonly terminals: HostedTerminals;
  /** Tells whether a terminal's owner is another client that is still there. */
  isOther(owner: object | undefined, me: ControlConnection): boolean;
  /** Handles a client's wish to end: the host exits when no other client is there. */
  wantsEnd(me: ControlConnection): void;
  left(me: ControlConnection): void;
  failed(error: unknown): void;
}

/** The connection of one main process: its requests, and the events sent to it. */
export class ControlConnection implements RecordHandler {
  readonly #connection: Connection;
  readonly #host: ControlHost;
  readonly #progress: ProgressReporter;

  constructor(connection: Connection, host: ControlHost) {
    this.#connection = connection;
    this.#host = host;
    this.#progress = new ProgressReporter((terminalId) => this.#sendProgress(terminalId));
  }

  record(record: Uint8Array): void {
    const request = parseJsonRecord(record);
    const id = request?.['id'];
    if (request === null || typeof id !== 'number') {
      this.#connection.destroy();
      return;
    }
    this.#answer(id, request['call']).catch(this.#host.failed);
  }

  closed(): void {
    this.#progress.close();
    this.#host.left(this);
  }

  /** Reports output in a terminal, when its progress is watched. */
  progressed(terminalId: string): void {
    this.#progress.progressed(terminalId);
  }

  tell(event: HostEvent): void {
    if (event.event === 'exited') this.#progress.finish(event.info.id);
    this.#connection.sendJson(event);
  }

  async #answer(id: number, input: unknown): Promise<void> {
    const call = parseCall(input);
    const result = call.ok ? await this.#execute(call.value) : call;
    this.#connection.sendJson({ id, ...result });
    if (call.ok && call.value.method === 'shutdown') this.#host.wantsEnd(this);
  }

  async #execute(call: ControlCall): Promise<Result<unknown>> {
    try {
      return await this.#perform(call);
    } catch (error) {
      this.#host.failed(error);
      return err(fault('terminal_host', 'The terminal host failed at this request.'));
    }
  }

  async #perform(call: ControlCall): Promise<Result<unknown>> {
    const { terminals } = this.#host;
    switch (call.method) {
      case 'spawn':
        return terminals.spawn(call.spec, this);
      case 'kill':
        return ok(await terminals.kill(call.terminalId, call.graceMs));
      case 'list':
        return ok(terminals.list());
      case 'dismiss':
        terminals.dismiss(call.terminalId);
        return ok(null);
      case 'watchProgress':
        this.#watchProgress(call.terminalId, call.on);
        return ok(null);
      case 'shutdown':
        return ok(
          await terminals.endThose((owner) => this.#host.isOther(owner, this), call.graceMs),
        );
    }
  }

  #watchProgress(terminalId: string, on: boolean): void {
    if (!on) this.#progress.unwatch(terminalId);
    else if (this.#host.terminals.find(terminalId) !== null) this.#progress.watch(terminalId);
  }

  #sendProgress(terminalId: string): void {
    const progress = this.#host.terminals.find(terminalId)?.progress();
    if (progress !== undefined)
      this.#connection.sendJson({ event: 'progress', terminalId, progress });
  }
}
