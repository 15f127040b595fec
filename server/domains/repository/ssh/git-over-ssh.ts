import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import type { Ctx } from '../../../ctx.ts'
import type { GitTarget, OpenGitTarget } from '../../../git-target.ts'
import { serveUploadArchive, serveUploadPack, type Connection } from '../../../git/process/connection.ts'
import { GitError, GitInputError } from '../../../git/errors.ts'
import { receivePack } from '../../../git/transport/receive-pack.ts'
import { RateWindow } from '../../../lib/rate-window.ts'
import { storageProblem } from '../../../lib/files/storage-problem.ts'
import { settingsOf } from '../../settings/index.ts'
import { missingStorage } from '../../storage/index.ts'
import { openTarget } from '../smart_http/open-target.ts'
import { PushSession, packLimitOf } from '../smart_http/push.ts'
import { Refusal } from '../smart_http/access.ts'

/** The commands that git runs on a server. */
type GitCommand = 'git-upload-pack' | 'git-receive-pack' | 'git-upload-archive'

/** A parsed git command. */
interface GitRequest {
  readonly command: GitCommand
  /** Full path of the project, without slashes around it and without `.git`. */
  readonly path: string
}

const MAX_LENGTH = 4096

const COMMAND = /^git[- ](upload-pack|receive-pack|upload-archive) +(.+)$/s

/**
 * Parses the command of a client: one of git's three commands and one path, quoted as git does. Undefined for
 * everything else. No part of it ever reaches a shell.
 */
function parseCommand(text: string): GitRequest | undefined {
  if (text.length > MAX_LENGTH || text.includes('\0')) return undefined
  const [, name, rest = ''] = COMMAND.exec(text) ?? []
  if (name === undefined) return undefined
  const path = unquoted(rest.trimEnd())
    ?.replace(/^\/+/, '')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
  return path ? { command: `git-${name}` as GitCommand, path } : undefined
}

/** Parses one word as `sh` would, where `'` is the only quote; undefined for more than one word or an open quote. */
function unquoted(text: string): string | undefined {
  if (!text.startsWith("'")) return /^[^\s'"\\$`;&|<>()]+$/.test(text) ? text : undefined
  let word = ''
  let rest = text
  // Git writes a quote or an exclamation mark inside a quoted word as '\'' and '\!'.
  for (let part = QUOTED_PART.exec(rest); part !== null; part = QUOTED_PART.exec(rest)) {
    word += part[1] ?? part[2]!
    rest = rest.slice(part[0].length)
  }
  return rest === '' ? word : undefined
}

const QUOTED_PART = /^(?:'([^']*)'|\\(['!]))/

const PERIOD_SECONDS = 60

const TOO_MANY = 'This endpoint has been requested too many times. Try again later.'

/** Counts a git command over SSH by user and repository. Throws Refusal above the limit per minute of the settings. */
function countOperation(ctx: Ctx, { command, path }: GitRequest): void {
  const max = settingsOf(ctx).shell_operation_limit
  if (max === 0) return
  const window = ctx.db.instance('repository.ssh_operations', () => new RateWindow(), { dependsOnRows: true })
  const key = `${command} ${ctx.actor.kind} ${ctx.actor.id ?? 'nobody'} ${path.toLowerCase()}`
  if (!window.take(key, { max, per: PERIOD_SECONDS }, Date.parse(ctx.now)).allowed)
    throw new Refusal(429, TOO_MANY)
}

/** One command of a client: its streams, and a signal for a closed connection. */
export interface SshCommand {
  /** The command as the client sent it. */
  readonly text: string
  readonly stdin: Readable
  readonly stdout: Writable
  /** Git shows this text to the user. */
  readonly stderr: Writable
  /** The protocol version from the client's GIT_PROTOCOL. */
  readonly protocol?: string
  readonly signal: AbortSignal
}

/**
 * Serves one git command to the actor of the context, with the same repositories, permissions and checks as over HTTP.
 * Returns the exit code. The message of a refusal is written to `stderr`.
 */
export async function serveGit(
  ctx: Ctx,
  openers: readonly OpenGitTarget[],
  command: SshCommand,
): Promise<number> {
  try {
    const request = parseCommand(command.text)
    if (!request) throw new Refusal(400, 'This command is not allowed here; only git is served.')
    countOperation(ctx, request)
    const purpose = request.command === 'git-receive-pack' ? 'write' : 'read'
    const target = await openTarget(ctx, openers, { path: request.path, purpose, protocol: 'ssh' })
    return await SERVERS[request.command](target, command)
  } catch (error) {
    if (command.signal.aborted) return 1
    command.stderr.write(`ERROR: ${sentenceOf(ctx, error)}\n`)
    return 1
  }
}

function sentenceOf(ctx: Ctx, error: unknown): string {
  if (error instanceof Refusal || error instanceof GitInputError) return error.message
  const problem = storageProblem(error) ?? missingStorage(ctx, error)
  if (problem) ctx.log.error({ err: error }, 'disk error')
  if (problem) return problem.message
  if (error instanceof GitError && error.isRepositoryMissing) return 'The repository is not on disk.'
  ctx.log.error({ err: error }, 'git over SSH failed')
  return 'The repository cannot be read at the moment; it may be damaged.'
}

const SERVERS: Readonly<Record<GitCommand, (target: GitTarget, command: SshCommand) => Promise<number>>> = {
  'git-upload-pack': ({ repo }, command) => serveRead(serveUploadPack(repo, connectionOf(command)), command),
  'git-upload-archive': ({ repo }, command) =>
    serveRead(serveUploadArchive(repo, connectionOf(command)), command),
  'git-receive-pack': servePush,
}

function connectionOf({ stdin, protocol, signal }: SshCommand): Connection {
  return { input: stdin, signal, ...(protocol === undefined ? {} : { protocol }) }
}

async function serveRead(started: ReturnType<typeof serveUploadPack>, command: SshCommand): Promise<number> {
  const stream = await started
  // The channel stays open until the exit code is sent.
  await pipeline(stream.stdout, command.stdout, { end: false })
  const { code, stderr } = await stream.done.catch((error: unknown) => {
    if (error instanceof GitError && error.reason === 'exit' && !error.isRepositoryMissing) return error
    throw error
  })
  // Errors about the request, such as an unknown branch of an archive.
  if (code !== 0 && stderr !== '') command.stderr.write(withoutPaths(stderr))
  return code ?? 1
}

/** Keeps only error messages that do not reveal the path of a repository. */
function withoutPaths(stderr: string): string {
  const lines = stderr
    .split('\n')
    .filter((line) => /^(fatal|error|warning): /.test(line) && !line.includes('/'))
  return lines.map((line) => `${line}\n`).join('')
}

async function servePush(target: GitTarget, command: SshCommand): Promise<number> {
  const session = new PushSession(target)
  try {
    const { stream, done } = await receivePack(target.repo, {
      ...packLimitOf(target.ctx),
      body: command.stdin,
      isConnection: true,
      signal: command.signal,
      ...(command.protocol === undefined ? {} : { protocol: command.protocol }),
      preReceive: (push) => session.decide(push),
      postReceive: (push) => session.record(push),
    })
    // An accepted push goes on when its client disconnects, so the session ends only when git has ended.
    const [sent] = await Promise.allSettled([pipeline(stream, command.stdout, { end: false }), done])
    if (sent.status === 'rejected') throw sent.reason
    return 0
  } finally {
    await session.end()
  }
}
