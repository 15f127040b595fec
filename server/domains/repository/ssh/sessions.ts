import type { Ctx } from '../../../ctx.ts'
import { hasTooManyFailures, checkMayAct } from '../../auth/index.ts'
import { authenticateLfs, isLfsCommand } from '../lfs/ssh.ts'
import type { OpenGitTarget } from '../../../git-target.ts'
import { serveGit } from './git-over-ssh.ts'
import type { Client } from '../../../git/process/locks.ts'
import { errorAnswer } from '../../../http/answer/errors.ts'
import { Failure, fail } from '../../../lib/fail.ts'
import { system, type Actor, type DeployKeyActor, type UserActor } from '../../../policy/actor.ts'
import type { SshCommand, SshService } from '../../../ssh/connection.ts'
import {
  sshKeyByFingerprint,
  keyUsageProblem,
  sshKeyById,
  type SshKeyView,
  userById,
  recordKeyUse,
  recordActivity,
} from '../../users/index.ts'
import { fingerprintsOf } from '../../../lib/ssh/public-key.ts'
import { deployKeyActor } from '../deploy_keys/keys/service.ts'
import { settingsOf } from '../../settings/index.ts'

const INVALID_KEY = 'This key is no longer valid.'

/** Serves clients over SSH. `openers` open the repositories of other domains. */
export function sshService(
  contextFor: (actor: Actor, client?: Client) => Ctx,
  openers: readonly OpenGitTarget[],
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
        return run(contextFor(actor, client), openers, command)
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
    return actorOfKey(ctx, keyId) ?? INVALID_KEY
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { message } = errorAnswer(error).body as { message?: unknown }
    return String(message ?? INVALID_KEY).replace(/^\d+ \w+ - /, '')
  }
}

function run(
  ctx: Ctx,
  openers: readonly OpenGitTarget[],
  { text, channel, protocol, signal }: SshCommand,
): Promise<number> {
  const streams = { stdin: channel, stdout: channel, stderr: channel.stderr }
  if (isLfsCommand(text)) return authenticateLfs(ctx, openers, { text, ...streams })
  return serveGit(ctx, openers, { text, ...streams, signal, ...(protocol === undefined ? {} : { protocol }) })
}

/**
 * Returns the id of the key that a client offers, if the key may sign in. The client has not yet proved that it owns
 * the key.
 */
export function offeredKeyId(ctx: Ctx, blob: Buffer): number | undefined {
  const { sha256 } = fingerprintsOf(blob)
  const key = ctx.db.rememberRows(`ssh-key:${sha256}`, () =>
    sshKeyByFingerprint(ctx.db, 'fingerprint_sha256', sha256),
  )
  return key && maySignIn(ctx, key) ? key.id : undefined
}

/** Returns true if a key may sign in: it has not expired, and is not only for signatures. */
function maySignIn(ctx: Ctx, key: SshKeyView): boolean {
  return key.usage_type !== 'signing' && (key.expires_at === null || key.expires_at > ctx.now)
}

/**
 * Returns the owner of a verified key. Called for every command, since a connection may last long. Undefined if the key
 * is deleted or expired; throws 403 for a user who may not act, and for a key type that the settings forbid.
 */
function actorOfKey(ctx: Ctx, keyId: number): UserActor | DeployKeyActor | undefined {
  const key = sshKeyById(ctx.db, keyId)
  if (!key || !maySignIn(ctx, key)) return undefined
  const problem = ctx.db.remember(`ssh-key-problem:${keyId}`, () => keyUsageProblem(settingsOf(ctx), key.key))
  if (problem !== undefined) throw fail('forbidden', `403 Forbidden - Your SSH key ${problem}.`)
  recordKeyUse(ctx, keyId)
  if (key.user_id === null) return deployKeyActor(ctx, key)
  const user = userById(ctx.db, key.user_id)
  if (!user) return undefined
  checkMayAct(ctx, user)
  recordActivity(ctx, user.id)
  return {
    kind: 'user',
    id: user.id,
    username: user.username,
    name: user.name,
    email: user.email,
    is_admin: user.is_admin,
    external: user.external,
    scopes: null,
    via: 'key',
  }
}
