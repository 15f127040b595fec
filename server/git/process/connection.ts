import type { Readable } from 'node:stream'
import { git, value } from '../args.ts'
import { open } from './run.ts'
import type { GitStream } from './run.ts'
import { protocolEnv, TRANSFER_TIMEOUT_MS } from '../transport/smart-http.ts'
import { TRANSFER_CONFIG } from '../transport/transfer-config.ts'
import type { Repo } from '../types.ts'

/** A git client on a connection that stays open in both directions, as over SSH. */
export interface Connection {
  /** The bytes that the client sends. */
  readonly input: Readable
  /** The client's GIT_PROTOCOL variable. */
  readonly protocol?: string
  /** Aborted when the client disconnects. */
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
}

/** Serves a clone or fetch. */
export function serveUploadPack(repo: Repo, connection: Connection): Promise<GitStream> {
  const args = git`upload-pack --strict ${value(repo.gitDir)}`
  return serve(repo, { operation: 'connection.upload_pack', args }, connection)
}

/** Serves `git archive --remote`, which downloads the files of a branch or tag. */
export function serveUploadArchive(repo: Repo, connection: Connection): Promise<GitStream> {
  const args = git`upload-archive ${value(repo.gitDir)}`
  return serve(repo, { operation: 'connection.upload_archive', args }, connection)
}

function serve(
  repo: Repo,
  { operation, args }: { operation: string; args: ReturnType<typeof git> },
  { input, protocol, signal, timeoutMs }: Connection,
): Promise<GitStream> {
  return open(repo, operation, args, {
    pool: 'transfer',
    env: protocolEnv(protocol),
    config: TRANSFER_CONFIG,
    input,
    timeoutMs: timeoutMs ?? TRANSFER_TIMEOUT_MS,
    ...(signal ? { signal } : {}),
  })
}
