import { once } from 'node:events'
import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { git, value } from '../args.ts'
import type { Args } from '../args.ts'
import { GitError, GitInputError } from '../errors.ts'
import { repositoryExists } from '../upkeep/repository.ts'
import { open } from '../process/run.ts'
import type { Config, GitStream, RunOptions } from '../process/run.ts'
import { PUSH_OFFER, TRANSFER_CONFIG } from './transfer-config.ts'
import type { Repo } from '../types.ts'

export type GitService = 'git-upload-pack' | 'git-receive-pack'

/** True for one of the two services of the protocol; anything else is answered with a 403. */
export function isGitService(text: unknown): text is GitService {
  return text === 'git-upload-pack' || text === 'git-receive-pack'
}

/**
 * The answer to `GET …/info/refs?service=…`. `protocol` is the request's Git-Protocol header. Resolves once git has
 * begun to answer; throws GitError when the repository cannot be read.
 */
export async function advertiseRefs(
  repo: Repo,
  service: GitService,
  options: { protocol?: string; signal?: AbortSignal; config?: Config } = {},
): Promise<Readable> {
  const env = protocolEnv(options.protocol)
  // Version 2 has no such line, for either service: a client that asks for it knows what it gets.
  const isVersion2 = /(?:^|:)version=2(?:$|:)/.test(env['GIT_PROTOCOL'] ?? '')
  // In it, what can be fetched is asked later; here git says what it can do, which is always the same.
  const isKept = isVersion2 && service === 'git-upload-pack' && options.config === undefined
  const known = isKept ? repo.git.cache.get<Buffer>(repo, ADVERTISEMENT, '2') : undefined
  if (known && (await repositoryExists(repo))) return Readable.from([known])
  const command = service === 'git-upload-pack' ? git`upload-pack --strict` : git`receive-pack`
  const args = git`${command} --stateless-rpc --advertise-refs ${value(repo.gitDir)}`
  const config = [...TRANSFER_CONFIG, ...PUSH_OFFER, ...(options.config ?? [])]
  const limits = { place: 'transfer', givesWay: false, env, config, signal: options.signal } as const
  const stream = await begin(repo, `smart_http.advertise_${service.slice(4).replace('-', '_')}`, args, limits)
  const output = forward(stream, isVersion2 ? '' : `${packet(`# service=${service}\n`)}0000`)
  if (!isKept) return output
  const content = await buffer(output)
  repo.git.cache.set(repo, ADVERTISEMENT, '2', { content, bytes: 300 + content.length })
  return Readable.from([content])
}

const ADVERTISEMENT = 'advertisement'

/**
 * The answer to `POST …/git-upload-pack`: a clone or fetch. `body` is the request's, already decompressed. Throws
 * GitInputError for a request that git does not understand. Aborting, or destroying the answer, ends the process.
 */
export async function uploadPack(
  repo: Repo,
  options: { body: Readable; protocol?: string; signal?: AbortSignal; timeoutMs?: number },
): Promise<Readable> {
  const args = git`upload-pack --strict --stateless-rpc ${value(repo.gitDir)}`
  // To look at the refs is short, and somebody waits for it.
  const isClone = !(await beginningOf(options.body)).includes('command=ls-refs')
  const stream = await begin(repo, 'smart_http.upload_pack', args, {
    place: 'transfer',
    givesWay: isClone,
    env: protocolEnv(options.protocol),
    config: TRANSFER_CONFIG,
    input: options.body,
    signal: options.signal,
    timeoutMs: options.timeoutMs ?? TRANSFER_TIMEOUT_MS,
  })
  return forward(stream, '')
}

/** The first bytes of a stream, which stay in it; nothing where it was cut off before there were any. */
async function beginningOf(body: Readable): Promise<string> {
  if (body.readableLength === 0 && !body.readableEnded && !body.destroyed) {
    const { promise, resolve } = Promise.withResolvers<void>()
    const events = ['readable', 'end', 'error', 'close'] as const
    for (const event of events) body.once(event, resolve)
    await promise
    for (const event of events) body.off(event, resolve)
  }
  const head = body.destroyed ? null : (body.read() as Buffer | null)
  if (head === null) return ''
  body.unshift(head)
  return head.toString('latin1', 0, BEGINNING_BYTES)
}

const BEGINNING_BYTES = 64

/** A clone may take long over a slow line, but not for ever. */
export const TRANSFER_TIMEOUT_MS = 6 * 3600 * 1000

/** The Git-Protocol header, if it looks like one, in git's variable. */
export function protocolEnv(header: string | undefined): Record<string, string> {
  return header !== undefined && /^[a-z0-9=:._-]{1,200}$/i.test(header) ? { GIT_PROTOCOL: header } : {}
}

/** A line of git's protocol: its length in four hex digits, then the text. */
export function packet(text: string): string {
  return (Buffer.byteLength(text) + 4).toString(16).padStart(4, '0') + text
}

/** Waits until git writes its first bytes or ends, so that a failure can still become a proper answer. */
async function begin(repo: Repo, operation: string, args: Args, options: RunOptions): Promise<GitStream> {
  const stream = await open(repo, operation, args, options)
  const isOver = stream.done.then(
    () => {},
    () => {},
  )
  await Promise.race([once(stream.stdout, 'readable'), isOver])
  if (stream.stdout.readableLength > 0) return stream
  try {
    await stream.done
  } catch (error) {
    throw asInputError(error)
  }
  return stream
}

const NOT_UNDERSTOOD =
  /^fatal: (?:git upload-pack: )?(?:protocol error|the remote end hung up|unknown (?:capability|object format)|invalid command|mismatched object format|expected )/m

/** Git's complaints about what the client sent, as opposed to its own troubles. */
export function asInputError(error: unknown): unknown {
  const isClient = error instanceof GitError && NOT_UNDERSTOOD.test(error.stderr)
  return isClient ? new GitInputError('The request is not one that git understands.') : error
}

function forward(stream: GitStream, head: string): Readable {
  const output = new PassThrough()
  if (head !== '') output.write(head)
  // Dropping the answer destroys git's output, which ends the process; a failure of git cuts the answer off.
  void pipeline(stream.stdout, output).catch(() => stream.stop())
  stream.done.catch((error: Error) => output.destroy(error))
  output.on('error', () => {})
  return output
}
