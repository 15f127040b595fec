import type { Readable } from 'node:stream'
import { git, value } from '../args.ts'
import { open } from './run.ts'
import type { GitStream } from './run.ts'
import { protocolEnv, TRANSFER_TIMEOUT_MS } from '../transport/smart-http.ts'
import { TRANSFER_CONFIG } from '../transport/transfer-config.ts'
import type { Repo } from '../types.ts'

/** A client on a connection that stays open while both sides talk, as over SSH. */
export interface Connection {
  /** What the client sends. */
  readonly input: Readable
  /** What the client asks for in GIT_PROTOCOL. */
  readonly protocol?: string
  /** Aborted when the client is gone. */
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
}

/** A clone or fetch over a connection. */
export function uploadPackOver(repo: Repo, connection: Connection): Promise<GitStream> {
  const args = git`upload-pack --strict ${value(repo.gitDir)}`
  return serve(repo, { operation: 'connection.upload_pack', args }, connection)
}

/** `git archive --remote`: the client names a branch or tag, and gets its files. */
export function uploadArchiveOver(repo: Repo, connection: Connection): Promise<GitStream> {
  const args = git`upload-archive ${value(repo.gitDir)}`
  return serve(repo, { operation: 'connection.upload_archive', args }, connection)
}

function serve(
  repo: Repo,
  { operation, args }: { operation: string; args: ReturnType<typeof git> },
  { input, protocol, signal, timeoutMs }: Connection,
): Promise<GitStream> {
  return open(repo, operation, args, {
    place: 'transfer',
    env: protocolEnv(protocol),
    config: TRANSFER_CONFIG,
    input,
    timeoutMs: timeoutMs ?? TRANSFER_TIMEOUT_MS,
    ...(signal ? { signal } : {}),
  })
}
