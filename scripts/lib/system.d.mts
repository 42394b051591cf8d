export declare function systemChromium(): string | null;
export declare function withLock<T>(work: () => Promise<T>): Promise<T>;
