import type { Ctx } from '../../../ctx.ts'
import { hasTooManyFailures } from '../../auth/index.ts'
import { authenticateLfs, isLfsCommand } from '../lfs/ssh.ts'
import type { OpenGitTarget } from '../../../git-target.ts'
import { serveGit } from './git-over-ssh.ts'
import type { Client } from '../../../git/process/locks.ts'
import { errorAnswer } from '../../../http/answer/errors.ts'
import { Failure } from '../../../lib/fail.ts'
import { system, type Actor } from '../../../policy/actor.ts'
import type { SshCommand, SshService } from '../../../ssh/connection.ts'
import { actorOfKey, signsIn } from './service.ts'
import { sshKeyByFingerprint } from '../../users/index.ts'
import { fingerprintsOf } from '../../../lib/ssh/public-key.ts'

const NO_LONGER = 'This key is no longer valid.'

/** Serves clients over SSH. `kinds` are the kinds of repositories that other domains add. */
export function sshService(
  contextFor: (actor: Actor, client?: Client) => Ctx,
  kinds: readonly OpenGitTarget[],
): SshService {
  return {
    offeredKeyId: (blob) => offeredKeyId(contextFor(system), blob),
    greeting(keyId) {
      const actor = ownerOrRefusal(contextFor(system), keyId)
      if (typeof actor === 'string') return actor
      const name = actor.kind === 'user' ? `@${actor.username}` : 'machine'
      return `Welcome to Deskforge, ${name}! There is no shell here; git is served.`
    },
    async run(keyId, command) {
      const actor = ownerOrRefusal(contextFor(system), keyId)
      if (typeof actor !== 'string') {
        const client = { signal: command.signal, onlyReads: false }
        return run(contextFor(actor, client), kinds, command)
      }
      command.channel.stderr.write(`ERROR: ${actor}\n`)
      return 1
    },
    hasTooManyFailures: (credential, ip) => hasTooManyFailures(contextFor(system), credential, ip),
    log: (details, message) => contextFor(system).log.debug(details, message),
  }
}

/** Returns the owner of the key, or the message that refuses it. */
function ownerOrRefusal(ctx: Ctx, keyId: number) {
  try {
    return actorOfKey(ctx, keyId) ?? NO_LONGER
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { message } = errorAnswer(error).body as { message?: unknown }
    return String(message ?? NO_LONGER).replace(/^\d+ \w+ - /, '')
  }
}

function run(
  ctx: Ctx,
  kinds: readonly OpenGitTarget[],
  { text, channel, protocol, signal }: SshCommand,
): Promise<number> {
  const streams = { stdin: channel, stdout: channel, stderr: channel.stderr }
  if (isLfsCommand(text)) return authenticateLfs(ctx, kinds, { text, ...streams })
  return serveGit(ctx, kinds, { text, ...streams, signal, ...(protocol === undefined ? {} : { protocol }) })
}

/**
 * Returns the id of the key that a client offers, if it may sign in with it. The client has not proved ownership
 * yet.
 */
export function offeredKeyId(ctx: Ctx, blob: Buffer): number | undefined {
  const { sha256 } = fingerprintsOf(blob)
  const key = ctx.db.rememberRows(`ssh-key:${sha256}`, () =>
    sshKeyByFingerprint(ctx.db, 'fingerprint_sha256', sha256),
  )
  return key && signsIn(ctx, key) ? key.id : undefined
}
