import { randomBytes, randomUUID } from 'node:crypto'

/** The source of tokens and random ids, passed to `startServer`. Nothing else in the server uses randomness. */
export interface Random {
  /** `length` characters of the URL-safe alphabet `A-Z a-z 0-9 - _`, for tokens. */
  token(length: number): string
  /** `bytes` random bytes as lower-case hex. */
  hex(bytes: number): string
  /** A request or upload id (UUID form). */
  id(): string
}

/** Cryptographic randomness of the machine. */
export const systemRandom: Random = {
  token: (length) => randomBytes(length).toString('base64url').slice(0, length),
  hex: (bytes) => randomBytes(bytes).toString('hex'),
  id: () => randomUUID(),
}

/** A repeatable sequence from a seed, for deterministic instances and tests. Never for real data. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0 || 1
  const byte = (): number => {
    // xorshift32 is short and repeatable. It is not cryptographic.
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state & 0xff
  }
  const bytes = (count: number): Buffer => Buffer.from(Array.from({ length: count }, byte))
  const hex = (count: number): string => bytes(count).toString('hex')
  return {
    token: (length) => bytes(length).toString('base64url').slice(0, length),
    hex,
    id: () => [4, 2, 2, 2, 6].map(hex).join('-'),
  }
}
