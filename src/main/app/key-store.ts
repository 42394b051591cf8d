import type { Result } from '../../shared/result';

/** A key the user gave to Lathe, and the endpoint it belongs to. */
export interface StoredKey {
  readonly key: string;
  /** Absent for the default endpoint. */
  readonly baseUrl?: string;
}

/** The store of the user's key. One entry; each host has its own kind of store. */
export interface KeyStore {
  /** Describes the storage, for people: "the system keychain", "a file only you can read, not encrypted". */
  describe(): string;
  /** The stored key; null when there is none or it cannot be read any more. Never throws. */
  get(): Promise<StoredKey | null>;
  /** Replaces the stored key, or says why it could not be kept. */
  set(stored: StoredKey): Promise<Result<null>>;
  /** Forgets the stored key. Nothing to forget is a success. */
  clear(): Promise<Result<null>>;
}
