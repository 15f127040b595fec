/** The platforms that a bundled git is pinned for. */
export const platforms: string[]
export function verify(bytes: Uint8Array, sha256: string): void
/** Resolves to undefined, or to a sentence about why there is no git. */
export function fetchGit(
  platform: string,
  options?: { folder?: string; get?: (url: string) => Promise<Uint8Array> },
): Promise<string | undefined>
