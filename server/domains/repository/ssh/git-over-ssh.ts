import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import type { Ctx } from '../../../ctx.ts'
import { uploadArchiveOver, uploadPackOver, type Connection } from '../../../git/connection.ts'
import { GitError, GitInputError } from '../../../git/errors.ts'
import { storageProblem } from '../../../lib/storage-problem.ts'
import { missingStorage } from '../../storage/index.ts'
import { receivePack } from '../../../git/receive-pack.ts'
import { openPlace } from '../smart_http/open-place.ts'
import type { GitTarget, OpenGitTarget } from '../../../git-target.ts'
import { packLimitOf, PushSession } from '../smart_http/push.ts'
import { Refusal } from '../smart_http/refusal.ts'
import { parseCommand, type GitCommand } from './command.ts'
import { countOperation } from './rate.ts'

/** One command of a client: its streams, and when it is gone. */
export interface SshCommand {
  /** As it was sent. */
  readonly text: string
  readonly stdin: Readable
  readonly stdout: Writable
  /** Shown to the user. */
  readonly stderr: Writable
  /** What the client asks for in GIT_PROTOCOL. */
  readonly protocol?: string
  readonly signal: AbortSignal
}

/**
 * Serves one git command to the actor of the context: the same places, rights, rules and record as over HTTP. Resolves
 * to the exit code when everything was said; refusals are told on `stderr`.
 */
export async function serveGit(
  ctx: Ctx,
  kinds: readonly OpenGitTarget[],
  given: SshCommand,
): Promise<number> {
  try {
    const asked = parseCommand(given.text)
    if (!asked) throw new Refusal(400, 'This command is not allowed here; only git is served.')
    countOperation(ctx, asked)
    const purpose = asked.command === 'git-receive-pack' ? 'write' : 'read'
    const place = await openPlace(ctx, kinds, { path: asked.path, purpose, protocol: 'ssh' })
    return await SERVERS[asked.command](place, given)
  } catch (error) {
    if (given.signal.aborted) return 1
    given.stderr.write(`ERROR: ${sentenceOf(ctx, error)}\n`)
    return 1
  }
}

function sentenceOf(ctx: Ctx, error: unknown): string {
  if (error instanceof Refusal || error instanceof GitInputError) return error.message
  const problem = storageProblem(error) ?? missingStorage(ctx, error)
  if (problem) ctx.log.error({ err: error }, 'the disk refused')
  if (problem) return problem.message
  if (error instanceof GitError && error.isRepositoryMissing) return 'The repository is not on disk.'
  ctx.log.error({ err: error }, 'git over SSH failed')
  return 'The repository cannot be read at the moment; it may be damaged.'
}

const SERVERS: Readonly<Record<GitCommand, (place: GitTarget, given: SshCommand) => Promise<number>>> = {
  'git-upload-pack': ({ repo }, given) => sending(uploadPackOver(repo, connectionOf(given)), given),
  'git-upload-archive': ({ repo }, given) => sending(uploadArchiveOver(repo, connectionOf(given)), given),
  'git-receive-pack': receiving,
}

function connectionOf({ stdin, protocol, signal }: SshCommand): Connection {
  return { input: stdin, signal, ...(protocol === undefined ? {} : { protocol }) }
}

async function sending(starting: ReturnType<typeof uploadPackOver>, given: SshCommand): Promise<number> {
  const stream = await starting
  // The channel stays open for the exit code.
  await pipeline(stream.stdout, given.stdout, { end: false })
  const { code, stderr } = await stream.done.catch((error: unknown) => {
    if (error instanceof GitError && error.reason === 'exit' && !error.isRepositoryMissing) return error
    throw error
  })
  // Complaints about what the client asked for, such as an unknown branch of an archive.
  if (code !== 0 && stderr !== '') given.stderr.write(plain(stderr))
  return code ?? 1
}

/** Where repositories lie is nobody's business. */
function plain(stderr: string): string {
  const lines = stderr
    .split('\n')
    .filter((line) => /^(fatal|error|warning): /.test(line) && !line.includes('/'))
  return lines.map((line) => `${line}\n`).join('')
}

async function receiving(place: GitTarget, given: SshCommand): Promise<number> {
  const session = new PushSession(place)
  try {
    const { stream, done } = await receivePack(place.repo, {
      ...packLimitOf(place.ctx),
      body: given.stdin,
      isConnection: true,
      signal: given.signal,
      ...(given.protocol === undefined ? {} : { protocol: given.protocol }),
      preReceive: (push) => session.decide(push),
      postReceive: (push) => session.record(push),
    })
    // The push goes on when its client is gone, once it is accepted; the session ends with git.
    const [sent] = await Promise.allSettled([pipeline(stream, given.stdout, { end: false }), done])
    if (sent.status === 'rejected') throw sent.reason
    return 0
  } finally {
    await session.end()
  }
}
